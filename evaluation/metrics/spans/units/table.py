"""Several spans in one answer: the set of tokens that an annotator marked on an item.

Spans of one answer do not overlap; they may touch, and are then two. Between two answers A is the number of
tokens in both sets and U of those in either, so that with one span each everything is as in ``table``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evaluation.metrics.nominal.table import IntArray, whole_numbers
from evaluation.metrics.spans.item_sums import ItemSums, Units, Weighting, item_sums
from evaluation.metrics.spans.table import NO_ANCHOR, Pairs, SpanTable, pairs_of, tabulate_spans


class UnitTable(NamedTuple):
    """Checked answers of any number of spans; made by :func:`tabulate_units`.

    ``hulls``: one row an answer, from its first token to behind its last; no item of it has an anchor.
    ``first`` (M + 1,): where the spans of each answer begin among all.
    ``start``, ``end`` (S,): the spans, answer by answer and in order.
    """

    hulls: SpanTable
    first: IntArray
    start: IntArray
    end: IntArray

    @property
    def row(self) -> IntArray:
        """(S,) the answer of each span."""
        return np.repeat(np.arange(self.hulls.n_spans), self.n_units)

    @property
    def n_units(self) -> IntArray:
        """(M,) spans of each answer."""
        return np.diff(self.first)

    @property
    def units(self) -> Units:
        """Tokens of each answer, and the squares of its spans' lengths added."""
        extent = self.end - self.start
        return Units(_per_answer(extent, self.first), _per_answer(extent**2, self.first))

    def without(self, annotator: int) -> UnitTable:
        """The table without one annotator's spans; items keep their numbers."""
        kept, hulls = self.hulls.annotator != annotator, self.hulls
        spans = np.repeat(kept, self.n_units)
        return UnitTable(
            hulls._replace(
                item=hulls.item[kept],
                annotator=hulls.annotator[kept],
                start=hulls.start[kept],
                end=hulls.end[kept],
            ),
            _bounds(self.n_units[kept]),
            self.start[spans],
            self.end[spans],
        )


def tabulate_units(
    item: ArrayLike,
    annotator: ArrayLike,
    n_units: ArrayLike,
    start: ArrayLike,
    end: ArrayLike,
    length: ArrayLike,
) -> UnitTable:
    """Answers as parallel arrays of length M, their spans of length S, items of length N → table.

    ``item`` in 0..N-1, ``annotator`` >= 0; ``n_units``: spans of each answer, 0 where it is declined;
    ``start`` and ``end``: half-open in tokens, answer by answer and in order; ``length`` >= 1: tokens of the
    passage. Raises ValueError, naming the first such entry, for what ``tabulate_spans`` refuses and for spans
    of one answer that are empty, overlap or are out of order.
    """
    sizes = whole_numbers("n_units", n_units, 0, None)
    starts, ends = whole_numbers("start", start, 0, None), whole_numbers("end", end, 0, None)
    if not len(starts) == len(ends) == int(sizes.sum()):
        raise ValueError(
            f"start and end must have one entry per span ({int(sizes.sum())}), "
            f"but have {len(starts)} and {len(ends)}."
        )
    _refuse(sizes, starts, ends)
    bounds, marked = _bounds(sizes), sizes > 0
    low, high = np.full(len(sizes), -1), np.full(len(sizes), -1)
    low[marked], high[marked] = starts[bounds[:-1][marked]], ends[bounds[1:][marked] - 1]
    none = np.full(np.size(length), NO_ANCHOR)
    hulls = tabulate_spans(item, annotator, low, high, none, none, length, ~marked)
    # The rows of the table stand by item and annotator: so must their spans.
    order = np.lexsort((np.asarray(annotator)[marked], np.asarray(item)[marked]))
    own = sizes[marked][order]
    before = np.repeat(bounds[:-1][marked][order] - _bounds(own)[:-1], own)
    places = before + np.arange(int(own.sum()))
    return UnitTable(hulls, _bounds(own), starts[places], ends[places])


def unit_pairs(table: UnitTable) -> Pairs:
    """All C(k_i, 2) pairs of answers within items, with A and U of their sets of tokens."""
    pairs = pairs_of(table.hulls)
    extent = table.units.extent
    shared = shared_tokens(table, pairs.first, pairs.second)
    return pairs._replace(shared=shared, union=extent[pairs.first] + extent[pairs.second] - shared)


def shared_tokens(table: UnitTable, one: IntArray, other: IntArray) -> IntArray:
    """(R,) tokens in the sets of both answers ``one[r]`` and ``other[r]``, rows of the table.

    The answers' passages are laid end to end. How many tokens of an answer lie before a place is then one
    search, and what a span shares with the answer is a difference of two.
    """
    sizes, width = table.n_units[other], int(table.end.max(initial=0)) + 1
    where = np.repeat(np.arange(len(other)), sizes)
    spans = np.arange(len(where)) + np.repeat(table.first[other] - _bounds(sizes)[:-1], sizes)
    laid, extent = table.start + table.row * width, table.end - table.start
    before = _bounds(extent)

    def tokens_before(places: IntArray) -> IntArray:
        at = np.searchsorted(laid, places, side="right") - 1
        inside = np.minimum(places - laid[at], extent[at])
        return np.asarray(np.where(at < 0, 0, before[at] + inside))

    base = one[where] * width
    within = tokens_before(base + table.end[spans]) - tokens_before(base + table.start[spans])
    return np.bincount(where, weights=within, minlength=len(one)).astype(np.int64)


def unit_sums(table: UnitTable, weighting: Weighting = "pair", pairs: Pairs | None = None) -> ItemSums:
    """Contributions of the items with two answers or more; ``pairs`` if they are known already."""
    return item_sums(table.hulls, weighting, unit_pairs(table) if pairs is None else pairs, table.units)


def _per_answer(values: IntArray, first: IntArray) -> IntArray:
    return np.diff(_bounds(values)[first])


def _bounds(sizes: IntArray) -> IntArray:
    """(K + 1,) where each of K runs of these sizes begins, and the end."""
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes, dtype=np.int64)])


def _refuse(sizes: IntArray, starts: IntArray, ends: IntArray) -> None:
    answer = np.repeat(np.arange(len(sizes)), sizes)
    empty = np.flatnonzero(ends <= starts)
    if empty.size:
        at = int(empty[0])
        raise ValueError(
            f"The span [{starts[at]}, {ends[at]}) of answer {answer[at]} must end after it starts."
        )
    crossed = np.flatnonzero((answer[1:] == answer[:-1]) & (starts[1:] < ends[:-1]))
    if crossed.size:
        at = int(crossed[0])
        raise ValueError(
            f"The spans [{starts[at]}, {ends[at]}) and [{starts[at + 1]}, {ends[at + 1]}) of answer "
            f"{answer[at]} must stand in order and not overlap."
        )
