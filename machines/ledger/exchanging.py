"""Calls that came back exchanged for calls that go out: in one transaction, since each waits for the disk.

What is told of a call, or sent, is committed when this returns.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.db import connection, transaction
from django.db.models import CharField, QuerySet

from common.composed import Composed, Given
from machines.client.endpoint import Endpoint
from machines.ledger import reserving, settling
from machines.ledger.limits.clock import Epoch
from machines.ledger.reserving import Begun, Purse
from machines.ledger.settling import Ended
from machines.ledger.wanted import Wanted
from machines.models import EndpointState


def exchange(
    endpoint: Endpoint,
    purse: Purse,
    ended: Sequence[Ended],
    asked: Sequence[Wanted] = (),
    *,
    note: bool = True,
) -> tuple[list[Wanted], Begun]:
    """Write down what came of calls, and begin as many others as may go now.

    All of it under the endpoint's row, so that workers who share budgets and calls take them in one order.
    Returns the questions whose row was swept away meanwhile, and what became of those asked. `note`: whether
    what ended tells anything of the endpoint.
    """
    with transaction.atomic(durable=endpoint.kind == "chat"):
        if connection.features.has_select_for_update:
            LOCKED(name=endpoint.name)
        lost = settling.settle(endpoint, purse.budget, ended) if ended else []
        state, now = _standing(endpoint.name)
        if note and ended and settling.note_weather(state, [each.outcome for each in ended]):
            state, now = _standing(endpoint.name)
        return lost, reserving.begin(endpoint, purse, asked, state, now) if asked else Begun()


def prepare(name: str) -> None:
    """Make the endpoint's row, where there is none."""
    EndpointState.objects.get_or_create(name=name)


def _standing(name: str) -> tuple[EndpointState, float]:
    """Return the endpoint's row, and the time at which it was read."""
    (state,) = STANDING(name=name)
    return state, state.now  # type: ignore[attr-defined]  # an annotation


def _named() -> QuerySet[EndpointState]:
    return EndpointState.objects.filter(name=Given("name", CharField()))


LOCKED = Composed(lambda: _named().select_for_update())
STANDING = Composed(lambda: _named().annotate(now=Epoch()))
