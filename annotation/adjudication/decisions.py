"""Decisions of adjudicators on items that their readers have judged. Agreement never looks at them.

An item can be settled in an open study when all its places are filled, and in a closed one
when anybody has judged it; items in quarantine wait until the study is closed, and a version
that was replaced is never settled. Readers see no decision before the study is closed, and
nothing that is computed of what they said ever looks here.

A decision is appended, never changed: a change of mind is a new revision, and a form that was
made from an older state of the item is refused with what is stored.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import combinations
from random import Random
from typing import Any, NamedTuple
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet, TextField
from django.db.models.functions import Cast

from annotation.judging.submissions import checked_text
from annotation.models import (
    Assignment,
    AssignmentStatus,
    Decision,
    Enrolment,
    Item,
    Judgment,
    Kind,
    Outcome,
    State,
    Study,
)
from annotation.tasktypes.base import Answer, Invalid, TaskType

LONGEST_REASON = 4_000
NO_REASON = "Say why: the readers learn the reason when the study is closed."


class SameAnswer(NamedTuple):
    """One answer to an item, with how many readers gave it.

    key: key of the first such judgment.
    outcome, answer: what they answered.
    times: how many readers.
    remarks: their reasons and notes.
    """

    key: int
    outcome: str
    answer: Answer | None
    times: int
    remarks: tuple[str, ...]


class ItemToAdjudicate(NamedTuple):
    """An item as the list shows it.

    number: of the item.
    readings: how many judgments.
    different: how many different answers.
    declined: judgments without an answer.
    disagreement: 0 (all answered the same) to 1.
    decision: the latest, if any.
    changed: whether a judgment has changed since the decision.
    """

    number: int
    readings: int
    different: int
    declined: int
    disagreement: float
    decision: Decision | None
    changed: bool

    @property
    def needs_decision(self) -> bool:
        """Whether there is something to decide: readers differ, or one of them could not answer."""
        return bool(self.disagreement) and (self.decision is None or self.changed)


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


class AdjudicationProgress(NamedTuple):
    """How far the adjudication of a study is.

    items: that can be decided now.
    waiting: of these, how many need a decision.
    settled: how many have one.
    changed: how many have a decision older than a judgment.
    """

    items: int
    waiting: int
    settled: int
    changed: int


def adjudicable_items(*studies: Study) -> QuerySet[Item]:
    """Return the items of the studies that can be decided now, by number."""
    of = {state: [study.pk for study in studies if study.state == state] for state in State}
    judged = Exists(Judgment.objects.filter(assignment__item=OuterRef("pk")))
    places = Assignment.objects.filter(item=OuterRef("pk"))
    filled = Exists(places) & ~Exists(places.exclude(status=AssignmentStatus.DONE))
    items = Item.objects.filter(kind=Kind.WORK, retired=None).order_by("number")
    return items.filter(
        Q(study__in=of[State.CLOSED]) & judged | Q(study__in=of[State.OPEN], quarantined=None) & filled
    )


def items_to_adjudicate(study: Study) -> list[ItemToAdjudicate]:
    """Return the study's items: those that need a decision first, greatest disagreement on top, then by
    number.
    """
    listed = items_by_study([study])[study.pk]
    return sorted(
        listed,
        key=lambda each: (
            not each.needs_decision,
            -each.disagreement if each.needs_decision else 0,
            each.number,
        ),
    )


def progress_by_study(studies: Iterable[Study]) -> dict[int, AdjudicationProgress]:
    """Return how far the adjudication of each study is, by the study's key."""
    return {key: progress_of(listed) for key, listed in items_by_study(list(studies)).items()}


def progress_of(listed: Sequence[ItemToAdjudicate]) -> AdjudicationProgress:
    """Count the items of one study."""
    return AdjudicationProgress(
        items=len(listed),
        waiting=sum(each.needs_decision for each in listed),
        settled=sum(each.decision is not None for each in listed),
        changed=sum(each.changed for each in listed),
    )


