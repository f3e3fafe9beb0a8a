"""Cohen's κ of pairs of annotators, weighted or not, and its mean over pairs.

For one pair on its n common items, with disagreement v_kl between the answers k and l (v_kk = 0):

    κ = 1 - D_o / D_e,   D_o = sum_kl v_kl n_kl / n,   D_e = sum_kl v_kl n_k. n_.l / n^2

v_kl = 1 for k != l is Cohen (1960); |k - l| and (k - l)^2 are Cohen's (1968) linear and quadratic weights.
Chance means: each of the two draws from the answers that this annotator gave to the common items.

The mean over pairs is Light's (1971) κ: the plain mean where all annotators judged all items. Where pairs
have different numbers of common items each κ counts with its number: a κ of five items is mostly luck.
A pair whose κ does not exist (both gave one answer throughout) does not enter the mean.

The pooled κ is one ratio for all pairs, 1 - sum_p n D_o / sum_p n D_e: pairs weigh by what they could
disagree about, and a pair without variation needs no rule of its own.

Leaving one item out changes only the tables of the pairs that judged it, so the jackknife costs one pass.

Cohen, J. (1960). A coefficient of agreement for nominal scales. Educational and Psychological Measurement 20.
Cohen, J. (1968). Weighted kappa. Psychological Bulletin 70(4).
Light, R. J. (1971). Measures of response agreement for qualitative data. Psychological Bulletin 76(5).
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from evaluation.metrics.common.intervals import (
    LEVEL,
    RESAMPLES,
    Estimate,
    estimate,
    resample,
)
from evaluation.metrics.common.measure import MeasureOf, ratio
from evaluation.metrics.common.ratings import PairCells, Ratings
from evaluation.metrics.nominal.table import BoolArray, FloatArray

PairMeasure = MeasureOf[Ratings]
Disagreement = Callable[[int], FloatArray]

MOST_PAIRS_OF_ANSWERS = 1 << 24
MOST_RESAMPLED_CELLS = 1 << 25
FEW_COMMON_ITEMS = 10
_CELLS_AT_ONCE = 1 << 21


def unequal(categories: int) -> FloatArray:
    """(q, q) 1 for different categories, 0 for equal ones."""
    return 1.0 - np.eye(categories)


def linear(categories: int) -> FloatArray:
    """(q, q) |k - l|."""
    grades = np.arange(categories, dtype=np.float64)
    return np.abs(grades[:, None] - grades)


def quadratic(categories: int) -> FloatArray:
    """(q, q) (k - l)^2."""
    return linear(categories) ** 2


def paired(ratings: Ratings) -> BoolArray:
    """(P,) items with at least two answers."""
    return np.asarray(ratings.sizes >= 2)


def mean_kappa(disagreement: Disagreement) -> Callable[[Ratings, FloatArray], FloatArray]:
    """Make the statistic (B,): mean κ of the pairs of annotators, each counted with its common items."""

    def mean(n: FloatArray, observed: FloatArray, expected: FloatArray) -> FloatArray:
        kappa = 1.0 - ratio(n * observed, expected)
        defined = ~np.isnan(kappa)
        total = (n * np.where(defined, kappa, 0.0)).sum(axis=1)
        return ratio(total, (n * defined).sum(axis=1))

    return _of_all_pairs(disagreement, mean)


def mean_kappa_without_each(disagreement: Disagreement) -> Callable[[Ratings], FloatArray]:
    """Make the function (P,) that gives the mean κ without one item of each row, in one pass."""

    def left_out(ratings: Ratings) -> FloatArray:
        cells, apart = ratings.pairs, disagreement(ratings.categories)
        counts = cells.counts(ratings.items[None, :].astype(np.float64))
        n, kappa = (part[0] for part in _kappas(cells, counts, apart))
        weight = np.where(np.isnan(kappa), 0.0, n)
        product = weight * np.nan_to_num(kappa)
        fewer = _kappas_without(cells, counts, apart)
        weight_without = np.where(np.isnan(fewer), 0.0, n[cells.pair] - 1)
        lost_weight = (weight[cells.pair] - weight_without)[cells.cell]
        lost = (product[cells.pair] - weight_without * np.nan_to_num(fewer))[cells.cell]
        rows = len(ratings.items)
        return ratio(
            product.sum() - np.bincount(cells.row, weights=lost, minlength=rows),
            weight.sum() - np.bincount(cells.row, weights=lost_weight, minlength=rows),
        )

    return left_out


def pooled_kappa(disagreement: Disagreement) -> Callable[[Ratings, FloatArray], FloatArray]:
    """Make the statistic (B,): one minus observed over expected disagreement of all pairs together."""

    def pooled(n: FloatArray, observed: FloatArray, expected: FloatArray) -> FloatArray:
        by_chance = np.nan_to_num(ratio(expected, n)).sum(axis=1)
        return 1.0 - ratio(observed.sum(axis=1), by_chance)

    return _of_all_pairs(disagreement, pooled)


def pooled_kappa_without_each(disagreement: Disagreement) -> Callable[[Ratings], FloatArray]:
    """Make the function (P,) that gives the pooled κ without one item of each row, in one pass."""

    def left_out(ratings: Ratings) -> FloatArray:
        cells, apart = ratings.pairs, disagreement(ratings.categories)
        counts = cells.counts(ratings.items[None, :].astype(np.float64))
        n, observed, expected = (part[0] for part in _disagreements(cells, counts, apart))
        by_chance = np.nan_to_num(ratio(expected, n))
        n_fewer, observed_fewer, expected_fewer = _disagreements_without(cells, counts, apart)
        lost = observed[cells.pair] - observed_fewer
        lost_chance = by_chance[cells.pair] - np.nan_to_num(ratio(expected_fewer, n_fewer))
        rows = len(ratings.items)
        return 1.0 - ratio(
            observed.sum() - np.bincount(cells.row, weights=lost[cells.cell], minlength=rows),
            by_chance.sum() - np.bincount(cells.row, weights=lost_chance[cells.cell], minlength=rows),
        )

    return left_out


def no_kappa(ratings: Ratings) -> str | None:
    """Say why no pair of annotators has a κ, or return None."""
    if not paired(ratings).any():
        return "No item has two judgments."
    if ratings.n_pairs > MOST_PAIRS_OF_ANSWERS:
        return (
            f"The items have {ratings.n_pairs:,} pairs of answers, more than are compared one by one: "
            "read Krippendorff α."
        )
    cells = ratings.pairs
    several = (np.bincount(cells.pair) > 1) | np.bincount(cells.pair, weights=cells.a != cells.b).astype(bool)
    if several.any():
        return None
    return "No pair of annotators used two answers on their common items: chance agreement is 1."


def kappa_measure(disagreement: Disagreement, *, pooled: bool = False, **named: Any) -> PairMeasure:
    """A κ of pairs with that disagreement, their mean or all in one ratio.

    ``named``: slug, label and what else the measure says.
    """
    statistic, left_out = (
        (pooled_kappa, pooled_kappa_without_each) if pooled else (mean_kappa, mean_kappa_without_each)
    )
    return PairMeasure(
        range=(-1.0, 1.0),
        statistic=statistic(disagreement),
        left_out=left_out(disagreement),
        enters=paired,
        undefined=no_kappa,
        **named,
    )


def pair_estimates(
    ratings: Ratings,
    measures: Sequence[PairMeasure],
    seed: int,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> tuple[Estimate, ...]:
    """Every measure with its interval, and the bootstrap beside it where that does not take too long: up to
    2^25 pairs of answers x resamples (16,777 pairs in distinct rows at 2,000).

    Deterministic in its arguments.
    """
    ratings = ratings.keep(paired(ratings))
    drawn = max(len(ratings.items), ratings.n_pairs) * resamples <= MOST_RESAMPLED_CELLS
    draws = (
        resample(ratings, [one.statistic for one in measures], seed, resamples)
        if drawn
        else np.zeros((len(measures), 0))
    )
    found = [estimate(one, ratings, values, seed, level) for one, values in zip(measures, draws, strict=True)]
    return tuple(cautioned_by_pairs(ratings, each) for each in found)


def _of_all_pairs(
    disagreement: Disagreement, together: Callable[[FloatArray, FloatArray, FloatArray], FloatArray]
) -> Callable[[Ratings, FloatArray], FloatArray]:
    """Make a statistic (B,) of what ``together`` makes of ``_disagreements``, some samples at a time."""

    def statistic(ratings: Ratings, weights: FloatArray) -> FloatArray:
        values = np.full(len(weights), np.nan)
        if not ratings.n_pairs:
            return values
        cells, apart = ratings.pairs, disagreement(ratings.categories)
        block = max(1, _CELLS_AT_ONCE // max(len(cells.row), cells.n_pairs * ratings.categories))
        for start in range(0, len(weights), block):
            counts = cells.counts(weights[start : start + block])
            values[start : start + block] = together(*_disagreements(cells, counts, apart))
        return values

    return statistic


def _kappas(cells: PairCells, counts: FloatArray, apart: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(B, K) common items and κ of each pair, NaN where chance disagreement is 0."""
    n, observed, expected = _disagreements(cells, counts, apart)
    return n, 1.0 - ratio(n * observed, expected)


