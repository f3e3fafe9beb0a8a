"""Assignments that readers hold: found, kept by a lease, opened, put off, recorded when they are released."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import DateTimeField, F, Q, QuerySet, Value
from django.db.models.functions import Coalesce, Greatest

from annotation.models import Assignment, AssignmentStatus, Enrolment, Event, Kind, Study
from common.composed import Composed, Given, Literal

IS_HELD = Q(status=Literal(AssignmentStatus.HELD))
"""In the words of the index `place_held`."""


def before(reader: Any) -> QuerySet[Assignment]:
    """Return the assignments that a reader has before them: held and not put off."""
    return Assignment.objects.filter(IS_HELD, annotator=reader, put_off=None).order_by()


HELD = Composed(lambda: before(Given("me")).only("pk")[:1])


def held_by(me: Enrolment) -> QuerySet[Assignment]:
    """Return the assignments this reader holds."""
    rows = Assignment.objects.filter(IS_HELD, annotator=me)
    return rows.select_related("item", "study", "annotator")


def holds_item(me: Enrolment) -> bool:
    """Return whether this reader has an item before them: they get no second one."""
    return bool(HELD(me=me.pk))


def still_held(assignment: Assignment, *, now: datetime) -> bool:
    """Return whether an assignment is still its holder's. A lease that ran out unnoticed is renewed."""
    if assignment.lease_until is not None and assignment.lease_until > now:
        return True
    assignment.lease_until = lease(assignment.study, now)
    own = Assignment.objects.filter(pk=assignment.pk, annotator=assignment.annotator_id)
    return bool(own.filter(status=AssignmentStatus.HELD).update(lease_until=assignment.lease_until))


def lease(study: Study, now: datetime) -> datetime:
    """Return until when an assignment is kept from now on."""
    return now + timedelta(minutes=study.lease_minutes)


def renewed(until: datetime) -> Greatest:
    """Return a lease that lasts until then, or longer where the reader took the item along."""
    now_until = Coalesce(F("lease_until"), Value(until))
    return Greatest(now_until, Value(until), output_field=DateTimeField())


def record_expiry(assignment: Assignment, verb: str = "expired") -> None:
    """Record who held an assignment, since when and with which draft, as it is released."""
    holder = assignment.annotator
    if holder is None:
        return
    Event.objects.create(
        study_id=assignment.study_id,
        actor_id=holder.user_id,
        verb=verb,
        data={
            "assignment": assignment.pk,
            "item": assignment.item_id,
            "enrolment": holder.pk,
            "pseudonym": holder.pseudonym,
            "claimed": assignment.claimed and assignment.claimed.isoformat(),
            "opened": assignment.opened and assignment.opened.isoformat(),
            "lease_until": assignment.lease_until and assignment.lease_until.isoformat(),
            "draft": assignment.draft,
            "order": assignment.order,
        },
    )


def mark_opened(assignment: Assignment, *, now: datetime) -> bool:
    """Store that the reader sees this assignment, and renew its lease; return False if it is not theirs
    any more.
    """
    own = Assignment.objects.filter(pk=assignment.pk, annotator=assignment.annotator_id)
    until = lease(assignment.study, now)
    first = Coalesce(F("opened"), Value(now), output_field=DateTimeField())
    if not own.filter(status=AssignmentStatus.HELD).update(lease_until=renewed(until), opened=first):
        return own.filter(status=AssignmentStatus.DONE).exists()
    assignment.lease_until = max(assignment.lease_until or until, until)
    assignment.opened = assignment.opened or now
    return True


def put_off(assignment: Assignment, *, now: datetime, act: str = "") -> bool:
    """Put a held assignment off: it comes back when nothing new is left.

    `act` is the id of the press, if it has one: sent again it changes nothing. False: the assignment is not
    held any more, or it is practice, which comes before everything.
    """
    if assignment.item.kind == Kind.PRACTICE:
        return False
    return place_anew(assignment, now, act, put_off=now, verb="later")


def was_done(assignment: Assignment, act: str) -> bool:
    """Return whether the reader put this assignment off, or took it up again, by a press with this id."""
    assert assignment.annotator is not None  # noqa: S101 - somebody's
    done = Event.objects.filter(study=assignment.study, verb__in=("later", "later taken back"))
    return done.filter(actor=assignment.annotator.user_id, data__act=act).exists()


def take_up(assignment: Assignment, *, now: datetime, act: str = "") -> bool:
    """Undo `put_off`: the assignment is before its reader again. False: it is not put off any more."""
    return place_anew(assignment, now, act, put_off=None, verb="later taken back")


def place_anew(
    assignment: Assignment, now: datetime, act: str, *, put_off: datetime | None, verb: str
) -> bool:
    """Put a held assignment off, or take up one that is, once for each press; return whether that was so."""
    with transaction.atomic():
        if act and was_done(assignment, act):
            return True
        until = lease(assignment.study, now)
        own = Assignment.objects.filter(pk=assignment.pk, annotator=assignment.annotator_id)
        own = own.filter(status=AssignmentStatus.HELD)
        own = own.exclude(put_off=None) if put_off is None else own
        if assignment.annotator is None or not own.update(put_off=put_off, lease_until=until):
            return False
        assignment.put_off, assignment.lease_until = put_off, until
        Event.objects.create(
            study=assignment.study,
            actor_id=assignment.annotator.user_id,
            verb=verb,
            data={"assignment": assignment.pk, "item": assignment.item_id, **({"act": act} if act else {})},
        )
    return True
