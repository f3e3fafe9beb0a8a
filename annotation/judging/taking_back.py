"""Take an answer back: the judgment stays in the record, and is current no more.

A first answer that is taken back is followed by a judgment that says so (`Outcome.TAKEN_BACK`), and its
assignment is the reader's again. A changed answer that is taken back is followed by what stood before it, as
a revision of its own. Both are named by an event, so that nobody mistakes them for a new answer. Who goes on
taking back goes on backwards: what was taken back is not brought again, until nothing of theirs stands.
"""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.assignment.claiming import lock, may_work
from annotation.assignment.holding import lease
from annotation.items import quarantine
from annotation.judging.judgments import Stale
from annotation.models import Assignment, AssignmentStatus, Enrolment, Event, Judgment, Kind, Outcome
from annotation.webhooks import announcing

VERB = "taken back"
"""Of the event; its `revision` is the one that was taken back, and the next one was made by that."""
SAME = (
    "outcome", "answer", "reason", "note", "guideline", "confidence", "basis", "order", "previews",
    "neighbours", "seen", "seen_reading",
)  # fmt: skip
"""What a revision that brings an earlier answer back has of it. Its time is not counted twice."""


def take_back(
    assignment: Assignment, reader: Enrolment, act: UUID, *, of: UUID, now: datetime, channel: str = "web"
) -> Judgment:
    """Take back the judgment that was made with the submission `of`; return the judgment that says so.

    `act` is the id of the press: sent again it finds what it did. Raises `Stale` where there is nothing to
    take back, or not any more.
    """
    with transaction.atomic():
        me = lock(reader)
        done = Judgment.objects.select_related("assignment__item").filter(submission=act).first()
        if done is not None:
            return repeated(done, assignment, me)
        if not may_work(me):
            raise Stale(_("The study is closed, or you are no longer in it: nothing can be taken back."))
        own = Assignment.objects.select_for_update(no_key=True).get(pk=assignment.pk)
        own.item, own.study = assignment.item, me.study
        last = own.judgments.order_by("-revision").first()
        refuse(own, me, last, of)
        assert last is not None  # noqa: S101 - refused above
        before = stood_before(own, me)
        row = Judgment(
            assignment=own,
            annotator=me,
            revision=last.revision + 1,
            consent_version=me.consent_version,
            submission=act,
            channel=channel,
            created=now,
            **said_again(before, last),
        )
        row.save(force_insert=True)
        if before is None:
            open_again(own, now)
        data = {"assignment": own.pk, "item": own.item_id, "revision": last.revision}
        Event.objects.create(study=me.study, actor_id=me.user_id, verb=VERB, data=data)
        announcing.announce(row, me.study)
        quarantine.react(own.item, me.study, now=now)
        return row


def stood_before(own: Assignment, me: Enrolment) -> Judgment | None:
    """Return what counted here before the reader's last answer, or None: what they took back is passed over.

    A revision that a take-back made stands for the answer that it brought back.
    """
    told = Event.objects.filter(study=me.study, verb=VERB, data__assignment=own.pk)
    undone = {each.data["revision"] for each in told}
    standing: list[Judgment] = []
    for each in own.judgments.filter(annotator=me).order_by("revision"):
        if each.outcome == Outcome.TAKEN_BACK or each.revision - 1 in undone:
            del standing[-1:]
        else:
            standing.append(each)
    return standing[-2] if len(standing) > 1 else None


def repeated(done: Judgment, assignment: Assignment, me: Enrolment) -> Judgment:
    """Return what this press did when it came first. Raises `Stale` if it was a press of something else."""
    if done.annotator_id != me.pk or done.assignment.item_id != assignment.item_id:
        raise Stale(_("This form was already used for something else: reload the page."))
    return done


def refuse(own: Assignment, me: Enrolment, last: Judgment | None, of: UUID) -> None:
    """Raise `Stale` where the last judgment is not the reader's to take back."""
    if last is None or own.annotator_id != me.pk or last.annotator_id != me.pk:
        raise Stale(_("There is no answer of yours here that could be taken back."))
    if last.outcome == Outcome.TAKEN_BACK:
        raise Stale(_("This answer was taken back already."))
    if last.submission != of:
        raise Stale(_("You have changed this answer since: open the item to see it."), last)
    if own.item.kind == Kind.PRACTICE:
        raise Stale(_("You have seen the answer to this practice item: yours stays as it was."), last)
    if own.source_read is not None:
        raise Stale(_("You have read these passages in their book: your answer stays as it is."), last)
    if own.revealed_at is not None:
        raise Stale(_("You have seen what a machine answered here: change your answer instead."), last)


def said_again(before: Judgment | None, last: Judgment) -> dict[str, object]:
    """Return what the new judgment says: what stood before, else that nothing does."""
    if before is not None:
        return {name: getattr(before, name) for name in SAME}
    return {"outcome": Outcome.TAKEN_BACK, "order": last.order, "guideline": last.guideline}


def open_again(own: Assignment, now: datetime) -> None:
    """Make the assignment the reader's again, as it was before they answered."""
    until = lease(own.study, now)
    rows = Assignment.objects.filter(pk=own.pk)
    rows.update(status=AssignmentStatus.HELD, lease_until=until, taken_back=now, put_off=None)


def taken_back_at(assignment: Assignment, me: Enrolment) -> tuple[Judgment | None, int]:
    """Return what this reader took back at an assignment that they hold, if they did, and its last revision.

    Revisions are counted at the assignment: whoever holds it after somebody took their answer back goes on
    from there, and sees nothing of it.
    """
    if assignment.taken_back is None or assignment.status == AssignmentStatus.DONE:
        return None, 0
    rows = list(assignment.judgments.order_by("-revision")[:2])
    own = len(rows) == 2 and all(each.annotator_id == me.pk for each in rows)
    return rows[1] if own else None, rows[0].revision if rows else 0
