"""The level of the test at each look at which all looks together are wrong in α of studies.

What may have been spent of α by the look at a share t of the last look's items is a function chosen
beforehand; how many looks there are, and how far apart, is then free (Lan and DeMets 1983):

    Pocock's kind              α*(t) = α ln(1 + (e - 1) t)
    O'Brien and Fleming's      α*(t) = 2 (2 - 2 Φ(z(1 - α/4) / sqrt(t)))

The second is twice the one-sided function at α/2: a boundary on either side. The bound c_j of |Z_j| is what
lets the look j spend the difference: P(|S_i| <= c_i sqrt(n_i) for i < j, |S_j| > c_j sqrt(n_j)) =
α*(t_j) - α*(t_(j-1)), by the recursion of ``looks``.

**Intervals.** The interval at look j of the level 1 - p_j, p_j = 2 - 2 Φ(c_j), holds the true value at all
looks at once in 1 - α of studies, whenever reading ended and why (repeated confidence intervals, Jennison and
Turnbull 1989). The comparison with a value is decided as soon as the interval lies on one side of it.

Lan, K. K. G. and DeMets, D. L. (1983). Biometrika 70, 659-663. Jennison, C. and Turnbull, B. W. (1989).
JRSS B 51, 305-361; (2000) Group Sequential Methods, chapters 7 and 9.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from statistics import NormalDist

from evaluation.metrics.planning.looks import Walk, checked

ALPHA = 0.05
LEAST = 1e-7
"""A look that may spend less than this spends nothing: no interval of few items is known so far out."""
_STEPS = 60
_NORMAL = NormalDist()


def pocock(share: float, alpha: float) -> float:
    return alpha * math.log(1 + (math.e - 1) * share)


def obrien_fleming(share: float, alpha: float) -> float:
    return 4 * _NORMAL.cdf(-_NORMAL.inv_cdf(1 - alpha / 4) / math.sqrt(share))


SPENDING: dict[str, Callable[[float, float], float]] = {"pocock": pocock, "obrien_fleming": obrien_fleming}


@lru_cache(maxsize=128)
def bounds(items: tuple[int, ...], spending: str, alpha: float = ALPHA) -> tuple[float, ...]:
    """Return c_j for each look: how far from 0 a standard normal test must lie; infinite where nothing is
    spent.

    ``items``: at each look, rising; ``spending``: a name of ``SPENDING``. Raises ValueError for items that do
    not rise and for a level that is none, KeyError for another name.
    """
    checked(items, alpha)
    function, walk, spent = SPENDING[spending], Walk(), 0.0
    found = list[float]()
    for size in items:
        may = function(size / items[-1], alpha)
        bound = math.inf if may - spent < LEAST else _bound(walk, size, may - spent)
        # Against what was left over, so that nothing is lost.
        spent += walk.step(size, bound)
        found.append(bound)
    return tuple(found)


def levels(items: tuple[int, ...], spending: str, alpha: float = ALPHA) -> tuple[float, ...]:
    """Return p_j for each look: the level of its two-sided test, 0 where it decides nothing."""
    return tuple(2 * _NORMAL.cdf(-bound) for bound in bounds(items, spending, alpha))


def _bound(walk: Walk, size: int, spend: float) -> float:
    """The bound at which exactly this is spent; what leaves the walk falls as the bound rises."""
    low, high = 0.0, 10.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if walk.leaving(size, middle) > spend else (low, middle)
    return high
