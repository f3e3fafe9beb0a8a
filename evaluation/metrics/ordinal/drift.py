"""Drift: whether an annotator's grades move while a topic is judged, whatever the documents are.

A grade's residue is the grade minus the mean of what the others gave to the same item, minus the mean of
these differences within annotator and topic. Without the own grade in that mean, a slope that one annotator
has is found whole: with it, one of k would be found as (k - 1) / k of it. Two statistics of the residues e:

    slope      sum x e / sum x^2, x the position minus its mean within annotator and topic: grades a position
    lag-1      sum e_t e_(t+1) / sum e^2 over neighbouring positions: whether a high grade follows a high one

Chance means: the order says nothing, so residues are permuted within annotator and topic, 9,999 times. Of
more than 6,700 judgments the normal limit stands for the draws, with the exact mean and variance over all
permutations, and p is not smaller than the draws could tell. Expected lag-1 is not 0 but a little below,
because residues of a group add up to 0; p counts what is as far from that, on either side. Items that one
annotator judged have no residue and do not enter.

The interval of the slope is over topics: every topic left out in turn, Student's t with T - 1 degrees of
freedom for T topics.

Scholer, Kelly, Wu, Lee and Webber (2013), SIGIR, for effects of the order on relevance judgments; Wald and
Wolfowitz (1943), Annals of Mathematical Statistics 14, for the moments of the serial product.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evaluation.metrics.common.jackknife import LEVEL, PLAIN, limits
from evaluation.metrics.nominal.table import BoolArray, FloatArray, IntArray, distinct

DRAWS = 9_999
MOST_CELLS = 1 << 26
PERMUTED, LIMIT = "permutation within annotator and topic", "normal limit of that permutation"
_TOLERANCE = 1e-9
_DRAWN_AT_ONCE = 1 << 22


class Drift(NamedTuple):
    """Drift within annotator and topic.

    ``slope``: grades a position, above 0 where grades rise; None without two positions in any group.
    ``low``, ``high``: its interval over topics; None where there is one topic, or where topics do not differ.
    ``slope_p``: two-sided.
    ``lag_1``: autocorrelation of neighbouring residues; None where residues do not vary.
    ``lag_1_p``: two-sided; ``lag_1_expected``: its mean over permutations.
    ``n_judgments``, ``n_groups``, ``n_topics``: that enter; a group is an annotator on a topic.
    ``method``: how p was found; empty without p.
    ``reason``: why there are no values, or empty.
    """

    slope: float | None
    low: float | None
    high: float | None
    slope_p: float | None
    lag_1: float | None
    lag_1_p: float | None
    lag_1_expected: float | None
    n_judgments: int
    n_groups: int
    n_topics: int
    method: str
    reason: str


class Drifts(NamedTuple):
    """Drift of all annotators together, and of each (by index) with a judgment."""

    together: Drift
    annotators: dict[int, Drift]


class _Block(NamedTuple):
    """Groups of equal size n, (G, n) each: ``place`` and ``residue``, both minus their mean in the row."""

    topic: IntArray
    place: FloatArray
    residue: FloatArray


def drift(
    item: ArrayLike,
    annotator: ArrayLike,
    topic: ArrayLike,
    position: ArrayLike,
    grade: ArrayLike,
    seed: int,
    draws: int | None = None,
) -> Drift:
    """Test the drift of judgments, parallel arrays (M,); deterministic in its arguments.

    ``item``, ``annotator``, ``topic``: numbers from 0 on.
    ``position``: where the item stood among those of its topic for this annotator, in any unit that grows.
    ``draws``: permutations; by default 9,999, of more than 6,700 judgments 0, which means the normal limit.
    Raises ValueError for arrays of unequal length and two judgments of one group at one position.
    """
    return _drift(_residues(item, annotator, topic, position, grade), seed, draws)


def drifts(
    item: ArrayLike,
    annotator: ArrayLike,
    topic: ArrayLike,
    position: ArrayLike,
    grade: ArrayLike,
    seed: int,
    *,
    most: int,
) -> Drifts:
    """The same for all together and for each annotator, none for single ones beyond ``most`` of them."""
    found = _residues(item, annotator, topic, position, grade)
    people = distinct(np.asarray(annotator, dtype=np.int64))
    single = people if len(people) <= most else []
    return Drifts(
        _drift(found, seed, None),
        {who: _drift(found.of(found.annotator == who), seed, None) for who in single},
    )


class _Residues(NamedTuple):
    """Judgments on items of several annotators, (M,) each, by annotator, topic and position.

    ``residue``: grade minus the mean of what the others gave.
    """

    annotator: IntArray
    topic: IntArray
    place: IntArray
    residue: FloatArray

    def of(self, which: BoolArray) -> _Residues:
        return _Residues(self.annotator[which], self.topic[which], self.place[which], self.residue[which])


def _residues(
    item: ArrayLike, annotator: ArrayLike, topic: ArrayLike, position: ArrayLike, grade: ArrayLike
) -> _Residues:
    items, who, about, at = (np.asarray(each, dtype=np.int64) for each in (item, annotator, topic, position))
    grades = np.asarray(grade, dtype=np.float64)
    if len({each.shape for each in (items, who, about, at, grades)}) > 1 or items.ndim != 1:
        raise ValueError("item, annotator, topic, position and grade must have one entry per judgment.")
    # One order whatever that of the rows, so that sums agree to the last digit.
    order = np.lexsort((at, about, who))
    items, who, about, at = (each[order] for each in (items, who, about, at))
    grades = grades[order]
    if ((np.diff(who) == 0) & (np.diff(about) == 0) & (np.diff(at) == 0)).any():
        raise ValueError("An annotator has two judgments at one position of a topic.")
    times, sums = np.bincount(items)[items], np.bincount(items, weights=grades)[items]
    kept = times > 1
    others = (sums[kept] - grades[kept]) / (times[kept] - 1)
    return _Residues(who[kept], about[kept], at[kept], grades[kept] - others)


def _drift(found: _Residues, seed: int, draws: int | None) -> Drift:
    blocks = _blocks(found)
    n_groups, n_judgments = sum(len(each.topic) for each in blocks), sum(each.place.size for each in blocks)
    topics = np.unique(np.concatenate([each.topic for each in blocks])) if blocks else np.zeros(0)
    counts = (n_judgments, n_groups, len(topics))
    nothing = Drift(None, None, None, None, None, None, None, *counts, "", "")
    if not blocks:
        reason = "No annotator has two documents of a topic that others judged as well."
        return nothing._replace(reason=reason)
    spread = sum(float((each.residue**2).sum()) for each in blocks)
    if spread <= _TOLERANCE:
        reason = "All annotators gave each document the same grade: nothing is left that could drift."
        return nothing._replace(reason=reason)
    if draws is None:
        draws = DRAWS if n_judgments * DRAWS <= MOST_CELLS else 0
    slope, lag = _statistics(blocks)
    expected, slope_error, lag_error = _moments(blocks)
    if draws:
        slopes, lags = _permuted(blocks, seed, draws)
        slope_p, lag_p = _p(slope, slopes, 0.0), _p(lag, lags, expected)
    else:
        slope_p, lag_p = _p_of_limit(slope, slope_error), _p_of_limit(lag - expected, lag_error)
    return Drift(
        slope / sum(float((each.place**2).sum()) for each in blocks),
        *_over_topics(blocks),
        slope_p,
        lag / spread,
        lag_p,
        expected / spread,
        *counts,
        PERMUTED if draws else LIMIT,
        "",
    )


def _blocks(found: _Residues) -> list[_Block]:
    """The groups with two judgments or more, those of equal size together."""
    new = np.diff(found.annotator, prepend=-1).astype(bool) | np.diff(found.topic, prepend=-1).astype(bool)
    group = np.cumsum(new) - 1
    sizes = np.bincount(group)
    blocks = []
    for size in np.unique(sizes[sizes > 1]):
        which = sizes[group] == size
        place, residue = (
            each[which].astype(np.float64).reshape(-1, int(size)) for each in (found.place, found.residue)
        )
        place -= place.mean(axis=1)[:, None]
        blocks.append(
            _Block(found.topic[which][:: int(size)], place, residue - residue.mean(axis=1)[:, None])
        )
    return blocks


def _statistics(blocks: list[_Block]) -> tuple[float, float]:
    """Sums of position times residue, and of neighbouring residues."""
    slope = sum(float((each.place * each.residue).sum()) for each in blocks)
    return slope, sum(float((each.residue[:, 1:] * each.residue[:, :-1]).sum()) for each in blocks)


def _permuted(blocks: list[_Block], seed: int, draws: int) -> tuple[FloatArray, FloatArray]:
    """(draws,) the same sums with residues permuted within their rows."""
    generator = np.random.default_rng(seed)
    slopes, lags = np.zeros(draws), np.zeros(draws)
    for _, x, e in blocks:
        at_once = max(1, _DRAWN_AT_ONCE // e.size)
        for start in range(0, draws, at_once):
            stop = min(start + at_once, draws)
            drawn = generator.permuted(np.broadcast_to(e, (stop - start, *e.shape)), axis=2)
            slopes[start:stop] += np.einsum("bij,ij->b", drawn, x)
            lags[start:stop] += np.einsum("bij,bij->b", drawn[:, :, 1:], drawn[:, :, :-1])
    return slopes, lags


def _moments(blocks: list[_Block]) -> tuple[float, float, float]:
    """Over all permutations within the rows: the mean of the sum of neighbours, and the standard deviations
    of the sum of position times residue (whose mean is 0) and of that sum.

    With S2 and S4 the sums of e^2 and e^4 of a row of n, whose e add up to 0: the variance of sum x e is
    sum x^2 S2 / (n - 1); the mean of sum e_t e_(t+1) is -S2 / n; its square's mean adds over pairs of
    neighbours that are the same, that share one residue and that share none.
    """
    mean = slope = lag = 0.0
    for _, x, e in blocks:
        n = x.shape[1]
        s2, s4 = (e**2).sum(axis=1), (e**4).sum(axis=1)
        slope += float(((x**2).sum(axis=1) * s2).sum()) / (n - 1)
        square = (s2**2 - s4) / n
        if n > 2:
            square = square + 2 * (2 * s4 - s2**2) / (n * (n - 1))
        if n > 3:
            square = square + (3 * s2**2 - 6 * s4) / (n * (n - 1))
        mean -= float(s2.sum()) / n
        lag += float((square - (s2 / n) ** 2).sum())
    return mean, slope**0.5, max(lag, 0.0) ** 0.5


def _over_topics(blocks: list[_Block]) -> tuple[float | None, float | None]:
    """The ends of the interval of the slope, each topic left out in turn."""
    topics, at = np.unique(np.concatenate([each.topic for each in blocks]), return_inverse=True)
    n = len(topics)
    if n < 2:
        return None, None
    above = np.concatenate([(each.place * each.residue).sum(axis=1) for each in blocks])
    below = np.concatenate([(each.place**2).sum(axis=1) for each in blocks])
    above, below = (np.bincount(at, weights=each, minlength=n) for each in (above, below))
    slope = above.sum() / below.sum()
    without = (above.sum() - above) / (below.sum() - below)
    error = np.sqrt((n - 1) / n * ((without - without.mean()) ** 2).sum())
    if error <= _TOLERANCE:
        return None, None
    low, high = limits(np.array([slope]), np.array([error]), np.array([n]), PLAIN, LEVEL)
    return float(low[0]), float(high[0])


def _p(found: float, drawn: FloatArray, middle: float) -> float:
    """The part of permutations at least as far from the middle, the observed order counted among them."""
    least = abs(found - middle) * (1 - _TOLERANCE) - _TOLERANCE
    return (int((np.abs(drawn - middle) >= least).sum()) + 1) / (len(drawn) + 1)


def _p_of_limit(distance: float, error: float) -> float:
    """Two-sided, 1 where every order gives the same."""
    from scipy.special import ndtr

    if error <= _TOLERANCE:
        return 1.0
    return max(float(2 * ndtr(-abs(distance) / error)), 1 / (DRAWS + 1))
