"""Judgments → rows → lines. One query, one pass, in one order, whatever the number.

The export is the researchers': it names gold answers and where options came from. Of
the readers it knows the pseudonym only. Every revision is a row; `current` marks the
one that counts. JSONL is the lossless form; in CSV a text that a spreadsheet would
take for a formula gets an apostrophe in front.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple

from django.contrib.auth.models import User

from annotation.models import Event, Judgment, Study
from annotation.models.record import JudgmentQuerySet
from annotation.tasktypes.base import TaskType
from common.errors import BadInput
from common.tables import csv, json

FORMATS = {"jsonl": "application/x-ndjson", "csv": "text/csv"}
AT_ONCE = 2000
BEFORE = [
    *("study", "task", "item", "item_digest", "kind", "version", "replaced"),
    *("place", "pseudonym", "simulated"),
]
AFTER = [
    *("correct", "confidence", "basis", "reason", "note", "canonical", "shown", "active_seconds", "previews"),
    *("group_place", "neighbours"),
    *("guideline", "consent"),
]


class MachineShown(NamedTuple):
    """What a machine had to do with one judgment. `OF_MACHINE` has the same order.

    arm: blind, reveal or prefilled; empty where the study shows no machine.
    revealed_at, kept_at: when its answer was shown after the annotator's own, and when theirs was kept.
    seen: its answer, if it had been shown by then.
    stratum, stratum_size, stratum_drawn: of the item in the sample; None where it is in none.
    """

    arm: str
    revealed_at: datetime | None
    kept_at: datetime | None
    seen: dict[str, Any] | None
    stratum: str | None
    stratum_size: int | None
    stratum_drawn: int | None


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
    "assignment__item__payload",
    "assignment__item__gold",
    "assignment__item__provenance",
    "assignment__slot",
    "annotator__pseudonym",
    "annotator__simulated",
    "revision",
    "outcome",
    "answer",
    "confidence",
    "basis",
    "reason",
    "note",
    "order",
    "active_seconds",
    "previews",
    "assignment__group_place",
    "neighbours",
    "guideline__version",
    "consent_version",
    "channel",
    "created",
)
OF_MACHINE = (
    "assignment__arm",
    "assignment__revealed_at",
    "assignment__kept_at",
    "seen",
    "assignment__item__sampled__stratum",
    "assignment__item__sampled__stratum_size",
    "assignment__item__sampled__stratum_drawn",
)


def export(
    study: Study,
    format: str,  # noqa: A002 - the word people use
    *,
    by: User | None,
    every_kind: bool = False,
) -> Iterator[str]:
    """Return the study's judgments as lines of text, for a file or a streamed reply, and record an event.

    `every_kind`: with what was said of practice and check items. Raises `BadInput` for an unknown
    format, at once rather than at the first line.
    """
    if format not in FORMATS:
        raise BadInput(f"There is no export format “{format}”: use {' or '.join(FORMATS)}.")
    data: dict[str, Any] = {"format": format, "judgments": count(study, every_kind=every_kind)}
    data |= {"every_kind": True} if every_kind else {}
    Event.objects.create(study=study, actor=by, verb="export", data=data)
    return lines(rows(study, every_kind=every_kind), format, columns(study))


def count(study: Study, *, every_kind: bool = False) -> int:
    """Return how many rows there are now."""
    return judgments(study, every_kind).count()


def judgments(study: Study, every_kind: bool) -> JudgmentQuerySet:
    """Return the judgments to export as a query: those of the work, or of every kind of item."""
    found = Judgment.objects.filter(assignment__item__study=study)
    return found if every_kind else found.work()


def columns(study: Study) -> list[str]:
    """Return the names of the columns, in order; those of the answer are the task type's."""
    answer = list(task_columns(study))
    gold = [f"gold_{name}" for name in answer]
    usual = [*BEFORE, "revision", "current", "outcome", *answer, *gold, *AFTER, "door", "created"]
    return [*usual, *machine_columns(answer)] if study.shows_machine else usual


def machine_columns(answer: Iterable[str]) -> list[str]:
    """Return the columns that only studies have which show what a machine answered."""
    seen = [f"seen_{name}" for name in answer]
    return [
        "arm",
        "revealed_at",
        "kept_at",
        *seen,
        "differs",
        "stratum",
        "stratum_items",
        "stratum_drawn",
        "weight",
    ]


def task_columns(study: Study) -> dict[str, str]:
    """Return the columns that the task type gives an answer, by name, each with what it holds."""
    task = study.task_type
    if not task.shared:
        return task.meanings
    payload = study.items.order_by("number").values_list("payload", flat=True).first()
    return task.meanings_of(payload or task.example().payload)