def _disagreements(
    cells: PairCells, counts: FloatArray, apart: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(B, K) of each pair: common items n, n D_o, and n^2 D_e."""
    n = cells.per_pair(counts)
    observed = cells.per_pair(counts * apart[cells.a, cells.b])
    first, second = cells.margins(counts)
    return n, observed, ((first @ apart) * second).sum(axis=2)


def _kappas_without(cells: PairCells, counts: FloatArray, apart: FloatArray) -> FloatArray:
    """(C,) κ of each cell's pair without one item of that cell, NaN where it then does not exist."""
    n, observed, expected = _disagreements_without(cells, counts, apart)
    return 1.0 - ratio(n * observed, expected)


def _disagreements_without(
    cells: PairCells, counts: FloatArray, apart: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(C,) of each cell's pair without one item of that cell: n, n D_o, and n^2 D_e."""
    pair, a, b = cells.pair, cells.a, cells.b
    n = cells.per_pair(counts)[0][pair] - 1
    observed = cells.per_pair(counts * apart[a, b])[0][pair] - apart[a, b]
    first, second = (margin[0] for margin in cells.margins(counts))
    from_first, from_second = first @ apart, second @ apart
    expected = (from_first * second).sum(axis=1)[pair]
    return n, observed, expected - from_second[pair, a] - from_first[pair, b] + apart[a, b]


def cautioned_by_pairs(ratings: Ratings, found: Estimate) -> Estimate:
    """Say beside the mean where most of it comes from pairs with few common items."""
    if found.value is None:
        return found
    cells = ratings.pairs
    common = cells.per_pair(cells.counts(ratings.items[None, :].astype(np.float64)))[0]
    if common[common < FEW_COMMON_ITEMS].sum() * 2 <= common.sum():
        return found
    caution = (
        f"Most common items lie with pairs of annotators that have fewer than {FEW_COMMON_ITEMS}: "
        "κ of so few items is biased towards 0; read Krippendorff α."
    )
    return found._replace(reason=f"{found.reason} {caution}".lstrip())
