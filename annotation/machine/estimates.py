"""What a job would ask, cost and take, before it starts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from django.db.models import Avg

from annotation.machine import plan, prompts, replies
from annotation.machine.instructions import instructions_in
from annotation.models import MachineReader
from annotation.models.work import ItemQuerySet
from common.chat import Request
from common.errors import BadInput
from common.texts.result_cache import digest_of, results
from machines import endpoints
from machines.client.endpoint import Endpoint
from machines.ledger import Estimate, estimate
from machines.models import Call, State

SAMPLE = 300
"""Readings whose requests are made to estimate; of more a sample stands for all."""
RECENT = 200


class Expected(NamedTuple):
    """What the readings that are missing take.

    readings: how many.
    cost: calls, tokens and price, at most.
    sampled: of how many readings that was computed; as many as `readings` where of all.
    seconds: until they are read, as fast as the endpoint was lately and is allowed; None: it was never asked.
    currency: of the price.
    """

    readings: int
    cost: Estimate
    sampled: int
    seconds: float | None
    currency: str


def expected(reader: MachineReader) -> Expected:
    """Return what the missing readings take. Raises `BadInput` where the endpoint is not there."""
    endpoint = endpoints.find(reader.endpoint)
    missing = plan.missing(reader)
    sample = spread(missing)
    found = estimate(endpoint, requests(reader, sample), f"{reader.study.task} {replies.PARSER}")
    times = len(missing) / len(sample) if sample else 1.0
    cost = Estimate(
        *(round(each * times) for each in (
            found.calls, found.prompt_tokens, found.completion_tokens, found.micro_units, found.cached
        ))
    )  # fmt: skip
    return Expected(len(missing), cost, len(sample), seconds(endpoint, cost.calls), endpoint.prices.currency)


def spread(wanted: list[plan.Wanted]) -> list[plan.Wanted]:
    """Return all of a few readings; of more than `SAMPLE` as many as that, at equal steps."""
    n = min(SAMPLE, len(wanted))
    return [wanted[place * len(wanted) // n] for place in range(n)]


def requests(reader: MachineReader, wanted: Sequence[plan.Wanted]) -> Iterator[Request]:
    """Yield the requests of these readings."""
    items = reader.study.items.in_bulk({each.item for each in wanted})
    for each in wanted:
        item = items[each.item]
        item.study = reader.study
        order = plan.order_of(reader, item, each.order)
        yield prompts.request(reader, reader.study.task_type, item.payload, order, each.replicate)


def seconds(endpoint: Endpoint, calls: int) -> float | None:
    """Return how long so many calls take, by the time of the latest and by what is allowed in a minute."""
    lately = Call.objects.filter(endpoint=endpoint.name, state=State.ANSWERED).order_by("-pk")[:RECENT]
    mean = Call.objects.filter(pk__in=list(lately.values_list("pk", flat=True))).aggregate(
        mean=Avg("milliseconds")
    )["mean"]
    allowed = calls * 60 / endpoint.rpm if endpoint.rpm else 0.0
    if mean is None:
        return allowed if endpoint.rpm else None
    return max(allowed, calls * float(mean) / 1000 / endpoint.concurrency)


def like_instructions(reader: MachineReader) -> list[tuple[int, list[str]]]:
    """Return the items whose texts look like an instruction, by number, with the patterns found.

    Kept in the memory of the process until a text is changed: pages ask for it again and again.
    """
    rows = plan.items(reader).order_by("number")
    texts = digest_of((reader.study_id, *rows.values_list("number", "texts_digest")))
    return results.get(f"like instructions {texts}", lambda: _like_instructions(rows))


def _like_instructions(rows: ItemQuerySet) -> list[tuple[int, list[str]]]:
    every = rows.values_list("number", "payload").iterator(chunk_size=500)
    found = ((number, instructions_in(payload)) for number, payload in every)
    return [(number, names) for number, names in found if names]


def known(reader: MachineReader) -> bool:
    """Return whether the reader's endpoint is still among those that the installation allows."""
    try:
        endpoints.find(reader.endpoint)
    except BadInput:
        return False
    return True
