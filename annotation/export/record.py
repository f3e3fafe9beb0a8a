"""One judgment as an export reads it from the database, and the columns it is read from.

JSON comes as text: an item's stands in the row of each of its judgments, and of a million answers few are
different, so that each text is parsed once.
"""

from __future__ import annotations

import json
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from django.db.models import TextField
from django.db.models.functions import Cast

from annotation.export.machine_seen import OF_MACHINE, MachineShown


class JudgmentRecord(NamedTuple):
    """One judgment as the query returns it, with its item and its assignment. `FIELDS` has the same order.

    assignment: primary key of the assignment.
    item: number of the item in the study.
    item_digest: SHA-256 of what the item shows.
    kind: work, practice or check.
    version: version of the item, from 1.
    retired: when a newer version replaced the item; None while it is current.
    payload: the item's payload.
    gold: the right answer; None where it is not known.
    provenance: where the item and its options came from.
    slot: number of the assignment at its item, from 1.
    pseudonym: the annotator's name in this study.
    simulated: whether a program answered.
    revision: 1 for the first answer at the assignment, one more for each change.
    outcome: answer, undecided or broken.
    answer: the answer in canonical terms; None without one.
    confidence: how sure the annotator was, 1 to 5; None where it was not said.
    basis: recognised, worked out or guessed; empty where it was not said.
    reason: why there is no answer; empty beside one.
    note: what the annotator wrote with it.
    order: canonical option numbers in the order that was shown.
    active_seconds: seconds the page was in front of the annotator; None where nobody counted.
    previews: how often a passage was read in the gap.
    group_place: which of its group the item was for this annotator, from 1; None without groups.
    neighbours: which neighbours of the document were open by then, -1 and 1; None where none could be.
    guideline: version of the guidelines at that time; None where there were none.
    consent: version of the consent the annotator had given; None without one.
    channel: web, api or simulation.
    created: when it was stored.
    shown: what a machine answered, and when the annotator saw it.
    """

    assignment: int
    item: int
    item_digest: str
    kind: str
    version: int
    retired: datetime | None
    payload: dict[str, Any]
    gold: dict[str, Any] | None
    provenance: dict[str, Any]
    slot: int
    pseudonym: str
    simulated: bool
    revision: int
    outcome: str
    answer: dict[str, Any] | None
    confidence: int | None
    basis: str
    reason: str
    note: str
    order: list[int]
    active_seconds: float | None
    previews: int
    group_place: int | None
    neighbours: list[int] | None
    guideline: int | None
    consent: int | None
    channel: str
    created: datetime
    shown: MachineShown


FIELDS = (
    "assignment_id",
    "assignment__item__number",
    "assignment__item__digest",
    "assignment__item__kind",
    "assignment__item__version",
    "assignment__item__retired",
    Cast("assignment__item__payload", TextField()),
    Cast("assignment__item__gold", TextField()),
    Cast("assignment__item__provenance", TextField()),
    "assignment__slot",
    "annotator__pseudonym",
    "annotator__simulated",
    "revision",
    "outcome",
    Cast("answer", TextField()),
    "confidence",
    "basis",
    "reason",
    "note",
    Cast("order", TextField()),
    "active_seconds",
    "previews",
    "assignment__group_place",
    Cast("neighbours", TextField()),
    "guideline__version",
    "consent_version",
    "channel",
    "created",
)
COLUMNS = (*FIELDS, *OF_MACHINE)
"""What the query asks for."""


@lru_cache(2000)
def answered(text: str | None) -> Any:
    """Return the JSON value of an answer, an order or neighbours; it is shared, and not to be changed."""
    return None if text is None else json.loads(text)


@lru_cache(8)
def of_item(text: str | None) -> Any:
    """Return the JSON value of something large of an item; its judgments come one after the other."""
    return None if text is None else json.loads(text)


def as_record(values: tuple[Any, ...]) -> JudgmentRecord:
    """Return a row of the query, with `COLUMNS`, as a record."""
    n = len(FIELDS)
    found = JudgmentRecord._make((*values[:n], MachineShown._make(values[n:])))
    texts: Any = found
    return found._replace(
        payload=of_item(texts.payload),
        gold=answered(texts.gold),
        provenance=of_item(texts.provenance),
        answer=answered(texts.answer),
        order=answered(texts.order),
        neighbours=answered(texts.neighbours),
    )
