"""Means over queries, with what they could have been with other queries of the same kind.

Value mean_i x_i; standard error s / sqrt(n); 95 % percentile interval of a bootstrap that draws n queries
with replacement, 2,000 times. Several rows are resampled together, so that measures of the same queries share
their resamples. Where every query says the same, resampling shows no spread: a share then gets Wilson's
interval, anything else none, with the reason. Efron and Tibshirani (1993), chapter 13; Wilson (1927).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evaluation.metrics.common.intervals import LEVEL, RESAMPLES, wilson
from evaluation.metrics.nominal.table import FloatArray

_CELLS_AT_ONCE = 1 << 20
_FEW_PATTERNS = 500
_SAME = 1e-12


class MeanEstimate(NamedTuple):
    """A mean over queries with its interval.

    ``value``: None where it is undefined.
    ``low``, ``high``: None where there is no honest interval.
    ``standard_error``: s / sqrt(n).
    ``level``: of the interval, 0.95 for 95 %.
    ``method``: how the interval was made, in words; empty without one.
    ``resamples``: 0 unless the interval is a bootstrap.
    ``seed``: of the resamples.
    ``n_queries``: queries behind the mean.
    ``reason``: why there is no value or no interval.
    """

    value: float | None
    low: float | None
    high: float | None
    standard_error: float | None
    level: float
    method: str
    resamples: int
    seed: int
    n_queries: int
    reason: str


def means(
    values: ArrayLike,
    seed: int,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    *,
    shares: bool | tuple[bool, ...] = True,
) -> tuple[MeanEstimate, ...]:
    """Estimate the mean of each row of ``values`` (M, Q), on shared resamples.

    Deterministic in its arguments. ``shares``: whether a row's values lie in [0, 1], one answer for all rows
    or one each. Raises ValueError for an array that is not two-dimensional or holds NaN, and for a seed or
    number of resamples below 0.
    """
    rows = np.asarray(values, dtype=np.float64)
    if rows.ndim != 2 or np.isnan(rows).any():
        raise ValueError("values must be a (measures, queries) array without NaN.")
    if seed < 0 or resamples < 0:
        raise ValueError(f"seed and resamples must be 0 or more, not {seed} and {resamples}.")
    each = (shares,) * len(rows) if isinstance(shares, bool) else shares
    draws = resampled(np.where(np.isfinite(rows), rows, 0.0), seed, resamples)
    return tuple(
        _estimate(row, drawn, share, seed, level) for row, drawn, share in zip(rows, draws, each, strict=True)
    )


def resampled(values: FloatArray, seed: int, resamples: int) -> FloatArray:
    """(M, B) means of the rows of ``values`` (M, Q) over B draws of Q queries with replacement.

    Queries with the same values are one pattern, and patterns are sorted: the draws do not depend on the
    order of the queries, and few patterns are drawn by one multinomial instead of query by query.
    """
    n_rows, n_queries = values.shape
    found = np.zeros((n_rows, resamples))
    if n_queries == 0:
        return found
    generator = np.random.default_rng(seed)
    patterns, pattern, often = np.unique(values, axis=1, return_inverse=True, return_counts=True)
    each = np.sort(pattern)
    block = max(1, _CELLS_AT_ONCE // n_queries)
    for start in range(0, resamples, block):
        size = min(block, resamples - start)
        if len(often) <= _FEW_PATTERNS:
            times = generator.multinomial(n_queries, often / n_queries, size=size)
        else:
            drawn = generator.integers(0, n_queries, size=(size, n_queries), dtype=np.int32)
            times = np.stack([np.bincount(each[row], minlength=len(often)) for row in drawn])
        found[:, start : start + size] = patterns @ times.T.astype(np.float64) / n_queries
    return found


def _estimate(row: FloatArray, draws: FloatArray, share: bool, seed: int, level: float) -> MeanEstimate:
    n_queries = len(row)
    if n_queries == 0:
        return _without("There is no query.", level, seed, 0)
    if not np.isfinite(row).all():
        lost = int(n_queries - np.isfinite(row).sum())
        return _without(f"{lost:,} of {n_queries:,} queries have no value.", level, seed, n_queries)
    row = np.sort(row)  # sums in one order, so that not even the last digit depends on that of the queries
    value = float(row.mean())
    error = float(row.std(ddof=1) / np.sqrt(n_queries)) if n_queries > 1 else None
    if np.ptp(row) <= _SAME:
        if not share:
            reason = "No interval: the queries do not differ, so resampling them shows no spread."
            return MeanEstimate(value, None, None, error, level, "", 0, seed, n_queries, reason)
        low, high = wilson(min(1.0, max(0.0, value)) * n_queries, n_queries, level)
        method = "Wilson score over queries (all equal)"
        return MeanEstimate(value, low, high, error, level, method, 0, seed, n_queries, "")
    if len(draws) == 0:
        reason = "No resamples were asked for."
        return MeanEstimate(value, None, None, error, level, "", 0, seed, n_queries, reason)
    low, high = (float(end) for end in np.quantile(draws, [(1 - level) / 2, (1 + level) / 2]))
    method = "percentile bootstrap over queries"
    return MeanEstimate(value, low, high, error, level, method, len(draws), seed, n_queries, "")


def _without(reason: str, level: float, seed: int, n_queries: int) -> MeanEstimate:
    return MeanEstimate(None, None, None, None, level, "", 0, seed, n_queries, reason)
