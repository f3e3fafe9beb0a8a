"""Calls ended: what came back is written down at once, and the budget pays what it cost."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from django.db.models import F
from django.db.models.functions import Greatest, Now

from common.chat import Reply
from machines.client.endpoint import Endpoint
from machines.client.weather import ILL, Outcome, Paid, Weather
from machines.ledger import rows
from machines.ledger.limits import budgets, circuit
from machines.ledger.limits.budgets import Cost
from machines.ledger.limits.clock import Epoch, after
from machines.ledger.wanted import Wanted
from machines.models import LONGEST_REPLY, PENDING, Call, EndpointState, State

NOT_SAID = 1.0
"""Seconds for which a busy endpoint is left alone that did not say how long."""
INTENT_LEASE = 3700.0
"""Seconds for which a call that waits to be tried again is believed to have somebody who waits."""


class Ended(NamedTuple):
    """A call that has come to an end, or will be tried again.

    wanted: the question.
    outcome: what came of it.
    state: in which the row is left; INTENT where it is tried again.
    wait: seconds until then.
    """

    wanted: Wanted
    outcome: Outcome
    state: State
    wait: float = 0.0


def settle(endpoint: Endpoint, budget: int | None, ended: Sequence[Ended]) -> list[Wanted]:
    """Write down what came of these calls; return those whose row was swept away meanwhile.

    The transaction around it is the caller's.
    """
    charged = [charge(endpoint, each.wanted.cost(endpoint), each) for each in ended]
    swept = _written(ended, charged)
    held, paid = Cost(), Cost()
    for each, cost in zip(ended, charged, strict=True):
        if each.wanted.call not in swept and each.state != State.INTENT:
            held, paid = held.plus(each.wanted.cost(endpoint)), paid.plus(cost)
    if budget is not None and held.calls:
        budgets.settle(budget, held, paid)
    return [each.wanted for each in ended if each.wanted.call in swept]


def with_call(reply: Reply, wanted: Wanted) -> Reply:
    """Return a reply with the row that holds it, cut as the row is."""
    return replace(reply, text=cut(reply.text), call=wanted.call)


def charge(endpoint: Endpoint, reserved: Cost, ended: Ended) -> Cost:
    """Return what a call cost: by the tokens it counted, or as reserved where it did not, or may be paid."""
    reply = ended.outcome.reply
    if ended.outcome.paid is Paid.NO:
        return Cost()
    if reply is None or reply.prompt_tokens is None or reply.completion_tokens is None:
        return reserved
    sent, received = reply.prompt_tokens, reply.completion_tokens
    price = endpoint.prices.cost(sent, received, reply.cached_tokens or 0)
    return Cost(price, sent + received, 1)


def cut(text: str) -> str:
    """Return a reply as far as it is kept."""
    data = text.encode("utf-8")
    return text if len(data) <= LONGEST_REPLY else data[:LONGEST_REPLY].decode("utf-8", "ignore")


def _written(ended: Sequence[Ended], charged: Sequence[Cost]) -> set[int | None]:
    """Write the ends of calls into their rows; return the rows that were not pending any more."""
    both = list(zip(ended, charged, strict=True))
    swept: set[int | None] = set()
    swept |= rows.answer([_answer(each, cost) for each, cost in both if each.state == State.ANSWERED])
    for each, cost in both:
        if each.state == State.ANSWERED:
            continue
        pending = Call.objects.filter(pk=each.wanted.call or 0, state__in=PENDING)
        if not pending.update(**_columns(each, cost)):
            swept.add(each.wanted.call)
    return swept


def _answer(ended: Ended, charged: Cost) -> dict[str, Any]:
    """Return the columns of an answer as the database takes them, its row last."""
    given = {**_columns(ended, charged), "problem": ""}
    given["probabilities"] = json.dumps(given["probabilities"])
    del given["ended"], given["lease_until"]
    return given | {"id": ended.wanted.call or 0}


def _columns(ended: Ended, charged: Cost) -> dict[str, Any]:
    outcome = ended.outcome
    columns: dict[str, Any] = {
        "state": ended.state,
        "status": outcome.status,
        "problem": outcome.problem or F("problem"),
        "milliseconds": round(outcome.seconds * 1000),
    }
    if ended.state == State.INTENT:
        return columns | {"not_before": after(ended.wait), "lease_until": after(INTENT_LEASE)}
    columns |= {"price": charged.micro_units, "ended": Now(), "lease_until": None}
    return columns | (_told(outcome.reply) if outcome.reply is not None else {})


def _told(reply: Reply) -> dict[str, Any]:
    return {
        "text": cut(reply.text),
        "finish": reply.finish,
        "probabilities": dict(reply.probabilities),
        "model_echo": reply.model,
        "fingerprint": reply.fingerprint,
        "prompt_tokens": reply.prompt_tokens,
        "completion_tokens": reply.completion_tokens,
        "reasoning_tokens": reply.reasoning_tokens,
        "cached_tokens": reply.cached_tokens,
    }


def note_weather(state: EndpointState, outcomes: Sequence[Outcome]) -> bool:
    """Tell the endpoint's row, which is locked, what calls showed of it; return whether it differs now."""
    ill = sum(each.weather in ILL for each in outcomes)
    well = any(each.weather not in ILL | {Weather.BUSY} for each in outcomes)
    changed = circuit.note(state, well=well, ill=ill)
    waits = [
        NOT_SAID if each.retry_after is None else each.retry_after
        for each in outcomes
        if each.weather is Weather.BUSY
    ]
    if waits:
        later = Greatest(F("not_before"), Epoch() + max(waits))
        EndpointState.objects.filter(pk=state.pk).update(not_before=later)
    return changed or bool(waits)
