"""Machines and readers in one table: each against gold, the others, their majority and what was settled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations

from evaluation.beside.readings import Numbers, SaidBy
from evaluation.metrics.machines.as_reader import AsReader, as_reader

Likeness = Callable[[Numbers, Numbers], float]
Answers = Mapping[int, Numbers]


def by_item(people: Mapping[int, Answers]) -> dict[int, list[Numbers]]:
    """People's answers to each item, in the order of the readers."""
    found: dict[int, list[Numbers]] = {}
    for answers in people.values():
        for item, answer in answers.items():
            found.setdefault(item, []).append(answer)
    return found


def among_people(likeness: Likeness, answers: Mapping[int, list[Numbers]]) -> dict[int, float]:
    """The mean likeness of each two people's answers to an item, of items that two answered or more."""
    found = {}
    for item, said in answers.items():
        pairs = [likeness(one, other) for one, other in combinations(said, 2)]
        if pairs:
            found[item] = sum(pairs) / len(pairs)
    return found


def like_a_reader(
    likeness: Likeness, answers: Answers, said: SaidBy, people: Mapping[int, list[Numbers]], seed: int
) -> AsReader | None:
    """A machine's agreement with people beside people's among themselves; None where no item has both."""
    among = among_people(likeness, {item: people[item] for item in sorted(answers) if item in people})
    items = list(among)
    ours = [sum(likeness(answers[item], one) for one in people[item]) / len(people[item]) for item in items]
    topics = [said.topic[item] for item in items] if said.topic else None
    return as_reader(ours, [among[item] for item in items], seed, topics)
