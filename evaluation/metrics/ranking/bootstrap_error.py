"""A mean and its standard error as BIRCO prints them: both of a bootstrap over queries.

Of B resamples of the Q queries with replacement each has a mean m_b; printed are their mean and their sample
standard deviation, sqrt(Σ (m_b − m̄)² / (B − 1)). BIRCO (2024), Table 2, prints standard errors;
Efron and Tibshirani (1993), chapter 6.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evaluation.metrics.common.means import resampled

RESAMPLES = 1_000


class BootstrapError(NamedTuple):
    """The mean of the resamples' means, and their standard deviation, the standard error.

    ``mean``, ``error``: None without a query; ``error`` also with fewer than two resamples.
    """

    mean: float | None
    error: float | None


def bootstrap_error(values: ArrayLike, seed: int, resamples: int = RESAMPLES) -> BootstrapError:
    """Of (Q,) values of queries. Deterministic in its arguments. Raises ValueError for NaN and infinities."""
    rows = np.atleast_2d(np.asarray(values, dtype=np.float64))
    if len(rows) != 1 or not np.isfinite(rows).all():
        raise ValueError("values must be one row of finite numbers.")
    if not rows.shape[1] or not resamples:
        return BootstrapError(None, None)
    drawn = resampled(rows, seed, resamples)[0]
    return BootstrapError(float(drawn.mean()), float(drawn.std(ddof=1)) if resamples > 1 else None)
