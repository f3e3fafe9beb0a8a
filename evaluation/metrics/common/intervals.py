"""Uncertainty: what the number could have been with other items of the same kind, annotators fixed.

**Jackknife-t** is the interval of every measure, on the scale that fits it (``common/jackknife``). Its cover
of the true value was simulated from 30 to 200 items, with equal and with differing difficulty, beside that of
the percentile bootstrap, which is too short below about 100 items (``benchmarks/coverage``).

**The percentile bootstrap** stands beside it for those who compare with papers: items are resampled with all
their judgments, 2,000 times by default. An item enters only through its pattern, so one resample is one
multinomial draw over patterns: exactly the distribution of drawing items with replacement, at a cost that
does not grow with their number. Patterns are sorted, so the same data and seed give the same interval in
whatever order rows come. Beyond 2^22 patterns x resamples (2,097 patterns at 2,000) it is left out.

Efron and Tibshirani (1993), chapters 11 and 13.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from evaluation.metrics.common.jackknife import LEVEL as LEVEL
from evaluation.metrics.common.jackknife import SAME, Interval, jackknife_interval
from evaluation.metrics.common.jackknife import wilson as wilson
from evaluation.metrics.common.measure import MeasureOf, S, StatisticOf
from evaluation.metrics.nominal.table import FloatArray

RESAMPLES = 2000
MOST_RESAMPLED_CELLS = 1 << 22
BOOTSTRAP = "percentile bootstrap over items"
_CELLS_AT_ONCE = 1 << 22
_UNDEFINED_ALLOWED = 0.05


class Estimate(NamedTuple):
    """A measure's value with its interval and what stands behind it.

    ``slug``, ``label``: of the measure.
    ``value``: None where it is undefined.
    ``low``, ``high``: None where there is no honest interval.
    ``level``: of the interval, 0.95 for 95 %.
    ``method``: how the interval was made, in words; empty without one.
    ``resamples``: of the bootstrap beside it, 0 without one.
    ``seed``: of the resamples.
    ``n_items``, ``n_judgments``: what enters the measure.
    ``reason``: why there is no value or no interval; beside an interval it is a caution.
    ``bootstrap``: the percentile interval of the same value, None where items were not resampled.
    """

    slug: str
    label: str
    value: float | None
    low: float | None
    high: float | None
    level: float
    method: str
    resamples: int
    seed: int
    n_items: int
    n_judgments: int
    reason: str
    bootstrap: Interval | None


def resample(
    patterns: S, statistics: Sequence[StatisticOf[S]], seed: int, resamples: int = RESAMPLES
) -> FloatArray:
    """Compute S statistics on B resamples of the items, the same resamples for all: (S, B) values.

    NaN where a resample leaves a statistic undefined; (S, 0) where there are too many patterns. Deterministic
    in (patterns, seed, resamples).
    """
    if len(patterns.items) * resamples > MOST_RESAMPLED_CELLS:
        return np.zeros((len(statistics), 0))
    values = np.full((len(statistics), resamples), np.nan)
    if patterns.n_items == 0:
        return values
    generator = np.random.default_rng(seed)
    probabilities = patterns.items / patterns.n_items
    block = max(1, _CELLS_AT_ONCE // len(patterns.items))
    for start in range(0, resamples, block):
        size = min(block, resamples - start)
        drawn = generator.multinomial(patterns.n_items, probabilities, size=size).astype(np.float64)
        for row, statistic in enumerate(statistics):
            values[row, start : start + size] = statistic(patterns, drawn)
    return values


def estimate(
    measure: MeasureOf[S], patterns: S, draws: FloatArray, seed: int, level: float = LEVEL
) -> Estimate:
    """Compute the measure with its interval; ``draws`` (B,): its bootstrap values, (0,) without any."""
    reason = measure.undefined(patterns)
    if reason is not None:
        return without_value(measure, patterns, reason, seed, level)
    value = measure.value(patterns)
    if value is None:
        return without_value(measure, patterns, "Chance agreement is 1.", seed, level)
    plain = without_value(measure, patterns, "", seed, level)._replace(value=value)
    lost = int(np.isnan(draws).sum())
    if lost > _UNDEFINED_ALLOWED * len(draws):
        reason = f"No interval: {lost} of {len(draws)} resamples of the items leave it undefined."
        return plain._replace(reason=reason)
    found = jackknife_interval(measure, patterns, value, level)
    if isinstance(found, str):
        return plain._replace(reason=found)
    beside = percentiles(draws, level)
    return plain._replace(
        low=found.low,
        high=found.high,
        method=found.method,
        bootstrap=beside,
        resamples=len(draws) if beside else 0,
    )


def percentiles(draws: FloatArray, level: float = LEVEL) -> Interval | None:
    """The interval between two quantiles of the bootstrap values (B,); None where they do not differ."""
    defined = draws[~np.isnan(draws)]
    if len(defined) == 0 or np.ptp(defined) <= SAME:
        return None
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    lost = len(draws) - len(defined)
    left_out = f" ({lost} undefined resamples left out)" if lost else ""
    return Interval(float(low), float(high), BOOTSTRAP + left_out)


def cautioned(measure: MeasureOf[S], found: Estimate, caution: str) -> Estimate:
    """Put a caution beside the estimate, where there is one and the measure reads option numbers."""
    if not caution or not measure.labelled or found.value is None:
        return found
    return found._replace(reason=f"{found.reason} {caution}".lstrip())


def without_value(measure: MeasureOf[S], patterns: S, reason: str, seed: int, level: float) -> Estimate:
    """Make an estimate that says why there is no value."""
    entering = measure.enters(patterns)
    items = patterns.items[entering]
    n_items, n_judgments = int(items.sum()), int(items @ patterns.sizes[entering])
    return Estimate(
        measure.slug, measure.label, None, None, None, level, "", 0, seed, n_items, n_judgments, reason, None
    )
