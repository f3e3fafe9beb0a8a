"""Intervals from the jackknife: every item left out in turn, Student's t, on the scale that fits the measure.

    error^2 = (n - 1) / n * sum_i (θ_(i) - mean)^2,   g(value) ± t(n-1) * |g'(value)| * error,   g undone

- **a share** (range 0 to 1): g = log(v / (1 - v)). Symmetric intervals of a share near 1 are too short on the
  side where there is room;
- **a share of items**, each of which counts 0 or 1 (majority right, all agree): Wilson's score interval,
  because the number of such items is binomial whatever makes items differ;
- **a coefficient** (greatest value 1): g = sqrt(1 - v). 1 - v is observed over expected disagreement, and the
  root of a count has a steadier spread than the count;
- **anything else** (grades too high or too low): g(v) = v.

Which of several scales covers best was simulated: ``python -m benchmarks.coverage --compare`` prints it.

Leaving items out costs one pass: a measure of patterns reads weights only through sums over items,
``weights @ values``, and a sum without one item is a subtraction (``AllButOne``).

Efron and Tibshirani (1993), chapter 11; Wilson (1927); Brown, Cai and DasGupta (2001).
"""

from __future__ import annotations

from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from evaluation.metrics.common.measure import MeasureOf, S
from evaluation.metrics.common.ratings import Ratings
from evaluation.metrics.nominal.table import FloatArray, IntArray

LEVEL = 0.95
PLAIN = "jackknife-t over items"
LOGIT = "jackknife-t over items, logit scale"
ROOT = "jackknife-t over items, root of 1 - value"
WILSON = "Wilson score over items"
WILSON_OF_EQUAL = "Wilson score over items (all equal)"
SAME = 1e-12
AS_BINARY = 1e-6
_CELLS_AT_ONCE = 1 << 22


class Interval(NamedTuple):
    """An interval from ``low`` to ``high`` and, in words, the ``method`` it was made by."""

    low: float
    high: float
    method: str


class AllButOne:
    """The weights (P, P) that lack one item of each row in turn, never written out.

    It is to a statistic what an array of weights is, as far as sums over items go: ``weights @ values``.
    """

    def __init__(self, items: IntArray) -> None:
        """``items`` (P,): how many items each row stands for."""
        self.items = items.astype(np.float64)

    def __len__(self) -> int:
        return len(self.items)

    def __matmul__(self, values: NDArray[np.generic]) -> FloatArray:
        """(P,) or (P, C): the sum over all items of ``values`` (P,) or (P, C), less one item's."""
        each = np.asarray(values, dtype=np.float64)
        return np.asarray(self.items @ each - each, dtype=np.float64)


def wilson(successes: float, total: float, level: float = LEVEL) -> tuple[float, float]:
    """Return the Wilson score interval of successes / total, total > 0."""
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(successes, total, alpha=1 - level, method="wilson")
    return float(low), float(high)


def jackknife_error(measure: MeasureOf[S], sample: S) -> float | None:
    """Compute the jackknife standard error over the items that enter; None if one leaves no value behind.

    Items of one row share one θ_(i); deterministic.
    """
    kept = sample.keep(measure.enters(sample))
    n_items = kept.n_items
    if n_items < 2:
        return None
    left_out = without_each(measure, kept)
    if np.isnan(left_out).any():
        return None
    mean = left_out @ kept.items / n_items
    return float(np.sqrt((n_items - 1) / n_items * (kept.items @ (left_out - mean) ** 2)))


def without_each(measure: MeasureOf[S], sample: S) -> FloatArray:
    """(P,) the value without one item of each row."""
    if measure.left_out is not None:
        return measure.left_out(sample)
    if isinstance(sample, Ratings):
        return _written_out(measure, sample)
    return measure.statistic(sample, cast(FloatArray, AllButOne(sample.items)))


