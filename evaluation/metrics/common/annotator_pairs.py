"""The table of pairs: each two annotators on the items that both judged."""

from typing import NamedTuple

import numpy as np

from evaluation.metrics.common.clusters import Clusters, over_clusters
from evaluation.metrics.common.intervals import LEVEL, RESAMPLES, Estimate, estimate, resample, wilson
from evaluation.metrics.common.pairwise_kappa import MOST_PAIRS_OF_ANSWERS, PairMeasure
from evaluation.metrics.common.ratings import PairCells, Ratings
from evaluation.metrics.nominal.table import NO_GOLD, FloatArray

MOST_PAIRS_SHOWN = 190


class AnnotatorPair(NamedTuple):
    """Two annotators on their common items.

    ``first``, ``second``: their indices, first < second.
    ``n_items``: items that both judged.
    ``agreement``: share of these to which both gave the same answer.
    ``low``, ``high``: its Wilson interval.
    ``kappa``: κ with its interval, or the reason why there is none.
    """

    first: int
    second: int
    n_items: int
    agreement: float
    low: float
    high: float
    kappa: Estimate


class PairTable(NamedTuple):
    """The pairs of annotators with a common item.

    ``pairs``: one entry for each pair by ascending indices; of very many only those with most common items.
    ``n_pairs``: how many pairs there are in all.
    """

    pairs: tuple[AnnotatorPair, ...]
    n_pairs: int


def pair_table(
    ratings: Ratings,
    measure: PairMeasure,
    seed: int,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    *,
    most: int = MOST_PAIRS_SHOWN,
    clusters: Clusters | None = None,
) -> PairTable:
    """Compare each two annotators by ``measure``, at most the ``most`` pairs with most common items.

    ``clusters``: of the rows of ``ratings``; the intervals of κ are then over clusters, not over items,
    and without a bootstrap.
    """
    if not 0 < ratings.n_pairs <= MOST_PAIRS_OF_ANSWERS:
        return PairTable((), 0)
    cells = ratings.pairs
    counts = cells.counts(ratings.items[None, :].astype(np.float64))[0]
    common = np.bincount(cells.pair, weights=counts)
    chosen = np.sort(np.argsort(-common, kind="stable")[:most])
    found = []
    for pair in chosen.tolist():
        alone = _only(cells, pair, counts)
        n_items = alone.n_items
        same = int(alone.items[alone.answer[0::2] == alone.answer[1::2]].sum())
        found.append(
            AnnotatorPair(
                int(cells.first[pair]),
                int(cells.second[pair]),
                n_items,
                same / n_items,
                *wilson(same, n_items, level),
                _kappa(measure, alone, _of_pair(clusters, cells, pair), seed, resamples, level),
            )
        )
    return PairTable(tuple(found), cells.n_pairs)


def _kappa(
    measure: PairMeasure, alone: Ratings, clusters: Clusters | None, seed: int, resamples: int, level: float
) -> Estimate:
    if clusters is not None:
        # The jackknife alone: topics would have to be drawn for every pair anew, and no table of pairs
        # prints a bootstrap.
        return over_clusters(measure, alone, clusters, seed, 0, level)
    (drawn,) = resample(alone, [measure.statistic], seed, resamples)
    return estimate(measure, alone, drawn, seed, level)


def _of_pair(clusters: Clusters | None, cells: PairCells, pair: int) -> Clusters | None:
    """The clusters of one pair's common items, by the cells of its table."""
    if clusters is None:
        return None
    first, last = np.searchsorted(cells.pair, (pair, pair + 1))
    own = (cells.cell >= first) & (cells.cell < last)
    to = np.full(clusters.n_rows, -1)
    to[cells.row[own]] = cells.cell[own] - first
    return clusters.regrouped(to, int(last - first))


def _only(cells: PairCells, pair: int, counts: FloatArray) -> Ratings:
    """The common items of one pair of annotators, as the answers of 0 and 1."""
    own = np.flatnonzero(cells.pair == pair)
    return Ratings(
        items=counts[own].astype(np.int64),
        gold=np.full(len(own), NO_GOLD),
        row=np.repeat(np.arange(len(own)), 2),
        annotator=np.tile(np.arange(2), len(own)),
        answer=np.column_stack([cells.a[own], cells.b[own]]).ravel(),
        categories=cells.categories,
    )
