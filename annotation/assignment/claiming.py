"""Claim assignments: each once, for as long as a lease holds.

A work item is read by exactly k people because it has exactly k rows. Claiming is one
conditional UPDATE whose row count is the answer; whoever comes second looks again. At
practice and check items every reader has an assignment of their own, made when they get there.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from functools import partial
from random import Random

from django.db import connection, transaction
from django.db.models import CharField, DateTimeField, JSONField, Max, PositiveIntegerField, Q, QuerySet

from annotation.assignment import arms, checks, consents, practice
from annotation.assignment.groups import next_place
from annotation.assignment.holding import held_by, holds_item, lease, record_expiry, still_held
from annotation.assignment.next_item import free_assignment
from annotation.items.assignments import drawn_keys
from annotation.models import (
    EMPTY,
    Assignment,
    AssignmentStatus,
    Enrolment,
    EnrolmentState,
    Item,
    Kind,
    OptionOrder,
    Role,
    Study,
)
from common.composed import Composed, ComposedUpdate, Given

LOCKED = Composed(
    lambda: (
        Enrolment.objects.select_for_update(of=("self",), no_key=True)
        .select_related("study")
        .filter(pk=Given("pk"))
    )
)
TAKEN = {
    "annotator": Given("me"),
    "status": AssignmentStatus.HELD,
    "claimed": Given("claimed", DateTimeField()),
    "lease_until": Given("lease_until", DateTimeField()),
    "opened": Given("opened", DateTimeField()),
    "order": Given("order", JSONField()),
    "group_place": Given("group_place", PositiveIntegerField()),
    "arm": Given("arm", CharField()),
}


def takeable(nobodys: bool) -> QuerySet[Assignment]:
    """Return the assignment that was read as nobody's, or as the `holder`'s, if it may still be taken."""
    still = Q(status=AssignmentStatus.FREE) | Q(
        status=AssignmentStatus.HELD, lease_until__lte=Given("now", DateTimeField())
    )
    return Assignment.objects.filter(still, pk=Given("pk"), annotator=None if nobodys else Given("holder"))


TAKE = {
    nobodys: ComposedUpdate(partial(takeable, nobodys), **{**EMPTY, **TAKEN}) for nobodys in (True, False)
}


def shown_order(study: Study, item: Item, pseudonym: str) -> list[int]:
    """Return the canonical option numbers in the order this reader sees: the same on every call."""
    order = list(range(study.task_type.n_options(item.payload)))
    if study.option_order == OptionOrder.PER_ANNOTATOR:
        Random(f"{study.seed}:{item.number}:{pseudonym}").shuffle(order)  # noqa: S311 - not a secret
    return order


def order_at(assignment: Assignment, me: Enrolment) -> Sequence[int]:
    """Return the order in which this reader sees, or saw, the item: what positions are counted in."""
    own = assignment.annotator_id == me.pk and assignment.order
    return own or shown_order(me.study, assignment.item, me.pseudonym)


def next_assignment(enrolment: Enrolment, *, now: datetime) -> Assignment | None:
    """Return the assignment this reader should work at, or None when there is none for them.

    First practice, until it is passed. Then what the reader already holds, so that
    reloading shows the same item; then a check item or a new assignment; then what was put
    off, longest ago first. None as well while the reader has not consented.
    """
    with taking_turns():
        me = lock(enrolment)
        if not may_work(me) or consents.consent_to_ask(me) is not None:
            return None
        if practice.is_before_work(me):
            return next_practice(me, now)
        while True:
            held = held_by(me).filter(put_off=None).order_by("claimed", "id").first()
            if held is None:
                with transaction.atomic():
                    # In SQLite nobody was locked so far: they may have left since.
                    locked = connection.features.has_select_for_update
                    assignment = claim(me if locked else lock(me), now)
                if assignment is not None:
                    return assignment
                if not holds_item(me):
                    break
            elif still_held(held, now=now):
                return held
        for later in held_by(me).exclude(put_off=None).order_by("put_off", "id"):
            if still_held(later, now=now):
                return later
    return None


def claim(me: Enrolment, now: datetime, *, beyond: Assignment | None = None) -> Assignment | None:
    """Claim a check item or a new assignment and open it; None for a reader who holds one, or if none is
    left. `beyond`: what `next_item.asked_beyond` has found in this transaction.

    For a transaction in which the reader is locked, as its last act: nobody else can write in SQLite from
    its first moment, elsewhere the rows are locked, so what is seen is still so when it is taken.
    """
    if not may_work(me):
        return None
    if me.study.check_every:
        check = None if holds_item(me) else checks.next_check(me, now)
        if check is not None:
            return create_own(check, me, now=now)
    assignment = free_assignment(me, now, beyond=beyond)
    if assignment is not None:
        claim_row(assignment, me, now=now, opened=now, is_locked=True)
    return assignment


def next_practice(me: Enrolment, now: datetime) -> Assignment | None:
    """Return the practice item this reader is at, or the next; None when the mark was missed."""
    while True:
        held = held_by(me).filter(item__kind=Kind.PRACTICE).first()
        if held is not None and still_held(held, now=now):
            return held
        item = practice.next_item(me)
        if item is None:
            return None
        assignment = create_own(item, me, now=now)
        if assignment is not None:
            return assignment


def create_own(item: Item, me: Enrolment, *, now: datetime, beside_others: bool = False) -> Assignment | None:
    """Create an assignment at a practice or check item for this reader; None if they hold another already,
    unless it may stand `beside_others`.
    """
    with transaction.atomic():
        # Whoever makes an assignment at this item waits here, so that no number is given twice.
        item = Item.objects.select_for_update(no_key=True).get(pk=item.pk)
        if item.assignments.filter(annotator=me).exists() or (holds_item(me) and not beside_others):
            return None
        last = item.assignments.aggregate(slot=Max("slot"))["slot"] or 0
        return Assignment.objects.create(
            pk=drawn_keys(1)[0],
            study=me.study,
            item=item,
            slot=last + 1,
            annotator=me,
            status=AssignmentStatus.HELD,
            claimed=now,
            opened=now,
            lease_until=lease(me.study, now),
            order=shown_order(me.study, item, me.pseudonym),
            group_place=next_place(item, me),
        )


def taking_turns() -> AbstractContextManager[None]:
    """Return a transaction where rows can be locked, so that readers step over each other's assignments.

    In SQLite a transaction locks the whole file from its first moment, so there it is
    kept to the claim itself, whose UPDATE carries every condition.
    """
    return transaction.atomic() if connection.features.has_select_for_update else nullcontext()


def lock(enrolment: Enrolment) -> Enrolment:
    """Return the enrolment as it is now; where rows can be locked, two tabs of one reader take turns."""
    found = LOCKED.first(pk=enrolment.pk)
    if found is None:
        raise Enrolment.DoesNotExist
    return found


def may_work(me: Enrolment) -> bool:
    """Return whether this reader may be given items now."""
    there = me.study.is_open and me.study.deleted is None
    return there and me.state == EnrolmentState.ACTIVE and me.role == Role.ANNOTATOR


def claim_row(
    assignment: Assignment,
    me: Enrolment,
    *,
    now: datetime,
    opened: datetime | None = None,
    is_locked: bool = False,
) -> bool:
    """Claim an assignment that was read as free or lapsed, if it still is. Called in a transaction; with
    `is_locked` in that in which it was read and locked: it still is, and is written as the transaction ends.

    The work a former holder left in it is kept as an event `expired`. IntegrityError: the
    reader has an assignment at this item.
    """
    arm = arms.planned(assignment.item, me)
    held = {
        "claimed": now,
        "lease_until": lease(me.study, now),
        "opened": opened,
        "order": shown_order(me.study, assignment.item, me.pseudonym),
        "group_place": next_place(assignment.item, me),
        "arm": arm.arm if arm is not None else "",
    }
    take_it, holder = TAKE[assignment.annotator_id is None], assignment.annotator_id
    values = {"pk": assignment.pk, "holder": holder, "me": me.pk, "now": now, **held}
    if is_locked:
        take_it.one_with_commit(**values)
    elif not take_it(**values):
        return False
    if assignment.status == AssignmentStatus.HELD:
        record_expiry(assignment)
    arms.store(arm)
    assignment.study = me.study
    for name, value in {**EMPTY, **held, "annotator": me, "status": AssignmentStatus.HELD}.items():
        setattr(assignment, name, value)
    return True


def assignment_for(assignment: Assignment, me: Enrolment, now: datetime) -> Assignment | None:
    """Return this reader's assignment at the item: theirs, else the one they came from, else an open one."""
    rows = Assignment.objects.filter(item=assignment.item_id).select_related("annotator")
    assignments = sorted(rows, key=lambda each: each.pk != assignment.pk)
    for each in assignments:
        each.item, each.study = assignment.item, me.study
        if each.annotator_id == me.pk:
            return each
    if assignment.item.kind != Kind.WORK:
        return None
    for each in assignments:
        lapsed = each.lease_until is not None and each.lease_until <= now
        free = each.status == AssignmentStatus.FREE or (each.status == AssignmentStatus.HELD and lapsed)
        if free and claim_row(each, me, now=now):
            return each
    return None