def _written_out(measure: MeasureOf[S], sample: S) -> FloatArray:
    """The same for who said what, which statistics read answer by answer: by weights that lack an item."""
    left_out = np.empty(len(sample.items))
    block = max(1, _CELLS_AT_ONCE // len(sample.items))
    for start in range(0, len(left_out), block):
        rows = np.arange(start, min(start + block, len(left_out)))
        weights = np.repeat(sample.items[None, :].astype(np.float64), len(rows), axis=0)
        weights[np.arange(len(rows)), rows] -= 1
        left_out[rows] = measure.statistic(sample, weights)
    return left_out


def limits(
    values: FloatArray, errors: FloatArray, n_items: IntArray, method: str, level: float = LEVEL
) -> tuple[FloatArray, FloatArray]:
    """(B,) lower and upper ends for values, jackknife errors and numbers of items (B,).

    ``method``: PLAIN, LOGIT or ROOT. LOGIT asks for values inside 0 and 1, ROOT for values below 1.
    """
    from scipy.special import expit, logit, stdtrit

    reach = stdtrit(n_items - 1, (1 + level) / 2) * errors
    if method == LOGIT:
        middle, reach = logit(values), reach / (values * (1 - values))
        return expit(middle - reach), expit(middle + reach)
    if method == ROOT:
        root = np.sqrt(1 - values)
        reach = reach / (2 * root)
        return 1 - (root + reach) ** 2, 1 - np.maximum(root - reach, 0.0) ** 2
    return values - reach, values + reach


def jackknife_interval(
    measure: MeasureOf[S], sample: S, value: float, level: float = LEVEL
) -> Interval | str:
    """The interval of a measure with this value, or the sentence that says why there is none."""
    error = jackknife_error(measure, sample)
    if error is None:
        return "No interval: with one item left out there would be no value."
    n_items = sample.items[measure.enters(sample)].sum()
    found = intervals(measure, sample, np.array([value]), np.array([error]), np.array([n_items]), level)
    if not found.method[0]:
        return "No interval: the items do not differ, so leaving them out shows no spread."
    return Interval(float(found.low[0]), float(found.high[0]), str(found.method[0]))


class Intervals(NamedTuple):
    """Intervals of B values: ``low``, ``high``, ``method`` (B,); NaN and an empty method where none is."""

    low: FloatArray
    high: FloatArray
    method: NDArray[np.str_]


def intervals(
    measure: MeasureOf[S],
    sample: S,
    values: FloatArray,
    errors: FloatArray,
    n_items: IntArray,
    level: float = LEVEL,
) -> Intervals:
    """Intervals of one measure from B samples of the kind of ``sample``: values, jackknife errors and numbers
    of items, (B,) each.

    Items that all say the same show no spread, which is not certainty: there Wilson's interval, which errs on
    the long side, stands for a mean of values between two ends, and none for other coefficients.
    """
    low, high = np.full(len(values), np.nan), np.full(len(values), np.nan)
    method = np.full(len(values), "", dtype=f"<U{len(ROOT)}")
    scale, (lowest, highest) = scale_of(measure), _possible(measure, sample)
    equal, apart = errors <= SAME, errors > SAME
    if scale == LOGIT:
        # Zeros and ones vary as much as this: other means of items less, sums of unequal items also more.
        binary = apart & np.isclose(errors**2 * (n_items - 1), values * (1 - values), rtol=AS_BINARY, atol=0)
        low[binary], high[binary] = _wilsons(values[binary], n_items[binary], level)
        method[binary], apart = WILSON, apart & ~binary
    if measure.proportion is not None:
        width, offset = measure.proportion(sample)
        shares = np.clip((values[equal] - offset) / width, 0.0, 1.0)
        ends = _wilsons(shares, n_items[equal], level)
        low[equal], high[equal] = (width * end + offset for end in ends)
        method[equal] = WILSON_OF_EQUAL
    ends = limits(values[apart], errors[apart], n_items[apart], scale, level)
    low[apart], high[apart] = np.maximum(lowest, ends[0]), np.minimum(highest, ends[1])
    method[apart] = scale
    return Intervals(low, high, method)


def _wilsons(shares: FloatArray, n_items: IntArray, level: float) -> tuple[FloatArray, FloatArray]:
    """(B,) ends of Wilson's score intervals; statsmodels takes arrays, but no empty ones."""
    from statsmodels.stats.proportion import proportion_confint

    if not len(shares):
        return shares, shares
    low, high = proportion_confint(shares * n_items, n_items, alpha=1 - level, method="wilson")
    return np.asarray(low), np.asarray(high)


def scale_of(measure: MeasureOf[S]) -> str:
    """LOGIT for shares, ROOT for coefficients, PLAIN for what is neither."""
    if measure.range == (0.0, 1.0):
        return LOGIT
    return ROOT if measure.range[1] == 1.0 else PLAIN


def _possible(measure: MeasureOf[S], sample: S) -> tuple[float, float]:
    """The measure's range; where nothing bounds it in general, that of these data: a scale has two ends."""
    if np.isfinite(measure.range).all() or measure.proportion is None:
        return measure.range
    scale, offset = measure.proportion(sample)
    return offset, offset + scale
