"""What two spans of given lengths overlap on average when each may lie anywhere in the passage; exact.

Of the (L - a + 1)(L - b + 1) placements of lengths a >= b, (L - a + 1)(a - b + 1) put the shorter inside the
longer (O = b / a), and 2 (L + 1 - U) give a union of U tokens for U = a + 1 ... min(a + b - 1, L), where
O = (a + b - U) / U; the rest do not touch. Summed over U this is a closed form in harmonic numbers.
"""

from __future__ import annotations

import numpy as np

from evaluation.metrics.nominal.table import FloatArray, IntArray


def placed_overlap(one: IntArray, other: IntArray, length: IntArray) -> FloatArray:
    """(R,) expected O of spans of ``one`` and ``other`` tokens, placed uniformly in ``length`` tokens."""
    longer, shorter = np.maximum(one, other), np.minimum(one, other)
    both = one + other
    top = np.minimum(both - 1, length)
    harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, int(top.max(initial=0)) + 1))])
    inside = (length - longer + 1) * (longer - shorter + 1) * (shorter / longer)
    partly = (
        (length + 1.0) * both * (harmonic[top] - harmonic[longer])
        - (length + 1.0 + both) * (top - longer)
        + (top * (top + 1.0) - longer * (longer + 1.0)) / 2
    )
    places = (length - one + 1.0) * (length - other + 1.0)
    return np.asarray((inside + 2 * partly) / places, dtype=np.float64)
