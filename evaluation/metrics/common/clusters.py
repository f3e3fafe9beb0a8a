"""Items that come in clusters, such as the documents of a topic: intervals over clusters.

Where readers differ by topic, judgments on documents of one topic go up and down together, and resampling
items as if each were drawn by itself shows too little spread. So whole clusters are left out (the
jackknife-t of ``common/jackknife``) and whole clusters are drawn (the percentile bootstrap beside it).

A measure reads nothing but how many items of each distinct row there are, and clusters are added up into just
that: the numbers of their items by row. Any measure of items therefore has its interval over clusters.

Davison and Hinkley (1997), section 3.8; ``python -m benchmarks.coverage.topics`` counts what both hold.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evaluation.metrics.common.intervals import LEVEL, RESAMPLES, Estimate, percentiles, without_value
from evaluation.metrics.common.jackknife import SAME, Interval, intervals, limits, scale_of
from evaluation.metrics.common.measure import MeasureOf, S
from evaluation.metrics.nominal.table import BoolArray, FloatArray, IntArray

OVER_ITEMS, OVER_TOPICS = "over items", "over topics"
_CELLS_AT_ONCE = 1 << 22
_UNDEFINED_ALLOWED = 0.05


class Clusters(NamedTuple):
    """The items of T clusters by the row of the sample they belong to; made by :func:`clusters_of`.

    ``cluster``, ``row``, ``items`` (E,): so many items of this row are in this cluster; sorted by cluster.
    ``n_clusters``: T.
    ``n_rows``: P, the rows of the sample.
    """

    cluster: IntArray
    row: IntArray
    items: IntArray
    n_clusters: int
    n_rows: int

    def table(self, start: int, stop: int) -> FloatArray:
        """(stop - start, P) items of these clusters by row."""
        first, last = np.searchsorted(self.cluster, (start, stop))
        found = np.zeros((stop - start, self.n_rows))
        found[self.cluster[first:last] - start, self.row[first:last]] = self.items[first:last]
        return found

    def regrouped(self, to: IntArray, n_rows: int) -> Clusters:
        """The items by other rows, ``to`` (P,), -1 for none; clusters left without items are gone."""
        rows = to[self.row]
        kept = rows >= 0
        names, cluster = np.unique(self.cluster[kept], return_inverse=True)
        keys = cluster.ravel() * max(n_rows, 1) + rows[kept]
        key, which = np.unique(keys, return_inverse=True)
        items = np.bincount(which.ravel(), weights=self.items[kept], minlength=len(key)).astype(np.int64)
        return Clusters(*np.divmod(key, max(n_rows, 1)), items, len(names), n_rows)

    def keep(self, which: BoolArray) -> Clusters:
        """The rows where ``which`` (P,) is true, renumbered."""
        return self.regrouped(np.where(which, np.cumsum(which) - 1, -1), int(which.sum()))


def clusters_of(row: ArrayLike, cluster: ArrayLike, n_rows: int) -> Clusters:
    """Count the items of each cluster by row.

    ``row`` (N,): the row of the sample each item belongs to, -1 for an item that is in none.
    ``cluster`` (N,): the number of its cluster, 0 or more; numbers may have gaps.
    Raises ValueError for arrays of unequal length and a negative cluster.
    """
    rows, numbers = np.asarray(row, dtype=np.int64), np.asarray(cluster, dtype=np.int64)
    if rows.ndim != 1 or rows.shape != numbers.shape:
        raise ValueError(
            f"Clusters need one number an item, but there are {len(rows)} items and {len(numbers)} numbers."
        )
    if (numbers < 0).any():
        raise ValueError("The number of a cluster must be 0 or more.")
    once = Clusters(numbers, np.arange(len(rows)), np.ones(len(rows), dtype=np.int64), 0, len(rows))
    return once.regrouped(rows, n_rows)


def resample_clusters(
    sample: S, clusters: Clusters, measure: MeasureOf[S], seed: int, resamples: int = RESAMPLES
) -> FloatArray:
    """(B,) values of the measure on B draws of T clusters; (0,) where there are too many rows.

    Deterministic in its arguments.
    """
    if max(clusters.n_clusters, resamples) * max(clusters.n_rows, 1) > _CELLS_AT_ONCE or resamples == 0:
        return np.zeros(0)
    times = _times(clusters.n_clusters, seed, resamples)
    return measure.statistic(sample, times @ clusters.table(0, clusters.n_clusters))


@lru_cache(maxsize=4)
def _times(n_clusters: int, seed: int, resamples: int) -> FloatArray:
    """(B, T) how often each cluster is drawn; kept, since all measures and pairs of a report ask for it."""
    even = np.full(n_clusters, 1 / max(n_clusters, 1))
    drawn = np.random.default_rng(seed).multinomial(n_clusters, even, size=resamples)
    return drawn.astype(np.float64)


def without_each_cluster(sample: S, clusters: Clusters, measure: MeasureOf[S]) -> FloatArray:
    """(T,) the value of the measure without each cluster."""
    found = np.empty(clusters.n_clusters)
    block = max(1, _CELLS_AT_ONCE // max(clusters.n_rows, 1))
    for start in range(0, clusters.n_clusters, block):
        stop = min(start + block, clusters.n_clusters)
        found[start:stop] = measure.statistic(sample, sample.items - clusters.table(start, stop))
    return found


def cluster_error(left_out: FloatArray) -> float | None:
    """The jackknife's standard error from the values without each cluster (T,); None where one is missing."""
    n = len(left_out)
    if n < 2 or np.isnan(left_out).any():
        return None
    return float(np.sqrt((n - 1) / n * ((left_out - left_out.mean()) ** 2).sum()))


