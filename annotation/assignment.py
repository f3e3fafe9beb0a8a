"""Places: made when a study opens, claimed once, kept by a lease, put off, given back.

An item is read by exactly k people because it has exactly k rows. Claiming is one
conditional UPDATE whose row count is the answer; whoever comes second looks again.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from datetime import datetime, timedelta
from random import Random
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import DateTimeField, Exists, F, Max, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Coalesce

from annotation.models import (
    Assignment,
    Enrolment,
    EnrolmentState,
    Event,
    Item,
    OptionOrder,
    Place,
    Role,
    State,
    Study,
)
from retrieval.engine.errors import BadInput

AT_ONCE = 2000


class Progress(NamedTuple):
    """How far a reader has come. Counts the reader's own work only: it tells nothing of colleagues."""

    done: int
    total: int
    put_off: int


def open_study(study: Study, *, by: User | None, now: datetime) -> Study:
    """Make k places at every item and let the readers in. All or nothing; `BadInput` says what is missing."""
    with transaction.atomic():
        study = Study.objects.select_for_update().get(pk=study.pk)
        check_ready(study)
        items = study.items.order_by("number").values_list("pk", flat=True)
        places = [
            Assignment(study=study, item_id=item, place=place)
            for item in items
            for place in range(1, study.overlap + 1)
        ]
        Assignment.objects.bulk_create(places, batch_size=AT_ONCE)
        study.state, study.opened = State.OPEN, now
        study.save(update_fields=["state", "opened"])
        Event.objects.create(study=study, actor=by, verb="open", data={"places": len(places)})
    return study


def check_ready(study: Study) -> None:
    """Raise `BadInput` unless this study can be opened."""
    if study.state != State.DRAFT:
        raise BadInput(f"The study “{study.slug}” is {study.state}: only a draft can be opened.")
    if not study.items.exists():
        raise BadInput(f"The study “{study.slug}” has no items: build it from a finished job.")
    readers = study.enrolments.filter(role=Role.ANNOTATOR, state=EnrolmentState.ACTIVE).count()
    if readers < study.overlap:
        are = "1 annotator is" if readers == 1 else f"{readers} annotators are"
        ask = "1 reading" if study.overlap == 1 else f"{study.overlap} readings"
        raise BadInput(
            f"The study asks for {ask} an item and {are} enrolled: "
            f"enrol {study.overlap - readers} more before opening it."
        )


def close_study(study: Study, *, by: User | None, now: datetime) -> Study:
    """Let nobody submit any more. What was given stays; an answer that comes later is kept as an event."""
    with transaction.atomic():
        closed = Study.objects.filter(pk=study.pk, state=State.OPEN).update(state=State.CLOSED, closed=now)
        study.refresh_from_db()
        if not closed:
            raise BadInput(f"The study “{study.slug}” is {study.state}: only an open study can be closed.")
        Event.objects.create(study=study, actor=by, verb="close")
    return study


def shown_order(study: Study, item: Item, pseudonym: str) -> list[int]:
    """Canonical option numbers in the order this reader sees: the same on every call, for ever."""
    order = list(range(study.task_type.n_options(item.payload)))
    if study.option_order == OptionOrder.PER_ANNOTATOR:
        Random(f"{study.seed}:{item.number}:{pseudonym}").shuffle(order)  # noqa: S311 - not a secret
    return order


def next_place(enrolment: Enrolment, *, now: datetime) -> Assignment | None:
    """The place this reader should work at, or None when there is nothing (more) for them.

    First what the reader already holds, so that reloading shows the same item; then
    a new place; then what was put off, longest ago first.
    """
    with taking_turns():
        me = lock(enrolment)
        if not may_work(me):
            return None
        while True:
            held = mine(me).filter(put_off=None).order_by("claimed", "id").first()
            if held is not None and keep(held, now=now):
                return held
            if candidate(me, now) is None:
                break
            with transaction.atomic():
                # Looked for again: in SQLite nobody else can write from here on.
                place = candidate(me, now)
                if place is not None and take(place, me, now=now, unless=holding(me)):
                    return place
        for later in mine(me).exclude(put_off=None).order_by("put_off", "id"):
            if keep(later, now=now):
                return later
    return None


def taking_turns() -> AbstractContextManager[None]:
    """A transaction where rows can be locked, so that readers step over each other's places.

    In SQLite a transaction locks the whole file from its first moment, so there it is
    kept to the claim itself, whose UPDATE carries every condition.
    """
    return transaction.atomic() if connection.features.has_select_for_update else nullcontext()


def lock(enrolment: Enrolment) -> Enrolment:
    """The enrolment as it is now; where rows can be locked, two tabs of one reader take turns."""
    rows = Enrolment.objects.select_for_update(of=("self",), no_key=True)
    return rows.select_related("study").get(pk=enrolment.pk)


def may_work(me: Enrolment) -> bool:
    return me.study.is_open and me.state == EnrolmentState.ACTIVE and me.role == Role.ANNOTATOR


def mine(me: Enrolment) -> QuerySet[Assignment]:
    rows = Assignment.objects.filter(annotator=me, status=Place.HELD)
    return rows.select_related("item", "study", "annotator")


def holding(me: Enrolment) -> Q:
    """True of every row while this reader has an item before them: they get no second one."""
    return Q(Exists(Assignment.objects.filter(annotator=me, status=Place.HELD, put_off=None)))


def keep(place: Assignment, *, now: datetime) -> bool:
    """Whether a place is still its holder's. A lease that ran out while nobody came is renewed."""
    if place.lease_until is not None and place.lease_until > now:
        return True
    place.lease_until = lease(place.study, now)
    own = Assignment.objects.filter(pk=place.pk, annotator=place.annotator_id, status=Place.HELD)
    return bool(own.update(lease_until=place.lease_until))


