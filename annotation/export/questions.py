"""The questions of a study's judgments: one row a question, for tasks whose answers have several parts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.contrib.auth.models import User

from annotation.export.judgments import FORMATS, lines, records
from annotation.models import Study
from annotation.record.exporting import note_export
from common.errors import BadInput

COLUMNS = {
    "study": "the study’s short name",
    "item": "the item’s number in the study",
    "pseudonym": "the reader",
    "simulated": "whether the reader is a program",
    "revision": "1 for the first answer, higher for each change",
    "current": "whether this is the reader’s latest revision, not taken back: the only one that numbers use",
    "question": "the question’s key",
    "value": "what was said; empty where nothing was",
    "state": "answered, empty or not_asked",
    "start": "of a stretch of the text: its first code point, from 0; else empty",
    "end": "the code point behind its last",
}


def has_questions(study: Study) -> bool:
    """Return whether answers of this study's task have several parts."""
    task = study.task_type
    payload = study.items.order_by("number").values_list("payload", flat=True).first()
    return bool(task.parts(payload or task.example().payload, {}))


def export(study: Study, format: str, *, by: User | None, every_kind: bool = False) -> Iterator[str]:  # noqa: A002
    """Return the questions as lines of text, and record an event; what was no answer has no rows.

    Raises `BadInput` for an unknown format, and for a task whose answers have one part.
    """
    if format not in FORMATS:
        raise BadInput(f"There is no export format “{format}”: use {' or '.join(FORMATS)}.")
    if not has_questions(study):
        raise BadInput(f"An answer of the task “{study.task}” is one: export the judgments.")
    note_export(study, by=by, format=format, what="questions")
    return lines(rows(study, every_kind=every_kind), format, COLUMNS)


def rows(study: Study, *, every_kind: bool = False) -> Iterator[dict[str, Any]]:
    """Yield each question of each answer as a dict of `COLUMNS`, by item, slot and revision."""
    for record, current in records(study, every_kind):
        if record.answer is None:
            continue
        for part in study.task_type.parts(record.payload, record.answer):
            yield {
                "study": study.slug,
                "item": record.item,
                "pseudonym": record.pseudonym,
                "simulated": record.simulated,
                "revision": record.revision,
                "current": current,
                **part._asdict(),
            }
