"""How much more like the right answer readers' answers are than a run's: a measure of paired differences."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evaluation.metrics.common.measure import MeasureOf, mean_over
from evaluation.metrics.nominal.table import BoolArray, FloatArray, IntArray


class Differences(NamedTuple):
    """What items differ by: ``values`` (P,) d_i, from -1 to 1; ``sizes`` (P,) readers' answers on an item;
    ``items`` (P,) how many items each row stands for."""

    values: FloatArray
    sizes: IntArray
    items: IntArray

    @property
    def n_items(self) -> int:
        return int(self.items.sum())

    def keep(self, which: BoolArray) -> Differences:
        return Differences(self.values[which], self.sizes[which], self.items[which])


def _all(sample: Differences) -> BoolArray:
    return np.ones(len(sample.values), dtype=np.bool_)


def _mean(sample: Differences, weights: FloatArray) -> FloatArray:
    return mean_over(weights, _all(sample), sample.values)


def _undefined(sample: Differences) -> str | None:
    return None if len(sample.values) else "No item has a right answer, a reader’s and the run’s."


DISTANCE = MeasureOf[Differences](
    slug="difference_from_run",
    label="likeness to gold, readers’ less the run’s",
    definition="How much more like the right answer readers’ answers are than a run’s, on the same items.",
    formula="mean over items of (mean over readers of s(answer, gold) - s(run's answer, gold))",
    source="paired difference of two proportions; Jennison and Turnbull (2000), section 3.2",
    range=(-np.inf, np.inf),
    statistic=_mean,
    enters=_all,
    undefined=_undefined,
    proportion=lambda _: (2.0, -1.0),
    data="any",
    chance="0: readers and run are as often right.",
)
