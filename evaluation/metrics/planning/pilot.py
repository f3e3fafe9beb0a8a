"""What an item adds to the variance of a measure, from the answers of a pilot.

v = n * (jackknife error)², n being the items of the pilot that enter the measure. Leaving out each item in
turn needs no seed and gives the error that reports make their intervals of (``common/jackknife``).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from evaluation.metrics.common.clusters import (
    Clusters,
    cluster_error,
    over_clusters,
    without_each_cluster,
)
from evaluation.metrics.common.intervals import LEVEL, Estimate, estimate
from evaluation.metrics.common.jackknife import jackknife_error
from evaluation.metrics.common.measure import MeasureOf
from evaluation.metrics.nominal.table import BoolArray, IntArray

LEAST = 10
"""Items of a pilot. Fewer say next to nothing about how much items differ."""


class Sampled(NamedTuple):
    """A measure, the answers that it is computed from, and the topics of their items, None without any."""

    measure: MeasureOf[Any]
    sample: Any
    clusters: Clusters | None = None

    def estimate(self, seed: int, level: float = LEVEL) -> Estimate:
        """Its value with the interval that a report prints, without a bootstrap beside it."""
        if self.clusters is not None:
            return over_clusters(self.measure, self.sample, self.clusters, seed, 0, level)
        return estimate(self.measure, self.sample, np.zeros(0), seed, level)

    def error(self) -> float | None:
        """The jackknife standard error over items, or topics; None where one left out leaves no value."""
        if self.clusters is None:
            return jackknife_error(self.measure, self.sample)
        entering = self.measure.enters(self.sample)
        kept, clusters = self.sample.keep(entering), self.clusters.keep(entering)
        return cluster_error(without_each_cluster(kept, clusters, self.measure))


class Piloted(NamedTuple):
    """One measure in the pilot: its value, what an item adds to its variance, and the items that enter."""

    value: float
    variance: float
    n_items: int


def piloted(found: Sampled) -> Piloted | None:
    """The measure on the pilot; None where it is undefined or fewer than ``LEAST`` items enter.

    Where items have topics, whole topics are left out: items to come are then of topics to come, each with as
    many.
    """
    n_items = int(found.sample.items[found.measure.enters(found.sample)].sum())
    value = found.measure.value(found.sample)
    if value is None or n_items < LEAST:
        return None
    error = found.error()
    return None if error is None else Piloted(value, n_items * error**2, n_items)


def fewer_answers(item: IntArray, readers: int, seed: int) -> BoolArray:
    """(M,) which answers stay when each item keeps at most ``readers`` of its own, drawn with ``seed``.

    ``item`` (M,): the item of each answer.
    """
    drawn = np.random.default_rng(seed).permutation(len(item))
    order = drawn[np.argsort(item[drawn], kind="stable")]
    sizes = np.bincount(item)
    before = np.cumsum(sizes) - sizes
    kept = np.zeros(len(item), dtype=np.bool_)
    kept[order] = np.arange(len(item)) - before[item[order]] < readers
    return kept
