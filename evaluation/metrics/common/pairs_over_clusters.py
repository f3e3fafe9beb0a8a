"""κ of pairs of annotators with intervals over clusters of items, such as the documents of a topic.

κ asks for no more than how often each two annotators gave each two answers, so the cells of their tables
stand for items: with many annotators there are far fewer of them.
"""

from collections.abc import Sequence

import numpy as np

from evaluation.metrics.common.clusters import Clusters, over_clusters
from evaluation.metrics.common.intervals import LEVEL, RESAMPLES, Estimate
from evaluation.metrics.common.pairwise_kappa import (
    MOST_PAIRS_OF_ANSWERS,
    PairMeasure,
    cautioned_by_pairs,
    paired,
)
from evaluation.metrics.common.ratings import Ratings
from evaluation.metrics.nominal.table import NO_GOLD


def pair_estimates_over_clusters(
    ratings: Ratings,
    clusters: Clusters,
    measures: Sequence[PairMeasure],
    seed: int,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> tuple[Estimate, ...]:
    """Every measure with its interval over clusters of items. Deterministic in its arguments."""
    several = paired(ratings)
    ratings, clusters = ratings.keep(several), clusters.keep(several)
    if not 0 < ratings.n_pairs <= MOST_PAIRS_OF_ANSWERS:
        return tuple(over_clusters(one, ratings, clusters, seed, 0, level) for one in measures)
    cells, by_cell = _as_cells(ratings, clusters)
    n_items, n_judgments = ratings.n_items, int(ratings.items @ ratings.sizes)
    found = [
        over_clusters(one, cells, by_cell, seed, resamples, level)._replace(
            n_items=n_items, n_judgments=n_judgments
        )
        for one in measures
    ]
    return tuple(
        cautioned_by_pairs(ratings, each) if one.range[0] < 0 else each
        for one, each in zip(measures, found, strict=True)
    )


def _as_cells(ratings: Ratings, clusters: Clusters) -> tuple[Ratings, Clusters]:
    """The same pairs of answers, each cell of a pair's table a row."""
    cells = ratings.pairs
    counts = cells.counts(ratings.items[None, :].astype(np.float64))[0].astype(np.int64)
    n_cells = len(counts)
    sample = Ratings(
        items=counts,
        gold=np.full(n_cells, NO_GOLD),
        row=np.repeat(np.arange(n_cells), 2),
        annotator=np.column_stack([cells.first[cells.pair], cells.second[cells.pair]]).ravel(),
        answer=np.column_stack([cells.a, cells.b]).ravel(),
        categories=cells.categories,
    )
    times = np.bincount(cells.row, minlength=len(ratings.items))
    begin = np.cumsum(times) - times
    repeated = times[clusters.row]
    entry = np.repeat(np.arange(len(clusters.row)), repeated)
    within = np.arange(len(entry)) - np.repeat(np.cumsum(repeated) - repeated, repeated)
    own = cells.cell[np.argsort(cells.row, kind="stable")][begin[clusters.row[entry]] + within]
    expanded = Clusters(
        clusters.cluster[entry],
        np.arange(len(entry)),
        clusters.items[entry],
        clusters.n_clusters,
        len(entry),
    )
    return sample, expanded.regrouped(own.astype(np.int64), n_cells)