def lease(study: Study, now: datetime) -> datetime:
    return now + timedelta(minutes=study.lease_minutes)


def candidate(me: Enrolment, now: datetime) -> Assignment | None:
    """A place worth claiming; nothing is changed.

    Readers go upwards through the items, so beyond the furthest they have been nothing
    is theirs and one step in an index finds a place. Only after that are places looked
    for that came free behind them, or that somebody let lapse.
    """
    if me.quota is not None and me.assignments.count() >= me.quota:
        return None
    rows = Assignment.objects.select_for_update(of=("self",), no_key=True, skip_locked=True)
    rows = rows.filter(study=me.study).select_related("item").order_by("item_id", "place")
    free = rows.filter(status=Place.FREE)
    furthest = me.assignments.aggregate(item=Max("item_id"))["item"] or 0
    beyond = free.filter(item_id__gt=furthest).first()
    if beyond is not None or me.assignments.count() >= me.study.items.count():
        return beyond
    elsewhere = ~Exists(Assignment.objects.filter(annotator=me, item=OuterRef("item_id")))
    lapsed = rows.filter(status=Place.HELD, lease_until__lte=now)
    return free.filter(elsewhere).first() or lapsed.filter(elsewhere).first()


def take(place: Assignment, me: Enrolment, *, now: datetime, unless: Q | None = None) -> bool:
    """Make a place that was read as free or lapsed this reader's, if it still is, and `unless` is not so.

    The work a former holder left in it is kept as an event `expired`.
    """
    still = Q(status=Place.FREE) | Q(status=Place.HELD, lease_until__lte=now)
    here = Q(Exists(Assignment.objects.filter(annotator=me, item=place.item_id)))
    rows = Assignment.objects.filter(still, ~here, pk=place.pk, annotator=place.annotator_id)
    rows = rows if unless is None else rows.exclude(unless)
    order = shown_order(me.study, place.item, me.pseudonym)
    until = lease(me.study, now)
    with transaction.atomic():
        if not rows.update(
            annotator=me,
            status=Place.HELD,
            claimed=now,
            lease_until=until,
            opened=None,
            put_off=None,
            order=order,
            draft={},
        ):
            return False
        if place.status == Place.HELD:
            record_expiry(place)
    place.annotator, place.study, place.status = me, me.study, Place.HELD
    place.claimed, place.lease_until, place.opened, place.put_off = now, until, None, None
    place.order, place.draft = order, {}
    return True


def record_expiry(place: Assignment) -> None:
    """Keep what a place held before its lease ran out: who, since when, and the draft."""
    holder = place.annotator
    if holder is None:
        return
    Event.objects.create(
        study_id=place.study_id,
        actor_id=holder.user_id,
        verb="expired",
        data={
            "assignment": place.pk,
            "item": place.item_id,
            "enrolment": holder.pk,
            "pseudonym": holder.pseudonym,
            "claimed": place.claimed and place.claimed.isoformat(),
            "opened": place.opened and place.opened.isoformat(),
            "lease_until": place.lease_until and place.lease_until.isoformat(),
            "draft": place.draft,
        },
    )


def mark_opened(assignment: Assignment, *, now: datetime) -> bool:
    """Note that the reader sees this place, and renew its lease. False: it is not theirs any more."""
    own = Assignment.objects.filter(pk=assignment.pk, annotator=assignment.annotator_id)
    until = lease(assignment.study, now)
    first = Coalesce(F("opened"), Value(now), output_field=DateTimeField())
    if not own.filter(status=Place.HELD).update(lease_until=until, opened=first):
        return own.filter(status=Place.DONE).exists()
    assignment.lease_until, assignment.opened = until, assignment.opened or now
    return True


def put_off(assignment: Assignment, *, now: datetime) -> bool:
    """Set a held place aside: it comes back when nothing new is left. False: it is not held any more."""
    with transaction.atomic():
        until = lease(assignment.study, now)
        own = Assignment.objects.filter(pk=assignment.pk, annotator=assignment.annotator_id)
        own = own.filter(status=Place.HELD)
        if assignment.annotator is None or not own.update(put_off=now, lease_until=until):
            return False
        assignment.put_off, assignment.lease_until = now, until
        Event.objects.create(
            study=assignment.study,
            actor_id=assignment.annotator.user_id,
            verb="later",
            data={"assignment": assignment.pk, "item": assignment.item_id},
        )
    return True


def remaining(enrolment: Enrolment) -> Progress:
    """The reader's own count: items ended, items there are for them, items put off."""
    own, items = enrolment.assignments, Item.objects.filter(study=enrolment.study_id).count()
    total = items if enrolment.quota is None else min(items, enrolment.quota)
    later = own.filter(status=Place.HELD, put_off__isnull=False).count()
    return Progress(done=own.filter(status=Place.DONE).count(), total=total, put_off=later)


def release_expired(now: datetime) -> int:
    """Free the places of open studies whose lease has run out; returns how many."""
    lapsed = Assignment.objects.filter(study__state=State.OPEN, status=Place.HELD, lease_until__lte=now)
    return sum(release(place, now) for place in list(lapsed))


def release(place: Assignment, now: datetime) -> bool:
    with transaction.atomic():
        same = Assignment.objects.filter(
            pk=place.pk, annotator=place.annotator_id, status=Place.HELD, lease_until__lte=now
        )
        if not same.update(
            annotator=None,
            status=Place.FREE,
            lease_until=None,
            claimed=None,
            opened=None,
            put_off=None,
            order=[],
            draft={},
        ):
            return False
        record_expiry(place)
    return True
