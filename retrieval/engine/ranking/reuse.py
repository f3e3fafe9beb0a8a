"""Which of several choices each excerpt takes, so that no wrong passage is offered by two items."""

from __future__ import annotations

from collections import Counter
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
    """Return for each excerpt what it takes: the first that keeps most rules, `FRESH` worth some.

    They choose in the order of their names, so the order in which they come does not count.
    """
    used: Counter[str] = Counter()
    taken = [0] * len(names)
    for at in sorted(range(len(names)), key=names.__getitem__):
        rows = offered[at]
        worth = [each.worth + FRESH * (not any(used[one] for one in each.reads)) for each in rows]
        taken[at] = max(range(len(rows)), key=lambda n: (worth[n], -n))
        used.update(rows[taken[at]].reads)
    return [
        Taken(number, all(used[one] == 1 for one in rows[number].reads))
        for number, rows in zip(taken, offered, strict=True)
    ]
