"""Decisions of adjudicators on items that their readers have judged. Agreement never looks at them.

Which items can be decided stands in `worklist`. Readers see no decision before the study is closed.

A decision is appended, never changed: a change of mind is a new revision, and a form that was
made from an older state of the item is refused with what is stored.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import datetime
from random import Random
from typing import Any, NamedTuple
from uuid import UUID

from django.db import IntegrityError, transaction

from annotation.adjudication.worklist import adjudicable_items, answer_key, current_decisions
from annotation.judging.submissions import checked_text
from annotation.models import (
    AssignmentStatus,
    Decision,
    Enrolment,
    Item,
    Judgment,
    Outcome,
    State,
)
from annotation.tasktypes.base import Answer, Invalid

LONGEST_REASON = 4_000
NO_REASON = "Say why: the readers learn the reason when the study is closed."


class SameAnswer(NamedTuple):
    """One answer to an item, with how many readers gave it.

    key: key of the first such judgment.
    outcome, answer: what they answered; of an answer its verdict (`annotation.tasktypes.verdicts`).
    times: how many readers.
    remarks: their reasons and notes.
    """

    key: int
    outcome: str
    answer: Answer | None
    times: int
    remarks: tuple[str, ...]


class SubmittedDecision(NamedTuple):
    """What an adjudicator sent with one press of the button.

    submission: id of the form.
    answer: None if no answer can be given.
    reason: why.
    revision: of the decision the form was made from.
    seen: digest of the judgments it showed.
    """

    submission: UUID
    answer: Answer | None
    reason: str
    revision: int
    seen: str


class DecisionConflict(Exception):
    """Raised where the form shows a state that is no longer the current one (HTTP 409).

    current: the decision that is stored.
    """

    def __init__(self, message: str, current: Decision | None = None) -> None:
        super().__init__(message)
        self.current = current


def judgments_on(item: Item) -> list[Judgment]:
    """Return the item's current judgments, for pages that never show who gave them."""
    return list(Judgment.objects.current().filter(assignment__item=item).order_by("pk"))


def same_answers(item: Item, judgments: Iterable[Judgment]) -> list[SameAnswer]:
    """Group the judgments of the item by verdict, in an order drawn from the study's seed."""
    together: dict[str, list[Judgment]] = {}
    for each in judgments:
        together.setdefault(answer_key(each.outcome, verdict_of(item, each)), []).append(each)
    found = [
        SameAnswer(
            same[0].pk,
            same[0].outcome,
            verdict_of(item, same[0]),
            len(same),
            tuple(sorted(text for each in same for text in (each.reason, each.note) if text)),
        )
        for same in together.values()
    ]
    Random(f"{item.study.seed}:{item.number}:readings").shuffle(found)  # noqa: S311 - not a secret
    return sorted(found, key=lambda each: each.outcome != Outcome.ANSWER)


def verdict_of(item: Item, judgment: Judgment) -> Answer | None:
    """Return what is decided of a judgment's answer; None without one."""
    return None if judgment.answer is None else item.study.task_type.verdict(judgment.answer)


def state_of(judgments: Iterable[Judgment]) -> str:
    """Return a digest of these judgments: a form carries it, so that nothing is decided on others than it
    showed.
    """
    keys = ",".join(str(each.pk) for each in judgments)
    return hashlib.sha256(keys.encode()).hexdigest()[:16]


def decide(item: Item, adjudicator: Enrolment, ruling: SubmittedDecision, *, now: datetime) -> Decision:
    """Store a decision and return it; the same submission again returns the first one.

    An answer that equals a reading adopts it, whichever control it came by. Raises `Invalid`
    (nothing stored; the text is for the adjudicator) or `DecisionConflict` (nothing stored; with what is).
    """
    reason = checked_text(ruling.reason, "reason", LONGEST_REASON).strip()
    if not reason:
        raise Invalid(NO_REASON, "reason")
    answer = ruling.answer
    if answer is not None:
        task = item.study.task_type
        answer = task.verdict(task.check_answer(item.payload, answer))
    sent = Decision.objects.filter(submission=ruling.submission)
    first = sent.first()
    if first is None:
        try:
            with transaction.atomic():
                return append(item, adjudicator, ruling._replace(answer=answer, reason=reason), now)
        except (DecisionConflict, IntegrityError) as refusal:
            # The other click of a double one may have been stored since it was looked for.
            first = sent.first()
            if first is None and isinstance(refusal, DecisionConflict):
                raise
    if first is None:
        raise DecisionConflict("Somebody decided on this item at the same moment.", current_decision(item))
    return earlier_decision(first, item, adjudicator, answer, reason)


def earlier_decision(
    first: Decision, item: Item, adjudicator: Enrolment, answer: Answer | None, reason: str
) -> Decision:
    """Return the decision this very submission already made. Raises `DecisionConflict` if it said
    something else.
    """
    same = (first.item_id, first.adjudicator_id, first.answer, first.reason)
    if same != (item.pk, adjudicator.pk, answer, reason):
        raise DecisionConflict(
            "This form was already used for another decision: look at what is stored.", first
        )
    return first


def append(item: Item, adjudicator: Enrolment, ruling: SubmittedDecision, now: datetime) -> Decision:
    """Store the decision, from what is in the database now."""
    if not adjudicable_items(item.study).filter(pk=item.pk).exists():
        raise DecisionConflict("This item can not be decided now: a reading is missing, or it was replaced.")
    stored, judgments = current_decision(item), judgments_on(item)
    revision = stored.revision if stored else 0
    if ruling.revision != revision:
        raise DecisionConflict("This item was decided after this page was made.", stored)
    if ruling.seen != state_of(judgments):
        raise DecisionConflict("A reader has changed their answer since this page was made.", stored)
    answered = [each for each in judgments if each.answer is not None]
    same = (each.pk for each in answered if verdict_of(item, each) == ruling.answer)
    return Decision.objects.create(
        item=item,
        revision=revision + 1,
        answer=ruling.answer,
        adopted=next(same, None),
        reason=ruling.reason,
        seen=[each.pk for each in judgments],
        adjudicator=adjudicator,
        submission=ruling.submission,
        created=now,
    )


def current_decision(item: Item) -> Decision | None:
    """Return the latest decision on the item, or None."""
    return item.decisions.select_related("adjudicator").order_by("-revision").first()


def decisions_for_reader(enrolment: Enrolment) -> dict[int, Decision]:
    """Return the decisions on the items this reader judged, by item; none before the study is closed."""
    if enrolment.study.state != State.CLOSED:
        return {}
    mine: Any = enrolment.assignments.filter(status=AssignmentStatus.DONE).values("item")
    rows = current_decisions(enrolment.study).filter(item__in=mine)
    return {each.item_id: each for each in rows}
