"""Intervals of span measures: the item bootstrap, and what replaces it for very many items.

Up to 2^24 items x resamples (8,388 items at 2,000) items are drawn with replacement with all their spans, the
same resamples for every measure. They are drawn in an order that their content decides, so neither the order
of answers nor the numbers of items change an interval.

Beyond that the interval is value ± z * jackknife standard error, every item left out in turn. Sums without
an item are a subtraction, so this costs one pass, and at such sizes it differs from the bootstrap by less
than 2,000 resamples scatter. ``span_alpha`` needs a histogram of shapes for every resample and takes the
jackknife beyond 1,500 shapes also.

Efron and Tibshirani (1993), chapters 11 and 13.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

from evaluation.metrics.common.intervals import LEVEL, RESAMPLES, Estimate, estimate, interval_of_equal_items
from evaluation.metrics.nominal.table import FloatArray
from evaluation.metrics.spans.item_sums import ItemSums, SpanMeasure

MOST_CELLS = 1 << 24
MOST_SHAPES = 1500
JACKKNIFE = "jackknife over items (normal)"
_CELLS_AT_ONCE = 1 << 21
_SAME = 1e-12


def estimates(
    items: ItemSums,
    measures: Sequence[SpanMeasure],
    seed: int,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> tuple[Estimate, ...]:
    """Every measure with its interval; deterministic in its arguments."""
    drawn = [one for one in measures if not _too_many(one, items, resamples)]
    draws = resampled(items, drawn, seed, resamples)
    found = {
        one.slug: estimate(one, items, values, seed, level) for one, values in zip(drawn, draws, strict=True)
    }
    return tuple(
        found[one.slug] if one.slug in found else jackknifed(one, items, seed, level) for one in measures
    )


def resampled(
    items: ItemSums, measures: Sequence[SpanMeasure], seed: int, resamples: int = RESAMPLES
) -> FloatArray:
    """(S, B) values of S measures on the same B resamples of the items; NaN where one is undefined."""
    values = np.full((len(measures), resamples), np.nan)
    if items.n_items == 0 or not measures:
        return values
    generator, order = np.random.default_rng(seed), items.order()
    block = max(1, _CELLS_AT_ONCE // items.n_items)
    across = any(one.across for one in measures)
    for start in range(0, resamples, block):
        size = min(block, resamples - start)
        drawn = generator.integers(0, items.n_items, size=(size, items.n_items))
        drawn = order[drawn] + items.n_items * np.arange(size)[:, None]
        often = np.bincount(drawn.ravel(), minlength=size * items.n_items)
        sums = items.sums(often.reshape(size, items.n_items).astype(np.float64), chance=across)
        for row, one in enumerate(measures):
            values[row, start : start + size] = one.of(sums)
    return values


def jackknifed(measure: SpanMeasure, items: ItemSums, seed: int, level: float = LEVEL) -> Estimate:
    """The measure with value ± z * jackknife standard error, cut to its range."""
    plain = estimate(measure, items, np.zeros(0), seed, level)
    if plain.value is None:
        return plain
    error = _error(measure, items)
    if error is None:
        return plain._replace(reason="No interval: leaving out one item leaves it undefined.")
    if error <= _SAME:
        interval, reason = interval_of_equal_items(measure, items, plain.value, level)
        if interval is None:
            return plain._replace(reason=reason)
        return plain._replace(low=interval.low, high=interval.high, method=interval.method, reason="")
    reach = NormalDist().inv_cdf((1 + level) / 2) * error
    low, high = max(measure.range[0], plain.value - reach), min(measure.range[1], plain.value + reach)
    return plain._replace(low=low, high=high, method=JACKKNIFE, reason="")


def _error(measure: SpanMeasure, items: ItemSums) -> float | None:
    left_out = measure.of(items.without_each)[measure.enters(items)]
    if len(left_out) < 2 or np.isnan(left_out).any():
        return None
    n_items = len(left_out)
    return float(np.sqrt((n_items - 1) / n_items * ((left_out - left_out.mean()) ** 2).sum()))


def _too_many(measure: SpanMeasure, items: ItemSums, resamples: int) -> bool:
    if measure.across and len(items.shapes.left) > MOST_SHAPES:
        return True
    return items.n_items * resamples > MOST_CELLS