def over_clusters(
    measure: MeasureOf[S],
    sample: S,
    clusters: Clusters,
    seed: int,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> Estimate:
    """Compute the measure with its interval over clusters, and the bootstrap over clusters beside it.

    The scale is that of the measure, Student's t has T - 1 degrees of freedom, T the clusters with an item
    that enters. Deterministic in its arguments.
    """
    reason = measure.undefined(sample)
    value = measure.value(sample)
    if reason is not None or value is None:
        return without_value(measure, sample, reason or "Chance agreement is 1.", seed, level)
    plain = without_value(measure, sample, "", seed, level)._replace(value=value)
    entering = measure.enters(sample)
    sample, clusters = sample.keep(entering), clusters.keep(entering)
    draws = resample_clusters(sample, clusters, measure, seed, resamples)
    lost = int(np.isnan(draws).sum())
    if lost > _UNDEFINED_ALLOWED * len(draws):
        return plain._replace(
            reason=f"No interval: {lost} of {len(draws)} resamples of the topics leave it undefined."
        )
    error = cluster_error(without_each_cluster(sample, clusters, measure))
    if error is None:
        return plain._replace(reason="No interval: with one topic left out there would be no value.")
    found = _interval(measure, sample, value, error, clusters.n_clusters, level)
    if not found.method:
        return plain._replace(
            reason="No interval: the topics do not differ, so leaving them out shows no spread."
        )
    beside = _percentiles(draws, level)
    return plain._replace(
        low=found.low,
        high=found.high,
        method=_over_topics(found.method),
        bootstrap=beside,
        resamples=len(draws) if beside else 0,
    )


def _interval(
    measure: MeasureOf[S], sample: S, value: float, error: float, n_clusters: int, level: float
) -> Interval:
    """Student's t on the scale of the measure; an empty method where there is no spread to go by."""
    values, errors, sizes = np.array([value]), np.array([error]), np.array([n_clusters])
    if error <= SAME:
        # Topics that all say the same are as many answers to one question, no more.
        equal = intervals(measure, sample, values, errors, sizes, level)
        return Interval(float(equal.low[0]), float(equal.high[0]), str(equal.method[0]))
    scale = scale_of(measure)
    ends = limits(values, errors, sizes, scale, level)
    low, high = (float(np.clip(end[0], *measure.range)) for end in ends)
    return Interval(low, high, scale)


def _over_topics(method: str) -> str:
    return method.replace(OVER_ITEMS, OVER_TOPICS)


def over_items(method: str) -> str:
    """The name of the same way over items."""
    return method.replace(OVER_TOPICS, OVER_ITEMS)


def _percentiles(draws: FloatArray, level: float) -> Interval | None:
    found = percentiles(draws, level)
    return found and found._replace(method=_over_topics(found.method))
