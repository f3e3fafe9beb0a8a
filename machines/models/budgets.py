"""What may be spent: money in millionths of a currency, tokens, and calls."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q


class Budget(models.Model):
    """A limit that calls share. What a call may cost is reserved before it is sent, and settled after.

    Counts are changed by conditional UPDATEs alone (`machines.ledger.limits.budgets`), so that no number of
    workers can spend more than the limit.
    """

    title = models.CharField(max_length=200, blank=True)
    limit = models.BigIntegerField(null=True, blank=True, help_text="Micro-units; empty: no limit")
    reserved = models.BigIntegerField(default=0, help_text="Micro-units of calls that have not ended")
    spent = models.BigIntegerField(default=0, help_text="Micro-units of calls that have ended")

    token_limit = models.BigIntegerField(null=True, blank=True, help_text="Empty: no limit")
    tokens_reserved = models.BigIntegerField(default=0)
    tokens = models.BigIntegerField(default=0, help_text="Sent and received by calls that have ended")

    call_limit = models.PositiveIntegerField(null=True, blank=True, help_text="Empty: no limit")
    calls = models.PositiveIntegerField(default=0, help_text="Sent, or about to be; the unpaid taken off")

    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(reserved__gte=0, spent__gte=0, tokens_reserved__gte=0, tokens__gte=0),
                name="budget_counts_from_zero",
            ),
        ]

    def __str__(self) -> str:
        return self.title or f"Budget {self.pk}"

    @property
    def left(self) -> int | None:
        """Micro-units that may still be reserved; None without a limit."""
        return None if self.limit is None else max(0, self.limit - self.spent - self.reserved)
