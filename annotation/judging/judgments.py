"""Take a reader's judgment: checked, stored once, append-only; what comes too late is kept as an event.

One short transaction ends the assignment, appends the judgment and, where the reader goes on,
claims what comes next. The usual case, a first answer at an assignment that is held, is tried as
it was read (`storing`); where that fails, all there is at the item is looked at.
A submission carries an id made with its form: sent again
(a double click, a lost reply) it finds the first judgment instead of making a second.
"""

from __future__ import annotations

from datetime import datetime
from itertools import count
from typing import NamedTuple

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation.assignment import arms, consents
from annotation.assignment.claiming import assignment_for, claim, lock, may_work, order_at
from annotation.judging.storing import AssignmentChanged, ReadSubmission, Stored, store, store_first
from annotation.judging.submissions import (
    Content,
    Submission,
    bounded_count,
    plausible_seconds,
    read_submission,
)
from annotation.models import (
    Assignment,
    AssignmentStatus,
    Enrolment,
    EnrolmentState,
    Event,
    Guideline,
    Judgment,
    Kind,
    Outcome,
    StudyTexts,
)
from common import wording

ATTEMPTS = 5
CLOSED = gettext_noop("The study is closed")
NO_LONGER_HERE = gettext_noop("You are no longer in this study")
RUN_OUT = gettext_noop("Your time for this item had run out and it was given to somebody else")
"""Why an answer came too late: stored in English, and said in the reader's language."""


class Stale(Exception):
    """Raised where the form shows a state that is no longer the current one (HTTP 409).

    current: the judgment that is stored.
    """

    def __init__(self, message: str, current: Judgment | None = None) -> None:
        super().__init__(message)
        self.current = current


class Reused(Stale):
    """Raised where the id of a submission came before, with something else (HTTP 409; in a queue, 422)."""


class Late(Exception):
    """Raised where no assignment is left for this answer.

    event: keeps the whole of it; it is not a judgment.
    """

    def __init__(self, message: str, event: Event) -> None:
        super().__init__(message)
        self.event = event


class SubmitResult(NamedTuple):
    """What came of a submission.

    judgment: what was stored.
    guideline: the guidelines as they were then.
    next: the assignment that was claimed next, if one was.
    """

    judgment: Judgment
    guideline: Guideline | None
    next: Assignment | None


def submit(
    assignment: Assignment,
    enrolment: Enrolment,
    submission: Submission,
    *,
    now: datetime,
    texts: StudyTexts | None = None,
) -> Judgment:
    """Store a judgment or a new revision of it, and return it.

    `assignment` is one this reader holds, held or has ended (`access.get_assignment_to_answer`), and `texts`
    are its study's, where they came with it (`access.get_assignment_and_texts`).
    Raises `Invalid` (nothing stored; the text is for the reader), `Stale` (nothing
    stored; the current judgment comes with it) or `Late` (kept as an event). An open
    transaction around this call must not be rolled back on `Late`.
    """
    done = submit_and_continue(assignment, enrolment, submission, now=now, texts=texts, going_on=False)
    return done.judgment


def submit_and_continue(
    assignment: Assignment,
    enrolment: Enrolment,
    submission: Submission,
    *,
    now: datetime,
    going_on: bool,
    texts: StudyTexts | None = None,
) -> SubmitResult:
    """Submit like `submit`; with `going_on`, claim the next assignment in the same transaction."""
    if assignment.study_id != enrolment.study_id:
        raise ValueError("The assignment and the reader belong to different studies.")
    content = read_submission(assignment, submission)
    guideline, consent = texts or assignment.study.latest_texts()
    sent = ReadSubmission(submission, content, guideline, now)
    going_on = going_on and consents.not_given(enrolment, consent) is None
    # A held assignment has no judgment yet.
    is_first = assignment.status == AssignmentStatus.HELD and not submission.revision
    taken: Stored | Late
    for attempt in count(1):
        try:
            with transaction.atomic():
                if is_first and attempt == 1:
                    taken = store_first(assignment, enrolment, sent, going_on=going_on)
                else:
                    taken = store_any(assignment, lock(enrolment), sent)
                if isinstance(taken, Stored):
                    # Where a machine's answer follows, the reader stays.
                    goes = going_on and not arms.is_followed(taken.judgment)
                    following = claim(taken.me, now, beyond=taken.beyond) if goes else None
                    return SubmitResult(taken.judgment, sent.guideline, following)
            raise taken
        except (AssignmentChanged, IntegrityError):
            if attempt == ATTEMPTS:
                raise
    raise AssertionError