def rows(study: Study, *, every_kind: bool = False) -> Iterator[dict[str, Any]]:
    """Yield each judgment of the study's work as a dict of `columns`, by item, slot and revision."""
    task, names = study.task_type, list(task_columns(study))
    for record, current in records(study, every_kind):
        yield row(study, task, names, record, current)


def records(study: Study, every_kind: bool) -> Iterator[tuple[JudgmentRecord, bool]]:
    """Yield each judgment, by item, slot and revision, and whether it is the reader's latest there.

    One query, read in portions, so memory does not grow and no other writer can come
    between two halves of the answer.
    """
    found = judgments(study, every_kind)
    found = found.order_by("assignment__item__number", "assignment__slot", "revision")
    read = map(as_record, found.values_list(*FIELDS, *OF_MACHINE).iterator(chunk_size=AT_ONCE))
    for record, after in with_next(read):
        yield record, after is None or after.assignment != record.assignment


def as_record(values: tuple[Any, ...]) -> JudgmentRecord:
    """Return a row of the query as a record."""
    n = len(FIELDS)
    return JudgmentRecord._make((*values[:n], MachineShown._make(values[n:])))


def with_next(records: Iterable[JudgmentRecord]) -> Iterator[tuple[JudgmentRecord, JudgmentRecord | None]]:
    """Yield each record with the one after it; the last revision at an assignment is the current one."""
    iterator = iter(records)
    before = next(iterator, None)
    while before is not None:
        after = next(iterator, None)
        yield before, after
        before = after


def row(
    study: Study, task: TaskType, names: list[str], record: JudgmentRecord, current: bool
) -> dict[str, Any]:
    """Return one record as a dict of `columns`."""
    answer = task.rows(record.payload, record.answer) if record.answer is not None else {}
    gold = task.rows(record.payload, record.gold) if record.gold is not None else {}
    correct = task.is_correct(record.answer, record.gold) if record.answer is not None else None
    return {
        "study": study.slug,
        "task": study.task,
        "item": record.item,
        "item_digest": record.item_digest,
        "kind": record.kind,
        "version": record.version,
        "replaced": record.retired is not None,
        "place": record.slot,
        "pseudonym": record.pseudonym,
        "simulated": record.simulated,
        "revision": record.revision,
        "current": current,
        "outcome": record.outcome,
        **{name: answer.get(name) for name in names},
        **{f"gold_{name}": gold.get(name) for name in names},
        "correct": correct,
        "confidence": record.confidence,
        "basis": record.basis,
        "reason": record.reason,
        "note": record.note,
        "canonical": origins(record.provenance),
        "shown": record.order,
        "active_seconds": record.active_seconds,
        "previews": record.previews,
        "group_place": record.group_place,
        "neighbours": record.neighbours,
        "guideline": record.guideline,
        "consent": record.consent,
        "door": record.channel,
        "created": moment(record.created),
        **(of_machine(task, names, record) if study.shows_machine else {}),
    }


def of_machine(task: TaskType, names: list[str], record: JudgmentRecord) -> dict[str, Any]:
    """Return what a machine had to do with one record, as a dict of `machine_columns`."""
    shown = record.shown
    seen = task.rows(record.payload, shown.seen) if shown.seen is not None else {}
    differs = None
    if shown.seen is not None and record.answer is not None:
        differs = task.numbers_of_answer(record.answer) != task.numbers_of_answer(shown.seen)
    weight = shown.stratum_size / shown.stratum_drawn if shown.stratum_size and shown.stratum_drawn else None
    return {
        "arm": shown.arm,
        "revealed_at": moment(shown.revealed_at),
        "kept_at": moment(shown.kept_at),
        **{f"seen_{name}": seen.get(name) for name in names},
        "differs": differs,
        "stratum": shown.stratum,
        "stratum_items": shown.stratum_size,
        "stratum_drawn": shown.stratum_drawn,
        "weight": weight,
    }


def moment(at: datetime | None) -> str | None:
    """Return a moment as files have it, in UTC; None for none."""
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z") if at is not None else None


def origins(provenance: dict[str, Any]) -> list[dict[str, Any]] | None:
    """Return where each option came from, in canonical order: a passage or a number in the file."""
    filed = provenance.get("file_order")
    return [{"file": number} for number in filed] if filed else provenance.get("options")


def lines(rows: Iterable[dict[str, Any]], format: str, columns: Iterable[str] = ()) -> Iterator[str]:  # noqa: A002
    """Yield the rows as lines with their ends. `columns`: the header of CSV, also where there is no row."""
    return csv.lines(rows, columns, "\r\n") if format == "csv" else map(json.line, rows)
