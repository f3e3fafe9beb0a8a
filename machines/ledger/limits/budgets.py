"""What a budget still allows: each change is one conditional UPDATE whose row count is the answer."""

from __future__ import annotations

from typing import NamedTuple

from django.db.models import F, Q, QuerySet

from common.composed import ComposedUpdate, Given
from machines.models import Budget


class Cost(NamedTuple):
    """What calls cost, or may cost: micro-units, tokens, and how many calls they are."""

    micro_units: int = 0
    tokens: int = 0
    calls: int = 0

    def plus(self, other: Cost) -> Cost:
        """Return the sum."""
        return Cost(*(one + two for one, two in zip(self, other, strict=True)))


def with_room() -> QuerySet[Budget]:
    """Return the budget, if it has room for these calls."""
    return Budget.objects.filter(
        Q(limit=None) | Q(limit__gte=F("spent") + F("reserved") + Given("micro_units")),
        Q(token_limit=None) | Q(token_limit__gte=F("tokens") + F("tokens_reserved") + Given("tokens")),
        Q(call_limit=None) | Q(call_limit__gte=F("calls") + Given("calls")),
        pk=Given("pk"),
    )


RESERVE = ComposedUpdate(
    with_room,
    reserved=F("reserved") + Given("micro_units"),
    tokens_reserved=F("tokens_reserved") + Given("tokens"),
    calls=F("calls") + Given("calls"),
)
SETTLE = ComposedUpdate(
    lambda: Budget.objects.filter(pk=Given("pk")),
    reserved=F("reserved") - Given("micro_units"),
    spent=F("spent") + Given("spent"),
    tokens_reserved=F("tokens_reserved") - Given("tokens_reserved"),
    tokens=F("tokens") + Given("tokens"),
    calls=F("calls") - Given("unpaid"),
)


def reserve(budget: int, cost: Cost) -> bool:
    """Set aside what calls may cost; return False, and change nothing, where a limit does not allow it."""
    return bool(RESERVE(pk=budget, **cost._asdict()))


def settle(budget: int, reserved: Cost, spent: Cost) -> None:
    """Take back what was reserved, and count what was spent. Calls that were not paid are not in `spent`."""
    SETTLE(
        pk=budget,
        micro_units=reserved.micro_units,
        spent=spent.micro_units,
        tokens_reserved=reserved.tokens,
        tokens=spent.tokens,
        unpaid=reserved.calls - spent.calls,
    )


def says_spent(budget: int) -> str:
    """Return which limit was met, in a sentence."""
    row = Budget.objects.get(pk=budget)
    if row.call_limit is not None and row.calls >= row.call_limit:
        return f"The budget of {row.call_limit:,} calls is used up."
    if row.token_limit is not None and row.limit is None:
        return f"The budget of {row.token_limit:,} tokens has no room for another call."
    limit = (row.limit or 0) / 1_000_000
    return f"The budget of {limit:,.2f} has no room for another call: {row.spent / 1_000_000:,.2f} is spent."
