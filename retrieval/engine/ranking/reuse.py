"""Which of several choices each excerpt takes, so that no wrong passage is offered by two items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

FRESH = 2.5
"""How many other rules are given up rather than offer a passage twice: what alone is offered by two items
shows, while speech and opening mark, the first to go, are most often alike all the same."""


class Alternative(NamedTuple):
    """Negatives that an excerpt could have: how many rules they keep, and what each of them reads."""

    worth: int
    reads: Sequence[str]


class Taken(NamedTuple):
    """What an excerpt takes: the number of the alternative, and whether no other item offers any of it."""

    number: int
    fresh: bool


def take(names: Sequence[str], offered: Sequence[Sequence[Alternative]]) -> list[Taken]:
    """Return for each excerpt what it takes: the first that keeps most rules, `FRESH` being worth some of them.

    They choose in the order of their names, so the order in which they come does not count.
    """
    used: set[str] = set()
    taken: dict[int, Taken] = {}
    for at in sorted(range(len(names)), key=names.__getitem__):
        rows = offered[at]
        fresh = [used.isdisjoint(each.reads) for each in rows]
        number = max(range(len(rows)), key=lambda n: (rows[n].worth + FRESH * fresh[n], -n))
        used.update(rows[number].reads)
        taken[at] = Taken(number, fresh[number])
    return [taken[at] for at in range(len(names))]
