"""Calls ended: what came back is written down at once, and the budget pays what it cost."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.db.models import F
from django.db.models.functions import Greatest, Now

from common.chat import Reply
from machines.client.endpoint import Endpoint
from machines.client.weather import ILL, Outcome, Paid, Weather
from machines.ledger.limits import budgets, circuit
from machines.ledger.limits.budgets import Cost
from machines.ledger.limits.clock import NOW, Epoch, after
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


def settle(
    endpoint: Endpoint, budget: int | None, ended: Sequence[Ended], *, note: bool = True
) -> list[Wanted]:
    """Write down what came of these calls; return those whose row was swept away meanwhile.

    `note`: whether it tells anything of the endpoint.
    """
    lost = []
    with transaction.atomic(durable=endpoint.kind == "chat"):
        if note:
            _note_weather(endpoint, [each.outcome for each in ended])
        held, paid = Cost(), Cost()
        for each in ended:
            cost = each.wanted.cost(endpoint)
            charged = charge(endpoint, cost, each)
            if not _written(each, charged):
                lost.append(each.wanted)
            elif each.state != State.INTENT:
                held, paid = held.plus(cost), paid.plus(charged)
        if budget is not None and held.calls:
            budgets.settle(budget, held, paid)
    return lost


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


def _written(ended: Ended, charged: Cost) -> bool:
    """Write a call's end into its row; return whether the row was still pending."""
    columns = _columns(ended, charged)
    if ended.state == State.ANSWERED:
        return _answered(ended.wanted.call or 0, columns)
    return bool(Call.objects.filter(pk=ended.wanted.call or 0, state__in=PENDING).update(**columns))


def _answered(call: int, columns: dict[str, Any]) -> bool:
    """Write an answer, by a statement that is written once: Django takes longer to write it than it takes."""
    given = {**columns, "probabilities": json.dumps(columns["probabilities"]), "problem": ""}
    del given["ended"], given["lease_until"]
    with connection.cursor() as cursor:
        cursor.execute(_statement(connection.vendor, tuple(given)), [*given.values(), call])
        return bool(cursor.rowcount)


@cache
def _statement(vendor: str, columns: tuple[str, ...]) -> str:
    sets = ", ".join(f"{name} = %s" for name in columns)
    pending = ", ".join(f"'{state}'" for state in PENDING)
    return (
        f"UPDATE {Call._meta.db_table} SET {sets}, ended = {NOW[vendor]}, lease_until = NULL "  # noqa: S608
        f"WHERE id = %s AND state IN ({pending})"
    )


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


def _note_weather(endpoint: Endpoint, outcomes: Iterable[Outcome]) -> None:
    """Tell the endpoint's row what these calls showed of it."""
    seen = list(outcomes)
    ill = sum(each.weather in ILL for each in seen)
    well = any(each.weather not in ILL | {Weather.BUSY} for each in seen)
    circuit.note(endpoint.name, well=well, ill=ill)
    waits = [
        NOT_SAID if each.retry_after is None else each.retry_after
        for each in seen
        if each.weather is Weather.BUSY
    ]
    if waits:
        later = Greatest(F("not_before"), Epoch() + max(waits))
        EndpointState.objects.filter(name=endpoint.name).update(not_before=later)
