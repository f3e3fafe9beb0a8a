"""The bootstrap of span measures, beside the jackknife that is the interval of all measures.

Up to 2^24 items x resamples (8,388 items at 2,000) items are drawn with replacement with all their spans, the
same resamples for every measure. They are drawn in an order that their content decides, so neither the order
of answers nor the numbers of items change an interval. Beyond that there is no bootstrap, nor for
``span_alpha`` beyond 1,500 shapes: it needs a histogram of shapes for every resample.

Efron and Tibshirani (1993), chapter 13.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evaluation.metrics.common.intervals import LEVEL, RESAMPLES, Estimate, estimate
from evaluation.metrics.nominal.table import FloatArray
from evaluation.metrics.spans.item_sums import ItemSums, SpanMeasure

MOST_CELLS = 1 << 24
MOST_SHAPES = 1500
_CELLS_AT_ONCE = 1 << 21


def estimates(
    items: ItemSums,
    measures: Sequence[SpanMeasure],
    seed: int,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> tuple[Estimate, ...]:
    """Every measure with its interval; deterministic in its arguments."""
    drawn = [one for one in measures if not _too_many(one, items, resamples)]
    draws = dict(zip((one.slug for one in drawn), resampled(items, drawn, seed, resamples), strict=True))
    return tuple(estimate(one, items, draws.get(one.slug, np.zeros(0)), seed, level) for one in measures)


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


def _too_many(measure: SpanMeasure, items: ItemSums, resamples: int) -> bool:
    if measure.across and len(items.shapes.left) > MOST_SHAPES:
        return True
    return items.n_items * resamples > MOST_CELLS
