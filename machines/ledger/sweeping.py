"""Calls whose worker fell silent: what had been sent may have been paid, and is charged; the rest is free."""

from __future__ import annotations

from collections import defaultdict

from django.db import transaction
from django.db.models.functions import Now

from machines.ledger import rows
from machines.ledger.limits import budgets
from machines.ledger.limits.budgets import Cost
from machines.ledger.limits.clock import Epoch, after
from machines.models import Call, EndpointState, State

LONGEST = 7200.0
"""Seconds: no pause, circuit, pace or lease of ours reaches so far ahead, unless the clock was put back."""
MOMENTS = ("request_time", "token_time", "not_before", "open_until", "trial_until")

SENT = "Whoever sent it fell silent before a reply was stored. It may have been paid, and is charged."
NEVER_SENT = "Whoever waited to try it again fell silent. It was not paid."


def sweep(name: str) -> int:
    """End the calls of an endpoint whose lease has run out; return how many may have been paid.

    Each row is ended by one conditional UPDATE, so of several who sweep one settles the budget.
    """
    unknown = 0
    forget_tomorrow(name)
    lapsed = rows.pending(name).filter(lease_until__lte=Now())
    if not lapsed.exists():
        return 0
    with transaction.atomic():
        held: defaultdict[int, Cost] = defaultdict(Cost)
        paid: defaultdict[int, Cost] = defaultdict(Cost)
        for row in lapsed.order_by("pk"):
            sent = row.state == State.SENT
            ended = {
                "state": State.UNKNOWN if sent else State.FAILED,
                "problem": SENT if sent else NEVER_SENT,
                "price": row.reserved if sent else 0,
            }
            still = Call.objects.filter(pk=row.pk, state=row.state, lease_until__lte=Now())
            if not still.update(**ended, ended=Now(), lease_until=None):
                continue
            unknown += sent
            if row.budget_id is not None:
                cost = Cost(row.reserved, row.tokens_reserved, 1)
                held[row.budget_id] = held[row.budget_id].plus(cost)
                paid[row.budget_id] = paid[row.budget_id].plus(cost if sent else Cost())
        for budget in sorted(held):
            budgets.settle(budget, held[budget], paid[budget])
    return unknown


def forget_tomorrow(name: str) -> None:
    """Let go of moments that lie too far ahead: the database's clock was put back, perhaps by years, and
    nothing would be asked until then. Calls whose lease reaches there are in flight no longer.
    """
    state = EndpointState.objects.filter(name=name)
    for moment in MOMENTS:
        ahead = state.filter(**{f"{moment}__gt": Epoch() + LONGEST})
        if ahead.exists():
            ahead.update(**{moment: Epoch()})
    held = rows.pending(name).filter(lease_until__gt=after(LONGEST))
    if held.exists():
        held.update(lease_until=Now())
