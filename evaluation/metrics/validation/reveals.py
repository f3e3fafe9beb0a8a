"""What readers changed when they saw the machine's answer after their own.

A change is *towards* the machine where the distance to its answer shrinks, *away* where it grows, and
*lateral* where the answer changes and the distance does not. Whether changes go towards it more than away is
McNemar's exact test on the two counts; the share of disagreements that were given up has Wilson's interval.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evaluation.metrics.common.intervals import LEVEL, wilson

_SAME = 1e-12


class Revisions(NamedTuple):
    """Readings of the arm *reveal*.

    ``n``: all; ``n_disagreeing``: whose first answer was not the machine's.
    ``towards``, ``away``, ``lateral``: changed, by direction.
    ``p``: McNemar's, exact, of towards against away.
    ``share``, ``low``, ``high``: of the disagreements, those changed towards the machine; None without any.
    ``withdrawn``: readings not among ``n``: answered before the reveal, no answer after it (can't decide, or
    broken). They have no direction, and are no kept answer either.
    """

    n: int
    n_disagreeing: int
    towards: int
    away: int
    lateral: int
    p: float
    share: float | None
    low: float | None
    high: float | None
    withdrawn: int = 0

    @property
    def changed(self) -> int:
        return self.towards + self.away + self.lateral


def revisions(
    before: ArrayLike, after: ArrayLike, changed: ArrayLike, level: float = LEVEL, *, withdrawn: int = 0
) -> Revisions:
    """Count changes. ``before``, ``after`` (M,): distance of the first and the last answer to the machine's,
    0 where equal; ``changed`` (M,): whether the answer is another one."""
    from scipy.stats import binomtest

    first, last = (np.asarray(each, dtype=np.float64) for each in (before, after))
    other = np.asarray(changed, dtype=np.bool_)
    towards = int((last < first - _SAME).sum())
    away = int((last > first + _SAME).sum())
    lateral = int((other & (np.abs(last - first) <= _SAME)).sum())
    disagreeing = int((first > _SAME).sum())
    p = float(binomtest(towards, towards + away).pvalue) if towards + away else 1.0
    low, high = wilson(towards, disagreeing, level) if disagreeing else (None, None)
    share = towards / disagreeing if disagreeing else None
    return Revisions(len(first), disagreeing, towards, away, lateral, p, share, low, high, withdrawn)
