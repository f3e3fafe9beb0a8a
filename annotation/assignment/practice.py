"""Practice: items with feedback before the work, until the pass mark is reached.

The first answer counts: after it the reader has seen the right one. Nothing said in
practice is in any number of the study.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import QuerySet

from annotation.models import Enrolment, Event, Item, Judgment, Kind


class PracticeProgress(NamedTuple):
    """How far one reader's practice is.

    items: practice items there are.
    answered: how many they answered.
    right: how many rightly.
    wanted: how many must be right.
    """

    items: int
    answered: int
    right: int
    wanted: int


def is_before_work(me: Enrolment) -> bool:
    """Return whether this reader still has to practise."""
    return me.practised is None and not me.simulated and items(me).exists()


def items(me: Enrolment) -> QuerySet[Item]:
    """Return the practice items of the study, by number."""
    return me.study.items.given().filter(kind=Kind.PRACTICE).order_by("number")


def next_item(me: Enrolment) -> Item | None:
    """Return a practice item this reader has not met, or None."""
    return items(me).exclude(assignments__annotator=me).first()


def practice_progress(me: Enrolment) -> PracticeProgress:
    """Return how far the practice has come."""
    n = items(me).count()
    firsts = Judgment.objects.filter(annotator=me, revision=1, assignment__item__kind=Kind.PRACTICE)
    said = list(firsts.select_related("assignment__item"))
    right = sum(is_right(each) for each in said)
    wanted = me.study.pass_mark if me.study.pass_mark is not None else 0
    return PracticeProgress(n, len(said), right, wanted)


def is_right(judgment: Judgment) -> bool:
    """Return whether a practice answer is the right one. Who could not decide was not right."""
    task, item = judgment.assignment.study.task_type, judgment.assignment.item
    return judgment.answer is not None and bool(task.is_correct(judgment.answer, item.gold))


class Feedback(NamedTuple):
    """What a reader is told after a practice answer.

    right: whether it was right.
    expected: the right answer.
    explanation: why.
    standing: how far the practice is.
    done: whether the work begins now.
    """

    right: bool
    expected: Any
    explanation: str
    standing: PracticeProgress
    done: bool


def feedback(judgment: Judgment) -> Feedback:
    """Return the feedback on a judgment of a practice item."""
    item, me = judgment.assignment.item, judgment.annotator
    told = str(item.provenance.get("explanation", ""))
    return Feedback(is_right(judgment), item.gold, told, practice_progress(me), me.practised is not None)


def practice_failed(me: Enrolment) -> bool:
    """Return whether practice is over for this reader without the pass mark."""
    return is_before_work(me) and next_item(me) is None


def record_pass(me: Enrolment, *, now: datetime) -> bool:
    """Store that the reader has passed practice, if this answer made it so; return whether it did."""
    at = practice_progress(me)
    # Without a pass mark practice is there to be seen: it ends with its last item.
    passed = at.right >= at.wanted if me.study.pass_mark is not None else at.answered >= at.items
    if not passed or not Enrolment.objects.filter(pk=me.pk, practised=None).update(practised=now):
        return False
    me.practised = now
    data = {"pseudonym": me.pseudonym, "right": at.right, "answered": at.answered}
    Event.objects.create(study=me.study, actor_id=me.user_id, verb="practised", data=data)
    return True
