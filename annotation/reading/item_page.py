"""What the reading page shows: one item, this reader's own progress, and nothing of anybody else.

Numbers are the reader's own: item 13 is the thirteenth they were given, and totals
count what there is for them. Nothing here looks at a colleague's row, at gold or at ranks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models import QuerySet

from annotation.assignment import along, arms, groups
from annotation.assignment.claiming import order_at
from annotation.assignment.holding import IS_HELD
from annotation.judging import conflicts, drafts, messages, taking_back
from annotation.models import Assignment, AssignmentStatus, Enrolment, Judgment, Kind, Outcome
from annotation.reading import neighbours
from annotation.reading.forms import JudgmentForm
from annotation.reading.given import assignments_given, beside_item, given_before
from annotation.reading.source import may_be_read
from annotation.studies import guidelines
from annotation.studies.running.adding import last_addition
from annotation.tasktypes.base import Answer, Invalid, TaskType

ANNOUNCEMENT = "annotation/group.html"


class NumberedJudgment(NamedTuple):
    """A judgment as its reader sees it.

    number: of the item for this reader.
    judgment: the current one.
    earlier: its earlier revisions, the latest first.
    """

    number: int
    judgment: Judgment
    earlier: Sequence[Judgment] = ()


def item_context(
    assignment: Assignment,
    enrolment: Enrolment,
    *,
    form: JudgmentForm | None = None,
    error: Invalid | None = None,
    chosen: dict[str, Any] | None = None,
    saved: Judgment | None = None,
    told: guidelines.GuidelineNews | None = None,
) -> dict[str, Any]:
    """Return the context of `annotation/work.html`, with answers in positions, as this reader sees them.

    `chosen`: the answer to show, if not the stored one; `saved`: stored just now; `told`: the guidelines.
    """
    study, payload, order = assignment.study, assignment.item.payload, order_at(assignment, enrolment)
    task = study.task_type
    told = told or guidelines.guideline_news(enrolment)
    is_mine = assignment.annotator_id == enrolment.pk
    held = is_mine and assignment.status == AssignmentStatus.HELD
    current = None if held else judged_at(assignment, enrolment)
    back, revision = taking_back.taken_back_at(assignment, enrolment)
    # An assignment whose lease ran out may be a colleague's by now, with a draft of theirs.
    draft = is_mine and form is None and drafts.typed_fields(assignment)
    machine = arms.machine_at(assignment) if is_mine else None
    stands = current or back
    if chosen is None:
        chosen = (draft and drafts.answer_in_draft(assignment, order)) or chosen_before(stands, machine)
    return {
        "assignment": assignment,
        "study": study,
        "task": task,
        "task_template": f"annotation/tasks/{study.task}.html",
        "shown": task.present(payload, order),
        "chosen": chosen and task.as_shown(chosen, order),
        "wanting": refusal_of_nothing(task, payload, order),
        "current": current,
        **of_machine(task, machine, current.answer if current else chosen),
        "draft": draft or {},
        "form": form or JudgmentForm.blank(assignment, stands, revision=revision),
        "taken_back": back,
        "error": error,
        "guideline": told.guideline,
        "guideline_news": told.news,
        "group": groups.group_progress(assignment.item, enrolment, assignment.group_place),
        **_among_others(assignment, enrolment, current, saved, is_mine=is_mine),
    }


def chosen_before(current: Judgment | None, machine: arms.Machine | None) -> Answer | None:
    """Return the answer that stands before the reader chooses: theirs, else a machine’s that is shown."""
    if current is not None:
        return current.answer
    return machine.answer if machine is not None else None


def of_machine(task: TaskType, machine: arms.Machine | None, answer: Answer | None) -> dict[str, Any]:
    """Return what a machine answered, and whether the reader's answer, else what is chosen so far, is the
    same as reports count it.
    """
    if machine is None or not answer:
        return {"machine": machine, "same": False}
    # What one button says cannot be filled in below.
    by_button = any(machine.answer.get(each.field) for each in task.plain_answers)
    same = task.says_the_same(answer, machine.answer)
    return {"machine": machine, "same": same, "by_button": by_button}


def comes_first(assignment: Assignment, reader: Enrolment) -> dict[str, Any]:
    """Return what a reader must see before the item, as the context of its page: that its group begins."""
    return {"part": ANNOUNCEMENT} if groups.is_to_announce(assignment, reader) else {}


def _among_others(
    assignment: Assignment,
    reader: Enrolment,
    current: Judgment | None,
    saved: Judgment | None,
    *,
    is_mine: bool,
) -> dict[str, Any]:
    """Return where the item stands among those the reader was given, the ways from it to others, and what was
    written about it.
    """
    beside = beside_item(assignment, reader, is_mine=is_mine)
    judged, before, is_open = current is not None, beside.before, assignment.study.is_open
    thread, replies = messages.thread_at_item(assignment.item, reader, beside.messages, judged=judged)
    number = before.so_far + 1 if before else 1
    return {
        "thread": thread,
        "replies": replies,
        "number": number,
        "progress": beside.progress,
        "along": along.how_many(beside.progress),
        "practice": assignment.item.kind == Kind.PRACTICE,
        "before": before,
        "neighbours": neighbours.offered(assignment.item, assignment.study),
        "in_book": current is not None and may_be_read(assignment),
        # A page shows the way back to where one was, or what was saved before.
        "open_item": open_item(assignments_given(reader, assignment.item.kind))
        if current and is_open
        else None,
        "last": None if current else last_saved(reader, {before.pk: number - 1} if before else {}, saved),
    }


def open_item(own: QuerySet[Assignment]) -> Assignment | None:
    """Return the assignment this reader holds and has not put off, or None."""
    return own.filter(IS_HELD, put_off=None).order_by("claimed", "pk").only("pk").first()


def refusal_of_nothing(task: TaskType, payload: dict[str, Any], order: Sequence[int]) -> str:
    """Return the message for a form without an answer; the page shows it without asking the server."""
    try:
        task.read(payload, {}, order)
    except Invalid as nothing:
        return str(nothing)
    return ""


def chosen_on(form: JudgmentForm, assignment: Assignment, order: Sequence[int]) -> dict[str, Any]:
    """Return the answer on a form that must be shown again; empty where none can be read from it."""
    return assignment.study.task_type.begun(assignment.item.payload, dict(form.data.items()), order) or {}


def both_windows(
    assignment: Assignment, reader: Enrolment, sent: Mapping[str, Any], judged: Judgment | None
) -> conflicts.BothWindows:
    """Return what another window holds (a judgment, else the draft) and what this one sent."""
    task, order = assignment.study.task_type, order_at(assignment, reader)
    if judged is not None:
        other = conflicts.state_of_judgment(judged)
    else:
        other = conflicts.state_of_form(
            drafts.typed_fields(assignment),
            drafts.answer_in_draft(assignment, order),
            at=assignment.draft_saved,
        )
    answer = task.begun(assignment.item.payload, dict(sent.items()), order)
    acts = ("undecided", "broken", *(each.field for each in task.plain_answers))
    field = next((name for name in acts if name in sent), "answer")
    return conflicts.BothWindows(other, conflicts.state_of_form(sent, answer), field, sent.get(field, "1"))


def judged_at(assignment: Assignment, enrolment: Enrolment) -> Judgment | None:
    """Return this reader's current judgment at the assignment, or None."""
    return Judgment.objects.current().filter(assignment=assignment, annotator=enrolment).first()


