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
from evaluation.metrics.ordinal.orders import (
    DRAWS,
    Block,
    moments,
    p_of_draws,
    p_of_limit,
    permuted,
    statistics,
)

MOST_CELLS = 1 << 26
PERMUTED = "permutation within reader and topic"
LIMIT = f"normal limit of the {PERMUTED}"
_TOLERANCE = 1e-9
_LARGEST = 1 << 62


class Drift(NamedTuple):
    """Drift within annotator and topic.

    ``slope``: grades a position, above 0 where grades rise; None without two positions in any group.
    ``low``, ``high``: its interval over topics; None where there is one topic, or where topics do not differ.
    ``slope_p``: two-sided.
    ``lag_1``: autocorrelation of neighbouring residues; None where residues do not vary.
    ``lag_1_p``: two-sided; ``lag_1_expected``: its mean over permutations.
    ``alike``: correlation of a position with the mean of those the item had for the others, within group;
        None where positions do not vary. Near 1 all had one order: what all do alike is then in the means of
        the items, and the drift of one annotator is its opposite in the others.
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
    alike: float | None
    n_judgments: int
    n_groups: int
    n_topics: int
    method: str
    reason: str


class Drifts(NamedTuple):
    """Drift of all annotators together, and of each (by index) with a judgment."""

    together: Drift
    annotators: dict[int, Drift]


def drifts(
    item: ArrayLike,
    annotator: ArrayLike,
    topic: ArrayLike,
    position: ArrayLike,
    grade: ArrayLike,
    seed: int,
    *,
    most: int,
    draws: int | None = None,
) -> Drifts:
    """Test the drift of judgments, parallel arrays (M,), of all together and of each annotator, none of
    single ones beyond ``most`` of them; deterministic in its arguments.

    ``item``, ``annotator``, ``topic``: numbers from 0 on.
    ``position``: where the item stood among those of its topic for this annotator, in any unit that grows.
    ``draws``: permutations; by default 9,999, of more than 6,700 judgments 0, which means the normal limit.
    Raises ValueError for arrays of unequal length and two judgments of one group at one position.
    """
    found = _residues(item, annotator, topic, position, grade)
    people = distinct(np.asarray(annotator, dtype=np.int64))
    single = people if len(people) <= most else []
    return Drifts(
        _drift(found, seed, draws),
        {who: _drift(found.of(found.annotator == who), seed, draws) for who in single},
    )


class _Residues(NamedTuple):
    """Judgments on items of several annotators, (M,) each, by annotator, topic and position.

    ``residue``: grade minus the mean of what the others gave; ``elsewhere``: mean place it had for them.
    """

    annotator: IntArray
    topic: IntArray
    place: FloatArray
    residue: FloatArray
    elsewhere: FloatArray

    def of(self, which: BoolArray) -> _Residues:
        who, topic, *columns = self
        return _Residues(who[which], topic[which], *(each[which] for each in columns))


def _residues(
    item: ArrayLike, annotator: ArrayLike, topic: ArrayLike, position: ArrayLike, grade: ArrayLike
) -> _Residues:
    items, who, about, at = (np.asarray(each, dtype=np.int64) for each in (item, annotator, topic, position))
    grades = np.asarray(grade, dtype=np.float64)
    if len({each.shape for each in (items, who, about, at, grades)}) > 1 or items.ndim != 1:
        raise ValueError("item, annotator, topic, position and grade must have one entry per judgment.")
    # One order whatever that of the rows, so that sums agree to the last digit.
    order = _order(who, about, at)
    items, who, about, at = (each[order] for each in (items, who, about, at))
    grades = grades[order]
    if ((np.diff(who) == 0) & (np.diff(about) == 0) & (np.diff(at) == 0)).any():
        raise ValueError("An annotator has two judgments at one position of a topic.")
    kept = np.bincount(items)[items] > 1
    place = at[kept].astype(np.float64)
    others, elsewhere = (_of_others(items[kept], each) for each in (grades[kept], place))
    return _Residues(who[kept], about[kept], place, grades[kept] - others, elsewhere)


def _order(who: IntArray, about: IntArray, at: IntArray) -> IntArray:
    """By annotator, topic and position; as one number where it is not too large, which sorts faster."""
    topics, places = int(about.max(initial=0)) + 1, int(at.max(initial=0)) + 1
    if min(at.min(initial=0), about.min(initial=0)) < 0 or topics * places * len(who) > _LARGEST:
        return np.lexsort((at, about, who))
    return np.argsort((who * topics + about) * places + at)


def _of_others(item: IntArray, value: FloatArray) -> FloatArray:
    """(M,) the mean of the other values on the same item, of which every item has two or more."""
    sums = np.bincount(item, weights=value)[item]
    return np.asarray((sums - value) / (np.bincount(item)[item] - 1), dtype=np.float64)


def _drift(found: _Residues, seed: int, draws: int | None) -> Drift:
    blocks = _blocks(found)
    n_groups, n_judgments = sum(len(each.topic) for each in blocks), sum(each.place.size for each in blocks)
    topics = np.unique(np.concatenate([each.topic for each in blocks])) if blocks else np.zeros(0)
    counts = (n_judgments, n_groups, len(topics))
    nothing = Drift(None, None, None, None, None, None, None, None, *counts, "", "")
    if not blocks:
        reason = "No annotator has two documents of a topic that others judged as well."
        return nothing._replace(reason=reason)
    spread = sum(float((each.residue**2).sum()) for each in blocks)
    if spread <= _TOLERANCE:
        reason = "All annotators gave each document the same grade: nothing is left that could drift."
        return nothing._replace(reason=reason)
    if draws is None:
        draws = DRAWS if n_judgments * DRAWS <= MOST_CELLS else 0
    slope, lag = statistics(blocks)
    expected, slope_error, lag_error = moments(blocks)
    if draws:
        slopes, lags = permuted(blocks, seed, draws)
        slope_p, lag_p = p_of_draws(slope, slopes, 0.0), p_of_draws(lag, lags, expected)
    else:
        slope_p, lag_p = p_of_limit(slope, slope_error), p_of_limit(lag - expected, lag_error)
    return Drift(
        slope / sum(float((each.place**2).sum()) for each in blocks),
        *_over_topics(blocks),
        slope_p,
        lag / spread,
        lag_p,
        expected / spread,
        _alike(blocks),
        *counts,
        PERMUTED if draws else LIMIT,
        "",
    )


def _blocks(found: _Residues) -> list[Block]:
    """The groups with two judgments or more, those of equal size together."""
    new = np.diff(found.annotator, prepend=-1).astype(bool) | np.diff(found.topic, prepend=-1).astype(bool)
    group = np.cumsum(new) - 1
    sizes = np.bincount(group)
    blocks = []
    for size in np.unique(sizes[sizes > 1]):
        which = sizes[group] == size
        rows = [each[which].reshape(-1, int(size)) for each in (found.place, found.residue, found.elsewhere)]
        blocks.append(
            Block(found.topic[which][:: int(size)], *(each - each.mean(axis=1)[:, None] for each in rows))
        )
    return blocks


def _alike(blocks: list[Block]) -> float | None:
    """The correlation of positions with those that the same items had for the others."""
    both = sum(float((each.place * each.elsewhere).sum()) for each in blocks)
    own, other = (
        sum(float((rows**2).sum()) for rows in side)
        for side in ([each.place for each in blocks], [each.elsewhere for each in blocks])
    )
    return both / (own * other) ** 0.5 if own * other > _TOLERANCE else None


def _over_topics(blocks: list[Block]) -> tuple[float | None, float | None]:
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
