"""How the endpoints of this installation stand: what was found of each, spent on each, and asked last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Count, Q, Sum
from django.db.models.functions import Coalesce

from machines import purposes, wording
from machines.client import probe
from machines.client.endpoint import Endpoint
from machines.endpoints import endpoints
from machines.ledger.limits.clock import Epoch
from machines.models import ANSWERED, Call, EndpointState, State

LAST = 10
BADGES = {
    State.ANSWERED: "ok", State.UNREADABLE: "warn", State.UNKNOWN: "bad", State.REFUSED: "warn",
    State.FAILED: "bad",
}  # fmt: skip
SHOWN = (
    "pk", "endpoint", "purpose", "state", "problem", "created", "milliseconds", "price",
    "prompt_tokens", "completion_tokens",
)  # fmt: skip
"""Of a call; not its reply, which shows what readers are asked."""


COUNTED = {
    "calls": Count("pk"),
    "answered": Count("pk", filter=Q(state__in=ANSWERED)),
    "unreadable": Count("pk", filter=Q(state=State.UNREADABLE)),
    "unknown": Count("pk", filter=Q(state=State.UNKNOWN)),
    "tokens": Coalesce(Sum("prompt_tokens"), 0) + Coalesce(Sum("completion_tokens"), 0),
    "spent": Coalesce(Sum("price"), 0),
}
"""What is counted of an endpoint's calls."""


class Shown(NamedTuple):
    """A call as the page shows it.

    row: its row, without the reply.
    purpose: what it was for, in words.
    kind: its badge.
    price: what it cost, in words; "" as long as that is not known.
    """

    row: Call
    purpose: str
    kind: str
    price: str


class Standing(NamedTuple):
    """How one endpoint stands.

    endpoint: as the settings describe it.
    place, prices: where it is, and what it costs, in words.
    honoured: what a probe found, each thing with its finding; none where none was made.
    problem: why the last probe found nothing.
    probed: when that was.
    pause: why nothing is sent to it now, "" where something would be.
    counts: calls, and how many were answered, unreadable, unknown; tokens.
    spent: in words.
    calls: the last ones, the latest first.
    """

    endpoint: Endpoint
    place: str
    prices: str
    honoured: list[tuple[str, str]]
    problem: str
    probed: datetime | None
    pause: str
    counts: Mapping[str, int]
    spent: str
    calls: list[Shown]

    @property
    def can_probe(self) -> bool:
        """Whether a page may probe it: weights are loaded by workers, never by the web."""
        return self.endpoint.kind != "checkpoint"


def standings() -> list[Standing]:
    """Return how each endpoint of the settings stands, in the order of the settings."""
    rows = {row.name: row for row in EndpointState.objects.annotate(now=Epoch())}
    counts = _counts()
    return [_standing(each, rows.get(each.name), counts.get(each.name, {})) for each in endpoints().values()]


def _standing(endpoint: Endpoint, row: Any, counts: Mapping[str, int]) -> Standing:
    last = Call.objects.filter(endpoint=endpoint.name).only(*SHOWN).order_by("-pk")[:LAST]
    found = probe.from_json(row.probe) if row is not None and row.probed else None
    return Standing(
        endpoint,
        wording.place(endpoint),
        wording.price_list(endpoint.prices),
        wording.honoured(found) if found and found.reached else [],
        found.problem if found else "",
        row.probed if row is not None else None,
        _pause(row) if row is not None else "",
        counts,
        wording.money(counts.get("spent", 0), endpoint.prices.currency),
        _shown(list(last), endpoint),
    )


def _shown(calls: Sequence[Call], endpoint: Endpoint) -> list[Shown]:
    """Return calls as the page shows them."""
    words, currency = purposes.told({call.purpose for call in calls}), endpoint.prices.currency
    return [
        Shown(
            call,
            words[call.purpose],
            BADGES.get(State(call.state), "off"),
            "" if call.price is None else wording.money(call.price, currency),
        )
        for call in calls
    ]


def _pause(row: Any) -> str:
    """Return why nothing is sent now."""
    if row.open_until > row.now:
        return (
            f"It failed {row.failures} times in a row and is left alone "
            f"for another {row.open_until - row.now:,.0f} s."
        )
    if row.open_until:
        return "It failed several times in a row; the next call is a trial."
    if row.not_before > row.now:
        return f"It asked to be left alone for another {row.not_before - row.now:,.0f} s."
    return ""


def _counts() -> dict[str, dict[str, int]]:
    """Return the calls and tokens of each endpoint, and what they cost."""
    rows = Call.objects.order_by().values_list("endpoint").annotate(**COUNTED)
    return {name: dict(zip(COUNTED, counts, strict=True)) for name, *counts in rows}
