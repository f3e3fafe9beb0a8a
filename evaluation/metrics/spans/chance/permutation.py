"""Could spans that have nothing to do with their item overlap this much? Two tests of O_o.

**Permuted** (anchored items): every annotator's spans are shuffled over the items that this annotator marked,
each keeping its shape round the anchor. Habits of length and of reaching left or right stay; what the item
calls for is broken. Where all items have the same annotators, O_o is the one part of ``span_alpha`` that
changes, so the p-value is that of ``span_alpha`` too.

**Placed** (items without anchor): every span keeps its length and is placed anew, uniformly in its passage,
which is the chance of ``placement_kappa``.

p = (1 + as large) / (1 + draws); the mean of O_o by chance is exact. Where spans or pairs times draws exceed
2 * 10^7, the normal limit stands for the draws, with that mean and the exact standard deviation of the
shuffle (for placements its estimate from eight draws), and p is never below 1 / (1 + draws).

Hoeffding, W. (1951). A combinatorial central limit theorem; Good, P. (2005). Permutation tests.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np

from evaluation.metrics.nominal.table import FloatArray, IntArray
from evaluation.metrics.spans.chance.moments import permuted_moments
from evaluation.metrics.spans.chance.placed import placed_overlap
from evaluation.metrics.spans.chance.shapes import Shapes, overlap_with, shapes_of
from evaluation.metrics.spans.table import Pairs, SpanTable, pairs_of

DRAWS = 9999
MOST_CELLS = 20_000_000
MOST_ANNOTATORS = 64
MOST_SHAPES = 4096
_FEW_DRAWS = 8
_CELLS_AT_ONCE = 1 << 20
_TIE = 1e-9


class OverlapTest(NamedTuple):
    """A one-sided test of O_o against chance.

    ``chance``: the chance that it is tested against.
    ``observed``, ``expected``: O_o, and its mean by that chance; None without pairs.
    ``p``: None, with a ``reason``, where there is nothing to test.
    ``method``: how p was found.
    ``draws``: 0 where the normal limit was taken; ``method`` then says so.
    ``seed``: of the draws.
    ``n_items``, ``n_spans``, ``n_pairs``: what enters.
    ``reason``: why there is no p, or empty.
    """

    chance: Literal["permuted", "placed"]
    observed: float | None
    expected: float | None
    p: float | None
    method: str
    draws: int
    seed: int
    n_items: int
    n_spans: int
    n_pairs: int
    reason: str


def permutation_test(table: SpanTable, seed: int, draws: int = DRAWS) -> OverlapTest:
    """Spans of anchored items, shuffled within annotators; deterministic in its arguments."""
    spans = table.only((table.sizes >= 2) & table.anchored)
    pairs = pairs_of(spans)
    if not len(pairs.item):
        return _nothing("permuted", seed, "No item with two spans has an anchor.")
    shapes = shapes_of(spans)
    who, annotator = np.unique(spans.annotator, return_inverse=True)
    if _few(spans, pairs, draws) and len(shapes.left) <= MOST_SHAPES:
        expected, _ = permuted_moments(spans, annotator, shapes, variance=False)
        drawn = _permuted(shapes, annotator, pairs, seed, draws)
        return _drawn("permuted", spans, pairs, expected, drawn, seed)
    if len(who) > MOST_ANNOTATORS:
        reason = f"Not computed: {len(who)} annotators on {spans.n_spans:,} spans are too many to shuffle."
        return _nothing("permuted", seed, reason)
    expected, deviation = permuted_moments(spans, annotator, shapes)
    return _limit("permuted", spans, pairs, expected, deviation, seed, draws)


def placement_test(table: SpanTable, seed: int, draws: int = DRAWS) -> OverlapTest:
    """Spans of items without anchor, placed anew in their passages; deterministic in its arguments."""
    spans = table.only((table.sizes >= 2) & ~table.anchored)
    pairs = pairs_of(spans)
    if not len(pairs.item):
        return _nothing("placed", seed, "No item with two spans is without an anchor.")
    extent = spans.end - spans.start
    means = placed_overlap(extent[pairs.first], extent[pairs.second], spans.length[pairs.item])
    expected = float(means.mean())
    if _few(spans, pairs, draws):
        return _drawn("placed", spans, pairs, expected, _placed(spans, pairs, seed, draws, _mean), seed)

    def by_item(overlap: FloatArray) -> FloatArray:
        apart = overlap - means
        return np.stack([np.bincount(pairs.item, weights=each) for each in apart])

    # Items are independent and their means known, so few draws of very many items give the variance.
    squares = (_placed(spans, pairs, seed, _FEW_DRAWS, by_item) ** 2).sum() / _FEW_DRAWS
    deviation = math.sqrt(squares) / len(pairs.item)
    return _limit("placed", spans, pairs, expected, deviation, seed, draws)


def _few(spans: SpanTable, pairs: Pairs, draws: int) -> bool:
    return max(spans.n_spans, len(pairs.item)) * draws <= MOST_CELLS


def _mean(overlap: FloatArray) -> FloatArray:
    return np.asarray(overlap.mean(axis=1))


def _permuted(shapes: Shapes, annotator: IntArray, pairs: Pairs, seed: int, draws: int) -> FloatArray:
    """(draws,) O_o of shuffles."""
    generator = np.random.default_rng(seed)
    table = overlap_with(shapes, np.eye(len(shapes.left)))
    own = [np.flatnonzero(annotator == who) for who in range(int(annotator.max()) + 1)]
    found = np.empty(draws)
    block = max(1, _CELLS_AT_ONCE // max(len(annotator), len(pairs.item)))
    for start in range(0, draws, block):
        size = min(block, draws - start)
        code = np.empty((size, len(annotator)), dtype=np.int64)
        for rows in own:
            code[:, rows] = generator.permuted(np.tile(shapes.code[rows], (size, 1)), axis=1)
        cell = code[:, pairs.first] * len(shapes.left) + code[:, pairs.second]
        found[start : start + size] = table.ravel()[cell].mean(axis=1)
    return found


def _placed(
    spans: SpanTable, pairs: Pairs, seed: int, draws: int, reduce: Callable[[FloatArray], FloatArray]
) -> FloatArray:
    """``reduce`` of the overlaps (b, R) of b placements at a time, one behind the other."""
    generator = np.random.default_rng(seed)
    extent = spans.end - spans.start
    places = spans.length[spans.item] - extent + 1
    both = extent[pairs.first] + extent[pairs.second]
    block = max(1, _CELLS_AT_ONCE // max(len(extent), len(pairs.item)))
    found = []
    for at in range(0, draws, block):
        size = min(block, draws - at)
        start = generator.integers(0, places, size=(size, len(extent)))
        end = start + extent
        first, second = pairs.first, pairs.second
        shared = np.minimum(end[:, first], end[:, second]) - np.maximum(start[:, first], start[:, second])
        np.maximum(shared, 0, out=shared)
        found.append(reduce(shared / (both - shared)))
    return np.concatenate(found) if found else np.zeros(0)


def _drawn(
    chance: Literal["permuted", "placed"],
    spans: SpanTable,
    pairs: Pairs,
    expected: float,
    drawn: FloatArray,
    seed: int,
) -> OverlapTest:
    observed = float(pairs.overlap.mean())
    p = (1 + int((drawn >= observed - _TIE).sum())) / (1 + len(drawn))
    counts = int((spans.sizes > 0).sum()), spans.n_spans, len(pairs.item)
    return OverlapTest(chance, observed, expected, p, f"{len(drawn):,} draws", len(drawn), seed, *counts, "")


def _limit(
    chance: Literal["permuted", "placed"],
    spans: SpanTable,
    pairs: Pairs,
    expected: float,
    deviation: float,
    seed: int,
    draws: int,
) -> OverlapTest:
    observed, counts = float(pairs.overlap.mean()), (int((spans.sizes > 0).sum()), spans.n_spans)
    p = 1.0
    if deviation > _TIE:
        p = max(1 / (1 + draws), math.erfc((observed - expected) / deviation / math.sqrt(2)) / 2)
    method = f"normal limit of the draws, at least 1/{1 + draws}"
    return OverlapTest(chance, observed, expected, p, method, 0, seed, *counts, len(pairs.item), "")


def _nothing(chance: Literal["permuted", "placed"], seed: int, reason: str) -> OverlapTest:
    return OverlapTest(chance, None, None, None, "", 0, seed, 0, 0, 0, reason)
