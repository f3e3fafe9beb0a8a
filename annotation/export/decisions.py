"""Decisions → rows → lines: what adjudicators decided, every revision, in a file of its own."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Max, QuerySet

from annotation.export.judgments import AT_ONCE, FORMATS, lines, task_columns
from annotation.models import Decision, Judgment, Study
from annotation.record.exporting import note_export
from common.errors import BadInput

BEFORE = ["study", "task", "item", "item_digest", "version", "revision", "current", "settled"]
AFTER = ["correct", "adopted", "readings", "same", "reason", "adjudicator", "created"]


def export(study: Study, format: str, *, by: User | None) -> Iterator[str]:  # noqa: A002 - the word people use
    """Return the study's decisions as lines of text, and record it. Raises `BadInput` for a wrong format."""
    if format not in FORMATS:
        raise BadInput(f"There is no export format “{format}”: use {' or '.join(FORMATS)}.")
    data = {"format": format, "decisions": count(study)}
    note_export(study, by=by, **data)
    return lines(rows(study), format, columns(study))


def count(study: Study) -> int:
    """Return how many rows there are now."""
    return decisions(study).count()


def decisions(study: Study) -> QuerySet[Decision]:
    """Return the study's decisions as a query."""
    return Decision.objects.filter(item__study=study).order_by("item__number", "revision")


def columns(study: Study) -> list[str]:
    """Return the names of the columns, in order; those of the answer are the task type's."""
    return [*BEFORE, *task_columns(study), *AFTER]


def rows(study: Study) -> Iterator[dict[str, Any]]:
    """Yield each decision as a dict of `columns`, by item and revision.

    Decisions that come in while the file is written are left out, so that no item has two that are current.
    """
    task, names = study.task_type, task_columns(study)
    last = decisions(study).aggregate(last=Max("pk"))["last"] or 0
    found = decisions(study).filter(pk__lte=last)
    latest = dict(found.values_list("item", "revision"))
    # What is decided is the verdict: two readers who marked other words may both have given it.
    judged = Judgment.objects.filter(item__study=study).exclude(answer=None).values_list("pk", "answer")
    said = {key: task.verdict(given) for key, given in judged if given is not None}
    for each in found.select_related("item", "adjudicator").iterator(chunk_size=AT_ONCE):
        answer = task.rows(each.item.payload, each.answer) if each.answer is not None else {}
        same = None if each.answer is None else sum(said.get(key) == each.answer for key in each.seen)
        yield {
            "study": study.slug,
            "task": study.task,
            "item": each.item.number,
            "item_digest": each.item.digest,
            "version": each.item.version,
            "revision": each.revision,
            "current": each.revision == latest[each.item_id],
            "settled": each.answer is not None,
            **{name: answer.get(name) for name in names},
            "correct": task.is_correct(each.answer, each.item.gold) if each.answer is not None else None,
            "adopted": each.adopted is not None,
            "readings": len(each.seen),
            "same": same,
            "reason": each.reason,
            "adjudicator": each.adjudicator.pseudonym,
            "created": each.created.astimezone(UTC).isoformat().replace("+00:00", "Z"),
        }
