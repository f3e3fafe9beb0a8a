"""A study's current judgments as arrays: three queries, however large the study.

Counted are items of kind *work* and readers whose role is annotator: practice and check items train or watch
readers, and an adjudicator's label is a layer above what readers said independently.

A nominal answer, and a nominal gold answer, is ``{"option": canonical number}``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from statistics import median
from typing import Any, NamedTuple

from annotation.models import Judgment, Kind, Outcome, Role, Study
from evaluation.metrics.table import NO_GOLD

AT_ONCE = 10_000


class Unreadable(ValueError):
    """The study's items or answers cannot be brought into one table. One sentence says which."""


class Reader(NamedTuple):
    """An annotator of the study, whether or not anything was judged yet."""

    pseudonym: str
    simulated: bool
    outcomes: Counter[str]
    seconds: list[float]

    @property
    def judged(self) -> int:
        """Current judgments of whatever outcome."""
        return self.outcomes.total()

    @property
    def median_seconds(self) -> float | None:
        """Median active seconds of the current answers that have a time."""
        return median(self.seconds) if self.seconds else None


class Items(NamedTuple):
    """The work items by number. ``place`` maps primary keys to 0..N-1; ``options`` is q, 0 without items."""

    place: dict[int, int]
    number: list[int]
    gold: list[int]
    options: int


class Answers(NamedTuple):
    """One entry per current answer: item and reader by index, canonical option, the order shown."""

    item: list[int]
    reader: list[int]
    option: list[int]
    order: list[list[int]]
    readers: list[Reader]


def option_of(answer: Any, number: int) -> int:
    """The canonical option that a nominal answer names; ``number`` is the item's, for the message."""
    option = answer.get("option") if isinstance(answer, Mapping) else None
    if not isinstance(option, int) or isinstance(option, bool):
        raise Unreadable(
            f"Item {number}: an answer must be stored as {{“option”: number}}, not as {answer!r}."
        )
    return option


def read_items(study: Study) -> Items:
    """Gold and number of options of every work item. Raises Unreadable when items differ in the latter."""
    task = study.task_type
    rows = (
        study.items.filter(kind=Kind.WORK).order_by("number").values_list("pk", "number", "payload", "gold")
    )
    place: dict[int, int] = {}
    numbers: list[int] = []
    gold: list[int] = []
    offered: dict[int, list[int]] = {}
    for pk, number, payload, right in rows.iterator(AT_ONCE):
        place[pk] = len(gold)
        numbers.append(number)
        gold.append(NO_GOLD if right is None else option_of(right, number))
        offered.setdefault(task.n_options(payload), []).append(number)
    if len(offered) > 1:
        few = min(offered, key=lambda q: len(offered[q]))
        named = ", ".join(str(number) for number in offered[few][:5]) + (
            " …" if len(offered[few]) > 5 else ""
        )
        raise Unreadable(
            f"Items offer {min(offered)} to {max(offered)} options (item {named}: {few}), and chance needs "
            "the same number on every item: build a study for each number."
        )
    return Items(place, numbers, gold, next(iter(offered), 0))


def read_answers(study: Study, items: Items) -> Answers:
    """The current judgments of the study's annotators on these items."""
    readers, index = _readers(study)
    found = Answers([], [], [], [], readers)
    rows = (
        Judgment.objects.current()
        .filter(assignment__study=study)
        .order_by()
        .values_list(
            "assignment__item_id", "annotator_id", "outcome", "answer", "order", "active_seconds", "door"
        )
    )
    programs = set()
    for item, annotator, outcome, answer, order, seconds, door in rows.iterator(AT_ONCE):
        where, who = items.place.get(item), index.get(annotator)
        if where is None or who is None:
            continue
        readers[who].outcomes[outcome] += 1
        if door == "simulation":
            programs.add(who)
        if outcome != Outcome.ANSWER:
            continue
        found.item.append(where)
        found.reader.append(who)
        found.option.append(option_of(answer, items.number[where]))
        found.order.append(order)
        if seconds is not None:
            readers[who].seconds.append(seconds)
    for who in programs:
        readers[who] = readers[who]._replace(simulated=True)
    return found


def _readers(study: Study) -> tuple[list[Reader], dict[int, int]]:
    rows = (
        study.enrolments.filter(role=Role.ANNOTATOR)
        .order_by("id")
        .values_list("pk", "pseudonym", "simulated")
    )
    readers: list[Reader] = []
    index: dict[int, int] = {}
    for pk, pseudonym, simulated in rows:
        index[pk] = len(readers)
        readers.append(Reader(pseudonym, simulated, Counter(), []))
    return readers, index
