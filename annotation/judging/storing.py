"""Store a judgment: its assignment is ended and the judgment appended, both or neither.

The usual case, a first answer at an assignment that is held, is stored as it was read. All that is asked of
the database for it goes out together, the lock on the reader before everything else; what the lock brings
back says whether all was as it was read.
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from django.db.models import CharField, Exists, OuterRef, Value
from django.db.models.functions import Coalesce
from django.db.models.lookups import Exact

from annotation.assignment import arms, practice
from annotation.assignment.claiming import LOCKED, may_work, order_at
from annotation.assignment.next_item import asked_beyond
from annotation.items import quarantine
from annotation.judging.submissions import Content, Submission, bounded_count, bounded_seconds
from annotation.models import (
    Assignment,
    AssignmentStatus,
    Enrolment,
    Guideline,
    Judgment,
    Kind,
    Outcome,
    State,
    Study,
)
from annotation.webhooks import announcing
from common.composed import ComposedInsert, ComposedUpdate, Given, Question, together

# The study is not locked, or all its readers would wait for each other: it may have been closed.
END = ComposedUpdate(
    lambda: Assignment.objects.filter(
        # In words that no index has: PostgreSQL would look through all that a reader has done, of whom it
        # knows nothing yet.
        Exact(Coalesce("annotator", Value(0)), Given("me")),
        Exists(Study.objects.filter(pk=OuterRef("study"), state=State.OPEN)),
        pk=Given("pk"),
        status=Given("status", CharField()),
        source_read=None,
    ),
    status=AssignmentStatus.DONE,
    lease_until=None,
    put_off=None,
    draft={},
    draft_saved=None,
)
STORE = ComposedInsert(Judgment)


class AssignmentChanged(Exception):
    """Raised where assignment, reader or study are not as they were read."""


class ReadSubmission(NamedTuple):
    """A submission that was read and checked.

    submission: what was sent.
    content: what it says.
    guideline: what the reader was told then.
    now: when it came.
    """

    submission: Submission
    content: Content
    guideline: Guideline | None
    now: datetime


class Stored(NamedTuple):
    """A judgment that was stored, and what was found with it.

    judgment: what was stored.
    me: its reader, locked.
    beyond: the assignment that comes next, locked, where it was looked for and found.
    """

    judgment: Judgment
    me: Enrolment
    beyond: Assignment | None


def store_first(assignment: Assignment, me: Enrolment, sent: ReadSubmission, *, going_on: bool) -> Stored:
    """Store the first answer at an assignment that was read as this reader's; with `going_on`, look for the
    next.

    For a transaction of its own, as its first act. Raises `AssignmentChanged` or `IntegrityError` where that
    was not so, or reader or study have changed since: the transaction must be rolled back.
    """
    if assignment.annotator_id != me.pk or not may_work(me):
        raise AssignmentChanged
    judgment = new_judgment(assignment, me, sent, 1)
    # Where a machine's answer follows, the reader stays.
    looked = asked_beyond(me) if going_on and not arms.is_to_reveal(assignment) else []
    locked, ended, _stored, *found = together(LOCKED.asked(pk=me.pk), *to_store(judgment), *looked)
    if not ended or not locked or not is_as_read(me, locked[0]):
        raise AssignmentChanged
    after_storing(judgment, me, sent)
    return Stored(judgment, locked[0], next(iter(*found), None) if found else None)


def store(assignment: Assignment, me: Enrolment, sent: ReadSubmission, revision: int) -> Judgment:
    """Store any judgment of a reader who is locked.

    Raises `AssignmentChanged` if assignment or study are not as they were read: the transaction must be
    rolled back.
    """
    judgment = new_judgment(assignment, me, sent, revision)
    ended, _stored = together(*to_store(judgment))
    if not ended:
        raise AssignmentChanged
    after_storing(judgment, me, sent)
    return judgment


def is_as_read(me: Enrolment, now: Enrolment) -> bool:
    """Return whether reader and study are the same in every column."""
    return all(
        getattr(was, field.attname) == getattr(found, field.attname)
        for was, found in ((me, now), (me.study, now.study))
        for field in was._meta.concrete_fields
    )


def new_judgment(assignment: Assignment, me: Enrolment, sent: ReadSubmission, revision: int) -> Judgment:
    """Return the judgment that this submission makes, not stored yet."""
    submission, content, guideline, now = sent
    machine = arms.machine_at(assignment)
    judgment = Judgment(
        assignment=assignment,
        annotator=me,
        revision=revision,
        **content._asdict(),
        guideline=guideline,
        consent_version=me.consent_version,
        order=submission.order or order_at(assignment, me),
        seen=machine.answer if machine else None,
        seen_reading=machine.reading if machine else None,
        active_seconds=bounded_seconds(submission.active_seconds, assignment, now),
        previews=bounded_count(submission.previews),
        neighbours=(assignment.neighbours or []) if me.study.neighbours else None,
        submission=submission.submission,
        channel=submission.channel,
        created=now,
    )
    judgment.derive()
    return judgment


def to_store(judgment: Judgment) -> tuple[Question, Question]:
    """Return what ends the assignment, where it is as it was read, and what appends the judgment."""
    assignment = judgment.assignment
    ended = END.asked(pk=assignment.pk, me=judgment.annotator_id, status=assignment.status)
    return ended, STORE.asked(judgment)


def after_storing(judgment: Judgment, me: Enrolment, sent: ReadSubmission) -> None:
    """Do what follows of a judgment: others are told, a machine's answer is due, an item may be taken out."""
    assignment = judgment.assignment
    announcing.announce(judgment, me.study)
    if judgment.outcome == Outcome.ANSWER and arms.is_to_reveal(assignment):
        assignment.revealed_at = sent.now
        Assignment.objects.filter(pk=assignment.pk).update(revealed_at=sent.now)
    if assignment.item.kind == Kind.PRACTICE:
        practice.record_pass(me, now=sent.now)
    elif judgment.outcome != Outcome.ANSWER or judgment.revision > 1:  # A revision may withdraw a flag.
        quarantine.react(assignment.item, me.study, now=sent.now)
