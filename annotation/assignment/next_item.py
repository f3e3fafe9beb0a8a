"""Look for the assignment a reader is given next; `claiming` claims it."""

from __future__ import annotations

from datetime import datetime
from functools import partial

from django.db.models import BigIntegerField, DateTimeField, Exists, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.expressions import RawSQL
from django.db.models.functions import Coalesce
from django.db.models.lookups import GreaterThan

from annotation.assignment import groups
from annotation.assignment.holding import before, holds_item
from annotation.models import Assignment, AssignmentStatus, Enrolment, Filling, Kind
from common.composed import Composed, Given, Question

ITEM_KEY = RawSQL("annotation_item.id", (), output_field=BigIntegerField())
"""Django writes the assignment's own column wherever the key of its item is asked for."""


def asked_beyond(me: Enrolment) -> list[Question]:
    """Return the question that `free_assignment` begins with, for a reader who holds nothing; none where it
    begins otherwise, or a check item may come first.
    """
    study = me.study
    otherwise = study.check_every or study.task_type.has_groups or study.filling == Filling.BREADTH
    if otherwise or me.most_work is not None:
        return []
    return [BEYOND[True, True].asked(study=me.study_id, me=me.pk)]


def free_assignment(
    me: Enrolment,
    now: datetime,
    *,
    locked: bool = True,
    beside_others: bool = False,
    beyond: Assignment | None = None,
) -> Assignment | None:
    """Return an assignment worth claiming, changing nothing. With `locked`, where rows can be, nobody else
    gets it, and who holds one gets none unless it may stand `beside_others`. `beyond`: what `asked_beyond`
    has found already.

    Items in depth: readers go upwards through them, so beyond the furthest they have
    been nothing is theirs and one step in an index finds an assignment. Only after that are
    those looked for that came free behind them, or that somebody let lapse. In breadth
    the lowest slot of any item comes first. Items that are read in groups: as `groups` says.
    """
    quota = me.most_work
    if quota is not None and me.assignments.work().count() >= quota:
        return None
    alone = locked and not beside_others
    if me.study.task_type.has_groups:
        if alone and holds_item(me):
            return None
        found = (AT_ITEM[locked].first(item=item.pk, now=now) for item in groups.next_items(me, now))
        return next(filter(None, found), None)
    in_breadth = me.study.filling == Filling.BREADTH
    if not in_breadth:
        beyond = beyond or BEYOND[locked, alone].first(study=me.study_id, me=me.pk)
        if beyond is not None:
            return beyond
    if alone and holds_item(me):
        return None
    if not in_breadth and me.assignments.work().count() >= me.study.items.work().count():
        return None
    rows = claimable_assignments(locked).filter(study=me.study)
    rows = rows.order_by("slot", "item_id") if in_breadth else rows.order_by("item_id", "slot")
    elsewhere = ~Exists(Assignment.objects.filter(annotator=me, item=OuterRef("item_id")))
    free = rows.filter(elsewhere, status=AssignmentStatus.FREE).first()
    return (
        free
        or rows.filter(
            elsewhere, status=AssignmentStatus.HELD, lease_until__lte=now, item__kind=Kind.WORK
        ).first()
    )


def claimable_assignments(locked: bool) -> QuerySet[Assignment]:
    """Return the assignments at items that may be given to readers, with the items."""
    rows = Assignment.objects.filter(item__quarantined=None, item__retired=None).select_related("item")
    return rows.select_for_update(of=("self",), no_key=True, skip_locked=True) if locked else rows


def first_beyond(locked: bool, alone: bool) -> QuerySet[Assignment]:
    """Return the first free assignment behind the furthest item that the reader has been at.

    With `alone` for a reader who holds none: one query says both.
    """
    own = Assignment.objects.work().filter(annotator=Given("me"))
    furthest = Coalesce(Subquery(own.order_by("-item_id").values("item_id")[:1]), Value(0))
    rows = claimable_assignments(locked).filter(study=Given("study"), status=AssignmentStatus.FREE)
    # Said of both tables: PostgreSQL may walk them side by side, and would begin with the study's first item.
    rows = rows.filter(item_id__gt=furthest).filter(GreaterThan(ITEM_KEY, furthest))
    rows = rows.filter(~Exists(before(Given("me")))) if alone else rows
    return rows.order_by("item_id", "slot")[:1]


def first_at_item(locked: bool) -> QuerySet[Assignment]:
    """Return the first assignment at an item that is free, else one whose lease ran out."""
    lapsed = Q(status=AssignmentStatus.HELD, lease_until__lte=Given("now", DateTimeField()))
    rows = claimable_assignments(locked).filter(Q(status=AssignmentStatus.FREE) | lapsed, item=Given("item"))
    return rows.order_by("status", "slot")[:1]


AT_ITEM = {locked: Composed(partial(first_at_item, locked)) for locked in (False, True)}
BEYOND = {
    (locked, alone): Composed(partial(first_beyond, locked, alone))
    for locked, alone in ((False, False), (True, False), (True, True))
}