def last_saved(
    enrolment: Enrolment, numbers: dict[int, int] | None = None, judgment: Judgment | None = None
) -> NumberedJudgment | None:
    """Return the judgment that the page says was saved, read from the database.

    `numbers` of assignments that are known already spare counting, and the `judgment` that was
    stored just now spares the search.
    """
    if judgment is None:
        latest = enrolment.judgments.order_by("-created", "-pk").select_related("assignment__item")
        judgment = latest.annotate(items_added=last_addition(enrolment.study)).first()
    if judgment is None or judgment.assignment.annotator_id != enrolment.pk:
        return None
    if judgment.assignment.item.kind == Kind.PRACTICE or judgment.outcome == Outcome.TAKEN_BACK:
        return None
    number = (numbers or {}).get(judgment.assignment_id)
    if number is None:
        number = (
            assignments_given(enrolment)
            .filter(given_before(judgment.assignment.claimed, judgment.assignment.pk))
            .count()
            + 1
        )
    return NumberedJudgment(number, judgment)


def own_judgments(enrolment: Enrolment) -> QuerySet[Judgment]:
    """Return this reader's current judgments, the item they were given last first."""
    rows = Judgment.objects.current().filter(annotator=enrolment, assignment__annotator=enrolment)
    rows = rows.exclude(assignment__item__kind=Kind.PRACTICE)
    rows = rows.select_related("assignment__item", "assignment__study")
    return rows.order_by("-assignment__claimed", "-assignment__pk")


def own_numbers(enrolment: Enrolment) -> dict[int, int]:
    """Return all of this reader's assignments with their numbers, counted once for all of them."""
    own = assignments_given(enrolment).order_by("claimed", "pk").values_list("pk", flat=True)
    return {pk: number for number, pk in enumerate(own, 1)}


def with_numbers(
    enrolment: Enrolment, judgments: Iterable[Any], numbers: dict[int, int]
) -> list[NumberedJudgment]:
    """Return the judgments of `own_judgments` with their numbers and earlier revisions."""
    judgments, earlier = list(judgments), defaultdict(list)
    revised = [each.assignment_id for each in judgments if each.revision > 1]
    before = Judgment.objects.filter(annotator=enrolment, assignment__in=revised).order_by("-revision")
    for each in before.select_related("assignment__item") if revised else ():
        earlier[each.assignment_id].append(each)
    return [
        NumberedJudgment(numbers[each.assignment_id], each, earlier[each.assignment_id][1:])
        for each in judgments
    ]
