"""Drift: whether an annotator's grades move while a topic is judged, whatever the documents are.

A grade's residue is the grade minus the mean grade of its item, over all annotators, minus the mean of these
differences within annotator and topic. Two statistics of it:

    slope      sum x e / sum x^2, x the position minus its mean within annotator and topic: grades a position
    lag-1      sum e_t e_(t+1) / sum e^2 over neighbouring positions: whether a high grade follows a high one

Chance means: the order says nothing, so residues are permuted within annotator and topic: 9,999 times,
of more than 6,700 judgments fewer, but 199 at least. Expected lag-1 is then not 0 but a little below, because
residues of a group add up to 0; p counts permutations as far from their own mean, on either side. Items
that one annotator judged have no residue of their own and do not enter.

Scholer, Kelly, Wu, Lee and Webber (2013), SIGIR, for effects of the order on relevance judgments.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evaluation.metrics.nominal.table import FloatArray, IntArray

DRAWS, FEWEST_DRAWS = 9_999, 199
MOST_CELLS = 1 << 26
_TOLERANCE = 1e-9
_DRAWN_AT_ONCE = 1 << 22


class Drift(NamedTuple):
    """Drift within annotator and topic.

    ``slope``: grades a position, above 0 where grades rise; None without two positions in any group.
    ``slope_p``: two-sided, by permutation.
    ``lag_1``: autocorrelation of neighbouring residues; None where residues do not vary.
    ``lag_1_p``: two-sided, by permutation; ``lag_1_expected``: its mean over permutations.
    ``n_judgments``, ``n_groups``: that enter; a group is an annotator on a topic.
    ``draws``: permutations that p was counted over.
    ``reason``: why there are no values, or empty.
    """

    slope: float | None
    slope_p: float | None
    lag_1: float | None
    lag_1_p: float | None
    lag_1_expected: float | None
    n_judgments: int
    n_groups: int
    draws: int
    reason: str


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

    ``position``: where the item stood among those of its topic for this annotator, in any unit that grows.
    ``draws``: permutations; by default 9,999, of more than 6,700 judgments fewer.
    Raises ValueError for arrays of unequal length and two judgments of one group at one position.
    """
    items, who, about, at = (np.asarray(each, dtype=np.int64) for each in (item, annotator, topic, position))
    grades = np.asarray(grade, dtype=np.float64)
    if len({each.shape for each in (items, who, about, at, grades)}) > 1 or items.ndim != 1:
        raise ValueError("item, annotator, topic, position and grade must have one entry per judgment.")
    # One order whatever that of the rows, so that sums agree to the last digit.
    order = np.lexsort((at, about, who))
    items, who, about, at = (each[order] for each in (items, who, about, at))
    grades = grades[order]
    residue, kept = _against_item(items, grades)
    groups, group = np.unique(np.stack([who[kept], about[kept]]), axis=1, return_inverse=True)
    group, place = group.ravel(), at[kept].astype(np.float64)
    if ((np.diff(group) == 0) & (np.diff(place) == 0)).any():
        raise ValueError("An annotator has two judgments at one position of a topic.")
    sizes = np.bincount(group, minlength=groups.shape[1])
    several = sizes[group] > 1
    blocks = _blocks(group[several], place[several], residue[several])
    n_judgments, n_groups = int(several.sum()), int((sizes > 1).sum())
    if not blocks:
        reason = "No annotator has two documents of a topic that others judged as well."
        return Drift(None, None, None, None, None, 0, 0, 0, reason)
    spread = sum(float((each**2).sum()) for _, each in blocks)
    if spread <= _TOLERANCE:
        reason = "All annotators gave each document the same grade: nothing is left that could drift."
        return Drift(None, None, None, None, None, n_judgments, n_groups, 0, reason)
    if draws is None:
        draws = min(DRAWS, max(FEWEST_DRAWS, MOST_CELLS // n_judgments))
    slopes, lags = _permuted(blocks, seed, draws)
    slope, lag = _statistics(blocks)
    return Drift(
        slope / sum(float((x**2).sum()) for x, _ in blocks),
        _p(slope, slopes, 0.0),
        lag / spread,
        _p(lag, lags, float(lags.mean())),
        float(lags.mean()) / spread,
        n_judgments,
        n_groups,
        draws,
        "",
    )


def _against_item(item: IntArray, grade: FloatArray) -> tuple[FloatArray, IntArray]:
    """Grade minus the mean of the item, of the judgments on items with two or more; and which these are."""
    _, number = np.unique(item, return_inverse=True)
    times = np.bincount(number)
    means = np.bincount(number, weights=grade) / np.maximum(times, 1)
    kept = np.flatnonzero(times[number] > 1)
    return grade[kept] - means[number[kept]], kept


def _blocks(group: IntArray, place: FloatArray, residue: FloatArray) -> list[tuple[FloatArray, FloatArray]]:
    """Groups of equal size as rows of (positions, residues), both minus their mean in the row."""
    sizes = np.bincount(group)
    found = []
    for size in np.unique(sizes[sizes > 1]):
        which = sizes[group] == size
        rows = [each[which].reshape(-1, int(size)) for each in (place, residue)]
        found.append((rows[0] - rows[0].mean(axis=1)[:, None], rows[1] - rows[1].mean(axis=1)[:, None]))
    return found


def _statistics(blocks: list[tuple[FloatArray, FloatArray]]) -> tuple[float, float]:
    """Sums of position times residue, and of neighbouring residues."""
    slope = sum(float((x * e).sum()) for x, e in blocks)
    return slope, sum(float((e[:, 1:] * e[:, :-1]).sum()) for _, e in blocks)


def _permuted(
    blocks: list[tuple[FloatArray, FloatArray]], seed: int, draws: int
) -> tuple[FloatArray, FloatArray]:
    """(draws,) the same sums with residues permuted within their rows."""
    generator = np.random.default_rng(seed)
    slopes, lags = np.zeros(draws), np.zeros(draws)
    for x, e in blocks:
        at_once = max(1, _DRAWN_AT_ONCE // e.size)
        for start in range(0, draws, at_once):
            stop = min(start + at_once, draws)
            drawn = generator.permuted(np.broadcast_to(e, (stop - start, *e.shape)), axis=2)
            slopes[start:stop] += np.einsum("bij,ij->b", drawn, x)
            lags[start:stop] += np.einsum("bij,bij->b", drawn[:, :, 1:], drawn[:, :, :-1])
    return slopes, lags


def _p(found: float, drawn: FloatArray, middle: float) -> float:
    """The part of permutations at least as far from the middle, the observed order counted among them."""
    least = abs(found - middle) * (1 - _TOLERANCE) - _TOLERANCE
    return (int((np.abs(drawn - middle) >= least).sum()) + 1) / (len(drawn) + 1)
