"""Calls begun: how many may go now, their budget reserved and their rows written, before anything is sent.

All of it is done under the endpoint's row, so that no number of workers sends more at once, or faster, than
the settings allow, and none sends what another one is sending.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any

from django.db.models import CharField
from django.db.models.expressions import Combinable
from django.db.models.functions import Now

from common.composed import Composed, Given
from machines.client.endpoint import Endpoint, Prices
from machines.ledger import keys, rows
from machines.ledger.limits import budgets, circuit, pace
from machines.ledger.limits.clock import after
from machines.ledger.wanted import Wanted
from machines.models import ANSWERED, PENDING, Call, EndpointState, State

MARGIN_SECONDS = 30.0
"""How much longer than a call may take its row is believed to be in flight."""
LOOK_AGAIN = 0.25
"""Seconds until the next look while other workers use all that may be in flight."""


@dataclass
class Begun:
    """What became of some questions.

    sent: those that may be sent now; each has its row.
    elsewhere: those that another worker has in flight, or has answered meanwhile.
    wait: seconds until the others may be tried again.
    spent: whether the budget had no room.
    ill: whether they wait because the circuit is open.
    """

    sent: list[Wanted] = field(default_factory=list)
    elsewhere: list[Wanted] = field(default_factory=list)
    wait: float = 0.0
    spent: bool = False
    ill: bool = False


@dataclass(frozen=True)
class Purse:
    """Who pays and for what.

    budget: the key of its row, None where nothing limits the calls.
    purpose: what is stored with each call.
    parser: the version of what reads the replies.
    """

    budget: int | None
    purpose: str
    parser: str


def begin(
    endpoint: Endpoint, purse: Purse, asked: Sequence[Wanted], state: EndpointState, now: float
) -> Begun:
    """Begin as many of these calls as may go now, in their order.

    `state`: the endpoint's row, locked by the caller's transaction; `now`: the database's time, read then.
    """
    begun = Begun()
    begun.wait, trial = circuit.wait(state, now)
    begun.ill = begun.wait > 0
    begun.wait = max(begun.wait, state.not_before - now)
    if begun.wait > 0:
        return begun
    free = _without_others(asked, begun)
    room = endpoint.concurrency - rows.in_flight(endpoint.name)
    if trial:
        room = 1 if room > 0 and free and circuit.begin_trial(state, _longest(endpoint)) else 0
    chosen, standing = free[: max(0, room)], pace.Pace(state.request_time, state.token_time)
    begun.wait = LOOK_AGAIN if len(chosen) < len(free) else 0.0
    tokens = [each.cost(endpoint).tokens for each in chosen]
    permitted = pace.permit(standing, now, tokens, endpoint.rpm, endpoint.tpm)
    chosen = _paid(endpoint, purse, chosen[: permitted.calls], begun)
    permitted_now = pace.permit(standing, now, tokens[: len(chosen)], endpoint.rpm, endpoint.tpm)
    begun.wait = max(begun.wait, permitted.wait)
    begun.sent = _written(endpoint, purse, chosen, state.probed)
    if chosen and (endpoint.rpm or endpoint.tpm):
        EndpointState.objects.filter(pk=state.pk).update(
            request_time=permitted_now.pace.requests, token_time=permitted_now.pace.tokens
        )
    return begun


def _without_others(asked: Sequence[Wanted], begun: Begun) -> list[Wanted]:
    """Return those that nobody else is asking, and put the others aside."""
    new = [each.key for each in asked if each.call is None]
    live = _live(len(new))(**{f"key{n}": key for n, key in enumerate(new)}) if new else ()
    known = {row.key for row in live}
    begun.elsewhere = [each for each in asked if each.call is None and each.key in known]
    return [each for each in asked if each.call is not None or each.key not in known]


@cache
def _live(keys: int) -> Composed[Call]:
    """Return the query of calls that are pending or answered, for so many keys."""
    given = [Given(f"key{n}", CharField()) for n in range(keys)]
    return Composed(lambda: Call.objects.filter(key__in=given, state__in=[*PENDING, *ANSWERED]).only("key"))


def _paid(endpoint: Endpoint, purse: Purse, chosen: Sequence[Wanted], begun: Begun) -> list[Wanted]:
    """Return those for which the budget has room. What is tried again has its reservation already."""
    if purse.budget is None:
        return list(chosen)
    total = budgets.Cost()
    for each in chosen:
        total = total if each.call else total.plus(each.cost(endpoint))
    if not total.calls or budgets.reserve(purse.budget, total):
        return list(chosen)
    for n, each in enumerate(chosen):
        if each.call is None and not budgets.reserve(purse.budget, each.cost(endpoint)):
            begun.spent = True
            return list(chosen[:n])
    return list(chosen)


def _written(
    endpoint: Endpoint, purse: Purse, chosen: Sequence[Wanted], probed: datetime | None
) -> list[Wanted]:
    """Write the rows and return the questions that have one; an old row that was swept away has none."""
    again = [each for each in chosen if each.call is not None]
    kept = [each for each in again if _sent_again(each, after(_longest(endpoint)))]
    new = [each for each in chosen if each.call is None]
    longest = _longest(endpoint)
    found = rows.insert(_alike(endpoint, purse, probed), [_own(endpoint, each) for each in new], longest)
    for each in new:
        each.call = found[each.key]
    return kept + new


def _sent_again(wanted: Wanted, lease: Combinable) -> bool:
    waiting = Call.objects.filter(pk=wanted.call or 0, state=State.INTENT)
    sent = waiting.update(
        state=State.SENT, attempt=wanted.attempt, sent=Now(), lease_until=lease, not_before=None
    )
    if not sent:
        wanted.call = None
    return bool(sent)


def _alike(endpoint: Endpoint, purse: Purse, probed: datetime | None) -> Call:
    """Return what the rows of all calls have in common."""
    return Call(
        state=State.SENT,
        purpose=purse.purpose,
        budget_id=purse.budget,
        endpoint=endpoint.name,
        model=endpoint.model,
        revision=endpoint.revision,
        parser=purse.parser,
        probed=probed,
        prices=price_list(endpoint.prices),
    )


def _own(endpoint: Endpoint, wanted: Wanted) -> dict[str, Any]:
    """Return the columns of one call's row that are its own."""
    request, cost = wanted.request, wanted.cost(endpoint)
    return {
        "key": wanted.key,
        "parameters": keys.parameters(endpoint, request),
        "seed": request.seed,
        "replicate": request.replicate,
        "prompt_sha256": keys.prompt_sha256(request),
        "attempt": wanted.attempt,
        "tokens_reserved": cost.tokens,
        "reserved": cost.micro_units,
    }


def price_list(prices: Prices) -> str:
    """Return a price list in one line, as each call keeps it: micro-units per million tokens."""
    cached = "" if prices.cached is None else f" cached {prices.cached}"
    return f"{prices.currency} in {prices.prompt} out {prices.completion}{cached}"


def _longest(endpoint: Endpoint) -> float:
    return endpoint.timeout + MARGIN_SECONDS
