"""What an item adds to the variance of a measure, from the answers of a pilot.

v = n * (jackknife error)², n being the items of the pilot that enter the measure. Leaving out each item in
turn needs no seed and gives the error that reports make their intervals of (``common/jackknife``).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evaluation.metrics.common.jackknife import jackknife_error
from evaluation.metrics.common.measure import MeasureOf, S
from evaluation.metrics.nominal.table import BoolArray, IntArray

LEAST = 10
"""Items of a pilot. Fewer say next to nothing about how much items differ."""


class Piloted(NamedTuple):
    """One measure in the pilot: its value, what an item adds to its variance, and the items that enter."""

    value: float
    variance: float
    n_items: int


def piloted(measure: MeasureOf[S], sample: S) -> Piloted | None:
    """The measure on the pilot; None where it is undefined or fewer than ``LEAST`` items enter."""
    n_items = int(sample.items[measure.enters(sample)].sum())
    value = measure.value(sample)
    if value is None or n_items < LEAST:
        return None
    error = jackknife_error(measure, sample)
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
