"""Items that a reader takes along, to read where there is no network: leased before they are shown.

They are what the reader would have been given anyway, in that order, check items among them. Their clocks
begin when they are shown; what was not begun is given back, or goes back when the lease ends.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from annotation.assignment import checks, consents, practice
from annotation.assignment.claiming import claim_row, create_own, lock, may_work
from annotation.assignment.holding import held_by, lease, record_expiry
from annotation.assignment.next_item import free_assignment
from annotation.assignment.progress import ReaderProgress
from annotation.models import EMPTY, Assignment, Enrolment, Kind

AHEAD = 5
"""Items that are taken along at once, the one before the reader included."""


def how_many(progress: ReaderProgress) -> int:
    """Return how many items a reader is offered to take along: fewer where fewer are left, and none of those
    put off.
    """
    return max(0, min(AHEAD, progress.total - progress.done - progress.put_off))


def take_along(reader: Enrolment, most: int, *, now: datetime) -> list[Assignment]:
    """Lease items until this reader holds `most` that are not put off; return all these, in order.

    None for who may not work, or is to consent or to practise first. Of a group of items that the reader has
    not been told of, none.
    """
    with transaction.atomic():
        me = lock(reader)
        if not may_work(me) or consents.consent_to_ask(me) is not None or practice.is_before_work(me):
            return []
        n = held_by(me).filter(put_off=None).count()
        # A moment apart, so that they keep their order.
        while n < most and claim_one(me, now + timedelta(microseconds=n)):
            n += 1
        until = max(lease(me.study, now), end_of_day(now))
        held_by(me).filter(put_off=None).update(lease_until=until)
        return taken_along(me)


def taken_along(me: Enrolment) -> list[Assignment]:
    """Return what this reader holds and has not put off, in the order in which they get it."""
    return list(held_by(me).filter(put_off=None).order_by("claimed", "pk"))


def claim_one(me: Enrolment, now: datetime) -> bool:
    """Claim what comes next without opening it; return whether there was something."""
    check = checks.next_check(me, now)
    if check is not None:
        if check.group not in ("", me.group_seen):
            return False
        made = create_own(check, me, now=now, beside_others=True)
        return made is not None and bool(Assignment.objects.filter(pk=made.pk).update(opened=None))
    found = free_assignment(me, now, beside_others=True)
    if found is None or found.item.group not in ("", me.group_seen):
        return False
    return claim_row(found, me, now=now)


def end_of_day(now: datetime) -> datetime:
    """Return the next midnight of the site's own clock."""
    local = timezone.localtime(now)
    return (local + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)


def give_back(reader: Enrolment, *, now: datetime) -> list[Assignment]:
    """Free what this reader took along and has not begun; return what they still hold."""
    with transaction.atomic():
        me = lock(reader)
        unread = held_by(me).filter(put_off=None, opened=None, draft={}).exclude(judgments__annotator=me)
        for each in unread.filter(item__kind=Kind.WORK):
            record_expiry(each, "given back")
            Assignment.objects.filter(pk=each.pk).update(**EMPTY)
        # Assignments at check items are one reader's only.
        unread.filter(item__kind=Kind.CHECK).delete()
        return taken_along(me)