def store_any(assignment: Assignment, me: Enrolment, sent: ReadSubmission) -> Stored | Late:
    """Store any other answer of a reader who is locked, after looking at all there is at the item now.

    Raises `AssignmentChanged` or `IntegrityError` where it changed meanwhile: try again.
    """
    earlier = repeated(me, assignment, sent)
    if earlier is not None:
        return Stored(earlier, me, None)
    if me.state == EnrolmentState.WITHDRAWN:
        raise Stale(_("You have withdrawn from this study: nothing more is stored."))
    if not may_work(me):
        return keep_late(assignment, me, sent, NO_LONGER_HERE if me.study.is_open else CLOSED)
    own = assignment_for(assignment, me, sent.now)
    if own is None:
        return keep_late(assignment, me, sent, RUN_OUT)
    current = own.judgments.order_by("-revision").first()
    if current is not None and own.item.kind == Kind.PRACTICE:
        raise Stale(_("You have seen the answer to this practice item: yours stays as it was."), current)
    if own.source_read is not None:
        raise Stale(_("You have read these passages in their book: your answer stays as it is."), current)
    seen, revision = sent.submission.revision, current.revision if current else 0
    # A form from another place, or upon what somebody else took back, counts in revisions of its own.
    mine = current is not None and current.annotator_id == me.pk
    if mine and (seen != revision or own.pk != assignment.pk):
        standing = current if current is not None and current.outcome != Outcome.TAKEN_BACK else None
        said = _("Your answer here has changed since this page was loaded, and nothing was replaced.")
        raise Stale(said, standing)
    return Stored(store(own, me, sent, revision + 1), me, None)


def repeated(me: Enrolment, assignment: Assignment, sent: ReadSubmission) -> Judgment | None:
    """Return the judgment this very submission already made, or None. Raises `Stale` if it said something
    else.
    """
    # `get` asks for no order: with one, PostgreSQL walked every judgment of every assignment where it had not
    # counted them yet.
    rows = Judgment.objects.select_related("assignment")
    try:
        earlier = rows.get(submission=sent.submission.submission)
    except Judgment.DoesNotExist:
        return None
    said = Content(*(getattr(earlier, name) for name in Content._fields))
    if earlier.annotator_id != me.pk or earlier.assignment.item_id != assignment.item_id:
        raise Reused(_("This form was already used for something else: reload the page."))
    if said != sent.content:
        raise Reused(_("This form was already sent with another answer: reload the page."), earlier)
    return earlier


def keep_late(assignment: Assignment, me: Enrolment, sent: ReadSubmission, why: str) -> Late:
    """Keep an answer that has no assignment, once however often it is sent; `me` is locked."""
    submission, item, key = sent.submission, assignment.item, str(sent.submission.submission)
    kept = Event.objects.filter(study=me.study, verb="late", actor=me.user_id, data__submission=key).first()
    event = kept or Event.objects.create(
        study=me.study,
        actor_id=me.user_id,
        verb="late",
        data={
            "submission": key,
            "assignment": assignment.pk,
            "item": item.pk,
            "number": item.number,
            "enrolment": me.pk,
            "pseudonym": me.pseudonym,
            **sent.content._asdict(),
            "order": order_at(assignment, me),
            "active_seconds": plausible_seconds(submission.active_seconds),
            "previews": bounded_count(submission.previews),
            "revision": bounded_count(submission.revision),
            "channel": submission.channel,
            "why": why,
        },
    )
    at = wording.day_and_time(event.created)
    said = _("{why}. Your answer was kept for the researchers ({at}).").format(why=_(why), at=at)
    return Late(said, event)