def items_by_study(studies: Sequence[Study]) -> dict[int, list[ItemToAdjudicate]]:
    """Return all items that can be decided in each study: three queries, and no payload."""
    items = adjudicable_items(*studies).values_list("pk", "number", "study", "categories")
    places = {pk: (number, study, categories or 0) for pk, number, study, categories in items}
    said: dict[int, list[tuple[int, str, Answer | None]]] = {pk: [] for pk in places}
    rows = Judgment.objects.current().filter(item__study__in=studies).order_by()
    # As text, of which there are few different ones: each is read once.
    texts: dict[str | None, Answer | None] = {None: None}
    for item, pk, outcome, text in rows.values_list("item_id", "pk", "outcome", Cast("answer", TextField())):
        if text not in texts:
            texts[text] = json.loads(text)
        if item in said:
            said[item].append((pk, outcome, texts[text]))
    decided = {each.item_id: each for each in current_decisions(*studies)}
    tasks = {study.pk: study.task_type for study in studies}
    listed: dict[int, list[ItemToAdjudicate]] = {study.pk: [] for study in studies}
    for pk, (number, study, categories) in places.items():
        listed[study].append(item_to_adjudicate(tasks[study], number, categories, said[pk], decided.get(pk)))
    return listed


def item_to_adjudicate(
    task: TaskType,
    number: int,
    categories: int,
    said: Sequence[tuple[int, str, Answer | None]],
    decision: Decision | None,
) -> ItemToAdjudicate:
    """Return one item of the list, from its judgments and its decision."""
    answers = [answer for _, _, answer in said]
    return ItemToAdjudicate(
        number=number,
        readings=len(said),
        different=len({answer_key(outcome, answer) for _, outcome, answer in said}),
        declined=answers.count(None),
        disagreement=disagreement(task, answers, categories),
        decision=decision,
        changed=decision is not None and sorted(decision.seen) != sorted(key for key, _, _ in said),
    )


def disagreement(task: TaskType, answers: Sequence[Answer | None], categories: int) -> float:
    """Return how far the answers to an item lie apart, 0 to 1: the mean over all pairs.

    No answer (None) is at 1 from everything, also from another such: it leaves the item open.
    """
    if len(answers) < 2:
        return float(None in answers)
    pairs = list(combinations(answers, 2))
    far = (
        1.0 if one is None or other is None else task.apart(one, other, categories) for one, other in pairs
    )
    return sum(far) / len(pairs)


def current_decisions(*studies: Study) -> QuerySet[Decision]:
    """Return the latest decision on each item of the studies."""
    newer = Decision.objects.filter(item=OuterRef("item"), revision__gt=OuterRef("revision"))
    rows = Decision.objects.filter(~Exists(newer), item__study__in=studies)
    return rows.select_related("adjudicator").order_by("item__number")


def answer_key(outcome: str, answer: Answer | None) -> str:
    """Return a text that is equal exactly where two readers answered the same."""
    return outcome + json.dumps(answer, sort_keys=True)


def judgments_on(item: Item) -> list[Judgment]:
    """Return the item's current judgments, for pages that never show who gave them."""
    return list(Judgment.objects.current().filter(assignment__item=item).order_by("pk"))


def same_answers(item: Item, judgments: Iterable[Judgment]) -> list[SameAnswer]:
    """Group the judgments of the item by answer, in an order drawn from the study's seed."""
    together: dict[str, list[Judgment]] = {}
    for each in judgments:
        together.setdefault(answer_key(each.outcome, each.answer), []).append(each)
    found = [
        SameAnswer(
            same[0].pk,
            same[0].outcome,
            same[0].answer,
            len(same),
            tuple(sorted(text for each in same for text in (each.reason, each.note) if text)),
        )
        for same in together.values()
    ]
    Random(f"{item.study.seed}:{item.number}:readings").shuffle(found)  # noqa: S311 - not a secret
    return sorted(found, key=lambda each: each.outcome != Outcome.ANSWER)


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
        answer = item.study.task_type.check_answer(item.payload, answer)
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
        raise DecisionConflict("Somebody settled this item at the same moment.", current_decision(item))
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
        raise DecisionConflict("This item can not be settled now: a reading is missing, or it was replaced.")
    stored, judgments = current_decision(item), judgments_on(item)
    revision = stored.revision if stored else 0
    if ruling.revision != revision:
        raise DecisionConflict("This item was settled after this page was made.", stored)
    if ruling.seen != state_of(judgments):
        raise DecisionConflict("A reader has changed their answer since this page was made.", stored)
    same = (each.pk for each in judgments if each.answer is not None and each.answer == ruling.answer)
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
