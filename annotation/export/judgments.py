"""Judgments → rows → lines. One query, one pass, in one order, whatever the number.

The export is the researchers': it names gold answers and where options came from. Of
the readers it knows the pseudonym only. Every revision is a row; `current` marks the
one that counts, and none where an answer was taken back. JSONL is the lossless form; in
CSV a text that a spreadsheet would take for a formula gets an apostrophe in front.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from django.contrib.auth.models import User

from annotation.export.machine_seen import machine_columns, moment, of_machine
from annotation.export.record import COLUMNS, JudgmentRecord, as_record
from annotation.models import Judgment, Kind, Outcome, Study
from annotation.models.record import JudgmentQuerySet
from annotation.record.exporting import note_export
from annotation.tasktypes.base import TaskType
from common.errors import BadInput
from common.tables import csv, json

FORMATS = {"jsonl": "application/x-ndjson", "csv": "text/csv"}
AT_ONCE = 2000
Each = TypeVar("Each")
BEFORE = [
    *("study", "task", "item", "item_digest", "kind", "version", "replaced"),
    *("place", "pseudonym", "simulated"),
]
AFTER = [
    *("correct", "confidence", "basis", "reason", "note", "canonical", "shown", "active_seconds", "previews"),
    *("group_place", "neighbours"),
    *("guideline", "consent"),
]


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
    note_export(study, by=by, **data)
    return lines(rows(study, every_kind=every_kind), format, columns(study))


def count(study: Study, *, every_kind: bool = False) -> int:
    """Return how many rows there are now, by fewer tables than they are read from: the first line waits."""
    found = Judgment.objects.filter(item__study=study)
    return (found if every_kind else found.filter(item__kind=Kind.WORK)).count()


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
    read = map(as_record, found.values_list(*COLUMNS).iterator(chunk_size=AT_ONCE))
    for record, after in with_next(read):
        last = after is None or after.assignment != record.assignment
        yield record, last and record.outcome != Outcome.TAKEN_BACK


def with_next(records: Iterable[Each]) -> Iterator[tuple[Each, Each | None]]:
    """Yield each record with the one after it; None after the last."""
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
        **(
            of_machine(task, names, record.payload, record.answer, record.shown)
            if study.shows_machine
            else {}
        ),
    }


def origins(provenance: dict[str, Any]) -> list[dict[str, Any]] | None:
    """Return where each option came from, in canonical order: a passage or a number in the file."""
    filed = provenance.get("file_order")
    return [{"file": number} for number in filed] if filed else provenance.get("options")


def lines(rows: Iterable[dict[str, Any]], format: str, columns: Iterable[str] = ()) -> Iterator[str]:  # noqa: A002
    """Yield the rows as lines with their ends. `columns`: the header of CSV, also where there is no row."""
    return csv.lines(rows, columns, "\r\n") if format == "csv" else map(json.line, rows)
