"""How an endpoint stands: its pace, its circuit, and what a probe found."""

from __future__ import annotations

from django.db import models


class EndpointState(models.Model):
    """One endpoint, as all workers see it. Moments are seconds since 1970 on the database's clock."""

    name = models.CharField(max_length=50, unique=True)

    request_time = models.FloatField(
        default=0, help_text="The theoretical arrival time of the next request, as GCRA has it"
    )
    token_time = models.FloatField(default=0, help_text="The same for tokens")
    not_before = models.FloatField(default=0, help_text="The endpoint asked to be left alone until then")

    failures = models.PositiveIntegerField(default=0, help_text="In a row")
    openings = models.PositiveSmallIntegerField(default=0, help_text="Of the circuit, in a row")
    open_until = models.FloatField(default=0, help_text="0: the circuit is closed")
    trial_until = models.FloatField(default=0, help_text="One call is let through, and has until then")

    probe = models.JSONField(default=dict, help_text="What the endpoint is known to honour")
    probed = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.name
