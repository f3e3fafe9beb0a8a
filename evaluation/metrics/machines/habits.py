"""What a machine does when it is asked again, and whether it reads words instead of texts.

*Repeatability*: pairs of answers to the same question asked twice. *Position preference*: options shown in
several orders; without a preference each place is chosen equally often, whatever the right answer, because
each option stood at each place, or an order was drawn. *Query words*: Spearman's correlation of grades with
the share of the query's words that stand in the text, the machine's beside people's: a machine that is
fooled by words has the greater one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evaluation.metrics.common.intervals import LEVEL
from evaluation.metrics.machines.likeness import MeanLikeness, mean_likeness
from evaluation.metrics.nominal.position import PositionTest, position_counts_test
from evaluation.metrics.nominal.table import FloatArray, IntArray

RESAMPLES = 1000


class Repeated(NamedTuple):
    """The same question asked again.

    ``every``: likeness of a later answer to the first.
    ``by_grade``: the same for each first grade; empty where answers are no grades.
    """

    every: MeanLikeness
    by_grade: tuple[MeanLikeness, ...] = ()


def repeated(
    likeness: ArrayLike,
    item: ArrayLike,
    grade: ArrayLike | None = None,
    grades: int = 0,
    level: float = LEVEL,
) -> Repeated:
    """How often later answers are the first again. ``likeness``, ``item`` (M,): of later answers to the
    first;
    ``grade`` (M,): the first, where answers are grades 0 to ``grades`` - 1.
    """
    x, items = np.asarray(likeness, dtype=np.float64), np.asarray(item, dtype=np.int64)
    every = mean_likeness(x, items, level=level)
    if grade is None:
        return Repeated(every)
    first = np.asarray(grade, dtype=np.int64)
    own = (first == each for each in range(grades))
    return Repeated(every, tuple(mean_likeness(x[which], items[which], level=level) for which in own))


class Places(NamedTuple):
    """Where chosen options stood.

    ``test``: how often each place was chosen, and p of even places.
    ``same``: likeness of answers in other orders to the first; ``n`` 0 with one order.
    """

    test: PositionTest
    same: MeanLikeness


def places(position: ArrayLike, options: int, likeness: ArrayLike, item: ArrayLike, seed: int) -> Places:
    """Whether places on the screen are chosen evenly.

    ``position``: of each chosen option, from 0, of items shown in every order alone; ``likeness``, ``item``:
    of the answers in later orders to that in the first.
    """
    counts = np.bincount(np.asarray(position, dtype=np.int64), minlength=options)
    return Places(position_counts_test(counts, seed), mean_likeness(likeness, item))


class WordsAndGrades(NamedTuple):
    """Grades against the share of the query's words in the text.

    ``machine``, ``people``: Spearman's ρ on the same items; None where one of the two does not vary.
    ``difference``: of the two, with its bootstrap interval.
    ``n_items``: items that both graded.
    ``by_grade``: mean share of query words at each grade, the machine's and people's; None where none is.
    """

    machine: float | None
    people: float | None
    difference: float | None
    low: float | None
    high: float | None
    n_items: int
    by_grade: tuple[tuple[float | None, float | None], ...]


def words_and_grades(
    words: ArrayLike, machine: ArrayLike, people: ArrayLike, grades: int, seed: int, level: float = LEVEL
) -> WordsAndGrades:
    """Lay grades beside the share of query words. ``words`` (N,): 0 to 1; ``machine`` (N,): grades;
    ``people`` (N,): mean grade of the readers of each item."""
    share, ours, theirs = (np.asarray(each, dtype=np.float64) for each in (words, machine, people))
    by_grade = tuple(
        (_mean(share[ours == grade]), _mean(share[np.rint(theirs) == grade])) for grade in range(grades)
    )
    first, second = _spearman(share, ours), _spearman(share, theirs)
    if first is None or second is None:
        return WordsAndGrades(first, second, None, None, None, len(share), by_grade)
    draw = np.random.default_rng(seed)
    drawn = [
        _apart(share[at], ours[at], theirs[at])
        for at in draw.integers(0, len(share), (RESAMPLES, len(share)))
    ]
    known = np.array([each for each in drawn if each is not None])
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2]) if len(known) else (None, None)
    return WordsAndGrades(
        first,
        second,
        first - second,
        None if low is None else float(low),
        None if high is None else float(high),
        len(share),
        by_grade,
    )


def _apart(share: FloatArray, ours: FloatArray, theirs: FloatArray) -> float | None:
    first, second = _spearman(share, ours), _spearman(share, theirs)
    return None if first is None or second is None else first - second


def _spearman(first: FloatArray, second: FloatArray) -> float | None:
    if len(first) < 3 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return None
    return float(np.corrcoef(_ranks(first), _ranks(second))[0, 1])


def _ranks(values: FloatArray) -> FloatArray:
    """Ranks from 0, tied ones shared."""
    _, place, times = np.unique(values, return_inverse=True, return_counts=True)
    ends: IntArray = np.cumsum(times)
    return np.asarray((ends - (times + 1) / 2)[place.ravel()], dtype=np.float64)


def _mean(values: FloatArray) -> float | None:
    return float(values.mean()) if len(values) else None
