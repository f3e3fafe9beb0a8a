"""What the reading page shows: one item, this reader's own progress, and nothing of anybody else.

Numbers are the reader's own: item 13 is the thirteenth they were given, and totals
count what there is for them. Nothing here looks at a colleague's row, at gold or at ranks.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Q, QuerySet

from annotation.assignment import remaining, shown_order
from annotation.forms import JudgmentForm
from annotation.models import Assignment, Enrolment, Judgment, Place, Role, State
from annotation.tasktypes.base import Invalid


class Reading(NamedTuple):
    """A judgment and the number its item has for this reader."""

    number: int
    judgment: Judgment


def item_context(
    assignment: Assignment,
    enrolment: Enrolment,
    *,
    form: JudgmentForm | None = None,
    error: Invalid | None = None,
    chosen: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """The context of `annotation/work.html`. `chosen` is the answer to show as chosen, if not the stored."""
    study, payload = assignment.study, assignment.item.payload
    current = Judgment.objects.current().filter(assignment=assignment, annotator=enrolment).first()
    own = sequence(enrolment)
    numbers = {each.pk: number for number, each in enumerate(own, 1)}
    number = numbers.get(assignment.pk, len(own) + 1)
    return {
        "assignment": assignment,
        "study": study,
        "task": study.task_type,
        "task_template": f"annotation/tasks/{study.task}.html",
        "shown": study.task_type.present(payload, shown_order(study, assignment.item, enrolment.pseudonym)),
        "chosen": chosen if chosen is not None else current.answer if current else None,
        "current": current,
        "next_revision": current.revision + 1 if current else 1,
        "form": form or JudgmentForm.blank(assignment, current),
        "error": error,
        "number": number,
        "progress": remaining(enrolment),
        "before": own[number - 2] if 1 < number <= len(own) else None,
        "open_item": next((each for each in own if each.status == Place.HELD and not each.put_off), None),
        "last": last_saved(enrolment, numbers),
        "guideline": study.latest_guideline(),
    }


def chosen_on(form: JudgmentForm, assignment: Assignment) -> dict[str, Any]:
    """The answer on a form that must be shown again, empty where there is none to be read from it."""
    try:
        return assignment.study.task_type.parse(assignment.item.payload, dict(form.data.items()))
    except Invalid:
        return {}


def sequence(enrolment: Enrolment) -> list[Assignment]:
    """The places this reader was given, in the order they were given."""
    own = enrolment.assignments.order_by("claimed", "pk")
    return list(own.only("pk", "status", "put_off", "study"))


def last_saved(enrolment: Enrolment, numbers: dict[int, int]) -> Reading | None:
    """What the page says was saved: read from the database, so it is never said of what is not there."""
    judgment = enrolment.judgments.order_by("-created", "-pk").first()
    if judgment is None or judgment.assignment_id not in numbers:
        return None
    return Reading(numbers[judgment.assignment_id], judgment)


def own_judgments(enrolment: Enrolment) -> QuerySet[Judgment]:
    """This reader's current judgments, the item they were given last first."""
    rows = Judgment.objects.current().filter(annotator=enrolment, assignment__annotator=enrolment)
    rows = rows.select_related("assignment__item", "assignment__study")
    return rows.order_by("-assignment__claimed", "-assignment__pk")


def numbered(enrolment: Enrolment, judgments: Iterable[Judgment]) -> list[Reading]:
    """The judgments with the numbers their items have for this reader."""
    numbers = {each.pk: number for number, each in enumerate(sequence(enrolment), 1)}
    return [Reading(numbers[each.assignment_id], each) for each in judgments]


def something_left(enrolment: Enrolment, now: datetime) -> bool:
    """Whether `next_place` would find something. Nothing is claimed, so the answer may be out of date."""
    if enrolment.study.state != State.OPEN or enrolment.role != Role.ANNOTATOR:
        return False
    if enrolment.assignments.filter(status=Place.HELD).exists():
        return True
    if enrolment.quota is not None and enrolment.assignments.count() >= enrolment.quota:
        return False
    free = Q(status=Place.FREE) | Q(status=Place.HELD, lease_until__lte=now)
    mine = enrolment.assignments.values("item")
    return Assignment.objects.filter(free, study=enrolment.study).exclude(item__in=mine).exists()


def why_nothing_left(enrolment: Enrolment) -> str:
    """The second half of “Nothing left for you, because …”."""
    study, progress = enrolment.study, remaining(enrolment)
    if study.state == State.CLOSED:
        return "the study is closed."
    if study.state == State.DRAFT:
        return "the study is not open yet."
    if enrolment.role != Role.ANNOTATOR:
        return "you do not read in this study."
    if progress.done >= progress.total:
        return (
            f"you have done all {progress.total} items."
            if progress.total != 1
            else "you have done its one item."
        )
    return "the items you have not seen have all the readings they need."
