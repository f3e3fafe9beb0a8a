"""The items of a study that adjudicators can decide on, and how far they are with them.

An item can be decided in an open study when all its assignments are done, and in a closed one
when anybody has judged it; items in quarantine wait until the study is closed, and a version
that was replaced is never decided.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

from django.db.models import Exists, OuterRef, Q, QuerySet, TextField
from django.db.models.functions import Cast

from annotation.models import (
    Assignment,
    AssignmentStatus,
    Decision,
    Item,
    Judgment,
    Kind,
    State,
    Study,
)
from annotation.tasktypes.base import Answer, TaskType


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


class AdjudicationProgress(NamedTuple):
    """How far the adjudication of a study is.

    items: that can be decided now.
    waiting: of these, how many need a decision.
    decided: how many have one.
    changed: how many have a decision older than a judgment.
    """

    items: int
    waiting: int
    decided: int
    changed: int


def adjudicable_items(*studies: Study) -> QuerySet[Item]:
    """Return the items of the studies that can be decided now, by number."""
    of = {state: [study.pk for study in studies if study.state == state] for state in State}
    judged = Exists(Judgment.objects.current().filter(item=OuterRef("pk")))
    assignments = Assignment.objects.filter(item=OuterRef("pk"))
    filled = Exists(assignments) & ~Exists(assignments.exclude(status=AssignmentStatus.DONE))
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
        decided=sum(each.decision is not None for each in listed),
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
        different=len({answer_key(outcome, answer and task.verdict(answer)) for _, outcome, answer in said}),
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
