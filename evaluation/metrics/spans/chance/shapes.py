"""Spans seen from their anchor: how far each reaches to the left and to the right of it.

Two spans of different items can be compared only from a common point. Spans of an anchored task all contain
the anchor's first token, so a span is its *shape*: the tokens before that token and the tokens from it on.
The overlap of two shapes is O = (min left + min right) / (max left + max right). There are far fewer shapes
than spans, and what chance gives is an exact sum over pairs of shapes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evaluation.metrics.nominal.table import FloatArray, IntArray
from evaluation.metrics.spans.table import SpanTable

_CELLS_AT_ONCE = 1 << 18


class Shapes(NamedTuple):
    """The distinct shapes of M spans: ``code`` (M,) names the shape of each; ``left``, ``right`` (T,)."""

    code: IntArray
    left: FloatArray
    right: FloatArray


def shapes_of(table: SpanTable) -> Shapes:
    """Shapes of all spans of a table whose items with spans are all anchored."""
    anchor = table.anchor_start[table.item]
    left, right = anchor - table.start, table.end - anchor
    width = int(right.max(initial=0)) + 1
    key = left * width + right
    space = int(key.max(initial=0)) + 1
    if space <= 4 * len(key) + 65536:
        distinct = np.flatnonzero(np.bincount(key, minlength=1))
        where = np.zeros(space, dtype=np.int64)
        where[distinct] = np.arange(len(distinct))
        code = where[key]
    else:
        distinct, code = np.unique(key, return_inverse=True)
    return Shapes(code, (distinct // width).astype(np.float64), (distinct % width).astype(np.float64))


def overlap_with(shapes: Shapes, weights: FloatArray, *, squared: bool = False) -> FloatArray:
    """(T, C) of weights (T, C): sum over shapes t of O(s, t) w(t), or of O(s, t)^2 w(t); blockwise, exact."""
    left, right = shapes.left, shapes.right
    reach, found = left + right, np.empty(weights.shape)
    block = max(1, _CELLS_AT_ONCE // max(1, len(left)))
    for at in range(0, len(left), block):
        rows = slice(at, at + block)
        shared = np.minimum(left[rows, None], left) + np.minimum(right[rows, None], right)
        overlap = shared / (reach[rows, None] + reach - shared)
        if squared:
            overlap *= overlap
        found[rows] = overlap @ weights
    return found
