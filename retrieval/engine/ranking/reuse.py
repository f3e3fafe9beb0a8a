"""Which of several choices each excerpt takes: no wrong passage in two items, and golds in the midst of theirs.

Over the excerpts of a job the sum of log ranks is made small, and with it the square of what golds lie above
the means of their options in each measure (`Shelf.leans`), summed over the job. Where that sum is nought, a
linear model of these measures has nothing to learn from: its score at weights of nought is that sum. Excerpts
choose one after the other, again and again until none would choose otherwise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

RULE = 3.0
"""What a rule that is kept is worth in log ranks: e³, some twentyfold rank."""
FRESH = 10.0
"""How many other rules are given up rather than offer a passage twice: what alone is offered by two items
shows, and a handful of such items all lean the same way."""
MIDST = 30.0
"""What it costs in log ranks, by excerpts, that golds of a job lie off the means of their options by one
standard deviation."""
ROUNDS = 5

Row = npt.NDArray[np.float64]


class Alternative(NamedTuple):
    """Negatives that an excerpt could have."""

    worth: int
    """How many rules they keep."""
    reads: Sequence[str]
    """What each of them reads."""
    cost: float = 0.0
    """The sum of the logarithms of their ranks."""
    leans: Sequence[float] = ()
    """By how much the gold lies above the mean of the options, in every measure that is balanced."""


class Taken(NamedTuple):
    """What an excerpt takes: the number of the alternative, and whether no other item offers any of it."""

    number: int
    fresh: bool


def take(names: Sequence[str], offered: Sequence[Sequence[Alternative]]) -> list[Taken]:
    """Return for each excerpt what it takes; of choices that cost as much the first.

    They choose in the order of their names, so the order in which they come does not count.
    """
    used: Counter[str] = Counter()
    leans = _in_deviations(offered)
    total = np.zeros(leans[0].shape[1] if leans else 0)
    taken: dict[int, int] = {}
    for _ in range(ROUNDS):
        before = dict(taken)
        for at in sorted(range(len(names)), key=names.__getitem__):
            if at in taken:
                used.subtract(offered[at][taken[at]].reads)
                total -= leans[at][taken[at]]
            off = MIDST * ((total + leans[at]) ** 2).sum(axis=1) / len(names)
            costs = [_cost(each, used) + more for each, more in zip(offered[at], off.tolist(), strict=True)]
            taken[at] = costs.index(min(costs))
            used.update(offered[at][taken[at]].reads)
            total += leans[at][taken[at]]
        if taken == before:
            break
    return [
        Taken(taken[at], all(used[one] == 1 for one in rows[taken[at]].reads))
        for at, rows in enumerate(offered)
    ]


def _cost(each: Alternative, used: Counter[str]) -> float:
    return each.cost - RULE * (each.worth + FRESH * (not any(used[one] for one in each.reads)))


def _in_deviations(offered: Sequence[Sequence[Alternative]]) -> list[Row]:
    """(alternatives, measures) of each excerpt, in units of the root mean square over all that is offered."""
    rows = [np.array([each.leans for each in one], dtype=np.float64) for one in offered]
    if not rows:
        return []
    scale = np.sqrt((np.concatenate(rows) ** 2).mean(axis=0))
    return [row / np.where(scale > 0, scale, 1.0) for row in rows]
