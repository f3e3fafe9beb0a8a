"""What makes the items of a study hard, computed: a model for people, one for machines, and the lures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from annotation.models import Study
from evaluation.difficulty.reading import Chosen, Gap, Hard, Passage, features, read
from evaluation.metrics.common.logistic import Fitted, logistic
from evaluation.metrics.machines.likeness import NOTHING, MeanLikeness, mean_likeness

NOT_HERE = (
    "Readers of this task choose between no passages, so there is no right one that a wrong one lures from."
)
NO_GOLD = "No item has a right answer, so no answer is known to be right or wrong."
NO_ANSWERS = "Nobody has answered an item with a known right answer yet."
SHOWN = 20
"""The wrong passages that fooled most."""


class Lures(NamedTuple):
    """Wrong passages of one sort.

    part, group: by what they are sorted, and which sort.
    n_passages: how many there are.
    people, machines: how often such a passage was chosen where it was offered.
    """

    part: str
    group: str
    n_passages: int
    people: MeanLikeness
    machines: MeanLikeness


class Lure(NamedTuple):
    """One wrong passage that fooled somebody.

    item: the item's number; passage: what it is.
    people, machines: who chose it; n_people, n_machines: of how many.
    """

    item: int
    passage: Passage
    people: tuple[str, ...]
    n_people: int
    machines: tuple[str, ...]
    n_machines: int


class Difficulty(NamedTuple):
    """The report.

    slug, title: of the study.
    n_items: with gold; n_left_out: that were not drawn.
    people, machines: the models; None without answers of theirs.
    unknown: features that are not known of all items, which no model has.
    lures: by sort; worst: the passages that fooled most.
    problem: why there is nothing to say; empty where there is.
    """

    slug: str
    title: str
    n_items: int = 0
    n_left_out: int = 0
    people: Fitted | None = None
    machines: Fitted | None = None
    unknown: tuple[str, ...] = ()
    lures: tuple[Lures, ...] = ()
    worst: tuple[Lure, ...] = ()
    problem: str = ""


def difficulty(study: Study) -> Difficulty:
    """Compute the report from the items and answers as they are now; where there is none, why."""
    found = Difficulty(study.slug, " ".join(study.title.split()))
    if not study.task_type.orders_options:
        return found._replace(problem=NOT_HERE)
    hard = read(study)
    if not hard.items:
        return found._replace(problem=NO_GOLD)
    if not hard.answers:
        return found._replace(n_items=len(hard.items), problem=NO_ANSWERS)
    known = {key: features(each) for key, each in hard.items.items()}
    names = list(next(iter(known.values())))
    unknown = tuple(name for name in names if any(each[name] is None for each in known.values()))
    used = [name for name in names if name not in unknown]
    people, machines = ([each for each in hard.answers if each.machine is own] for own in (False, True))
    return found._replace(
        n_items=len(hard.items),
        n_left_out=hard.n_left_out,
        people=fitted(hard, people, known, used) if people else None,
        machines=fitted(hard, machines, known, used) if machines else None,
        unknown=unknown,
        lures=tuple(sorts(hard, people, machines)),
        worst=tuple(worst(hard)),
    )


def fitted(
    hard: Hard, answers: Sequence[Chosen], known: dict[int, dict[str, float | None]], names: Sequence[str]
) -> Fitted:
    """Fit the model to these answers."""
    who = sorted({each.who for each in answers})
    return logistic(
        [each.option == hard.items[each.item].gold for each in answers],
        [[known[each.item][name] or 0.0 for name in names] for each in answers],
        names,
        [each.item for each in answers],
        [who.index(each.who) for each in answers],
    )


def by_overlap(one: Passage, gold: Passage) -> str:
    bounds = ((0.25, "under 25 %"), (0.5, "25 to 50 %"), (0.75, "50 to 75 %"))
    return next((name for most, name in bounds if one.overlap < most), "75 % or more")


def by_rank(one: Passage, gold: Passage) -> str:
    if one.rank is None:
        return ""
    bounds = ((1, "1"), (3, "2 to 3"), (10, "4 to 10"), (100, "11 to 100"))
    return next((name for most, name in bounds if one.rank <= most), "beyond 100")


LENGTHS = ("shorter by a fifth or more", "alike", "longer by a quarter or more")


def by_length(one: Passage, gold: Passage) -> str:
    share = one.n_words / max(1, gold.n_words)
    return (
        "shorter by a fifth or more"
        if share <= 0.8
        else "longer by a quarter or more"
        if share >= 1.25
        else "alike"
    )


PARTS: dict[str, tuple[Callable[[Passage, Passage], str], tuple[str, ...]]] = {
    "ranker that brought it": (lambda one, gold: one.ranker, ()),
    "words shared with the criticism": (
        by_overlap,
        ("under 25 %", "25 to 50 %", "50 to 75 %", "75 % or more"),
    ),
    "rank": (by_rank, ("1", "2 to 3", "4 to 10", "11 to 100", "beyond 100")),
    "length beside the right one": (by_length, LENGTHS),
}


def sorts(hard: Hard, people: Sequence[Chosen], machines: Sequence[Chosen]) -> Iterable[Lures]:
    """Yield how often wrong passages of each sort were chosen where they were offered."""
    for part, (of, order) in PARTS.items():
        groups: dict[str, set[tuple[int, int]]] = {}
        for key, each in hard.items.items():
            for at, one in wrong(each):
                if name := of(one, each.passages[each.gold]):
                    groups.setdefault(name, set()).add((key, at))
        for name in order or sorted(groups):
            if name in groups:
                rates = (rate(groups[name], answers) for answers in (people, machines))
                yield Lures(part, name, len(groups[name]), *rates)


def wrong(each: Gap) -> Iterable[tuple[int, Passage]]:
    """Return the wrong options of an item with their canonical numbers."""
    return ((at, one) for at, one in enumerate(each.passages) if at != each.gold)


def rate(offered: set[tuple[int, int]], answers: Sequence[Chosen]) -> MeanLikeness:
    """Return how often these options were chosen by whoever was offered them, with an interval over items."""
    of_item: dict[int, list[int]] = {}
    for key, at in offered:
        of_item.setdefault(key, []).append(at)
    values = [float(one.option == at) for one in answers for at in of_item.get(one.item, ())]
    items = [one.item for one in answers for _ in of_item.get(one.item, ())]
    return mean_likeness(values, items) if values else NOTHING


def worst(hard: Hard) -> list[Lure]:
    """Return the wrong passages that fooled most people, then most machines."""
    answers: dict[int, list[Chosen]] = {}
    for each in hard.answers:
        answers.setdefault(each.item, []).append(each)
    found = []
    for key, gap in hard.items.items():
        said = answers.get(key, [])
        n_machines = int(np.sum([each.machine for each in said]))
        for at, one in wrong(gap):
            fooled = [
                tuple(each.who for each in said if each.option == at and each.machine is own)
                for own in (False, True)
            ]
            if any(fooled):
                n_people = len(said) - n_machines
                found.append(Lure(gap.number, one, fooled[0], n_people, fooled[1], n_machines))
    found.sort(key=lambda each: (-len(each.people), -len(each.machines), each.item))
    return found[:SHOWN]
