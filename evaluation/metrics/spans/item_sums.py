"""What one item adds to the span measures, and intervals from it.

Every span measure is a function of a few sums over items (and, for ``span_alpha``, of the histogram of
shapes). An item therefore enters only through its row of contributions, whatever the number of tokens and
annotators behind it; a resample is a weighting of these rows, and an item left out is a subtraction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from evaluation.metrics.common.measure import MeasureOf
from evaluation.metrics.nominal.table import BoolArray, FloatArray, IntArray
from evaluation.metrics.spans.chance.placed import placed_overlap
from evaluation.metrics.spans.chance.shapes import Shapes, overlap_with, shapes_of
from evaluation.metrics.spans.table import Pairs, SpanTable, pairs_of

Weighting = Literal["pair", "item"]


class Sums(NamedTuple):
    """Sums over items, (B,) each; the same names for what single items add, (P,).

    ``pairs``: pairs of spans; over these pairs ``overlap`` O, ``shared`` A, ``union`` U, ``identical`` 1 if
    both are the same, ``placed`` the overlap of two spans of these lengths placed anywhere in the passage
    (with the weighting "item" all six are divided by the item's number of pairs). ``differing``: 2 D /
    (k - 1), ``tokens``: k L, ``inside``: tokens inside spans, ``squares``: squared lengths of spans.
    ``anchored``: k, and ``apart``: 2 (1 - O) / (k - 1), of anchored items only. ``chance_apart``: 1 - O over
    all ordered pairs of anchored spans, whichever items they are on; 0 where it was not asked for.
    """

    pairs: FloatArray
    overlap: FloatArray
    shared: FloatArray
    union: FloatArray
    identical: FloatArray
    placed: FloatArray
    differing: FloatArray
    tokens: FloatArray
    inside: FloatArray
    anchored: FloatArray
    apart: FloatArray
    squares: FloatArray
    chance_apart: FloatArray


class Units(NamedTuple):
    """What single answers add, (M,) each.

    ``extent``: tokens inside.
    ``squares``: squared lengths of the spans, one or more, that these tokens are.
    """

    extent: IntArray
    squares: IntArray


@dataclass(frozen=True, eq=False)
class ItemSums:
    """P items with two spans or more.

    ``adds`` (P, 12): the columns of Sums but the last; ``sizes`` (P,): spans on the item; ``anchored`` (P,);
    ``row`` (A,): the item of each anchored span, ascending; ``shapes``: of these A spans.
    """

    adds: FloatArray
    sizes: IntArray
    anchored: BoolArray
    row: IntArray
    shapes: Shapes

    @property
    def n_items(self) -> int:
        return len(self.sizes)

    @property
    def items(self) -> IntArray:
        """(P,) ones: every row is one item."""
        return np.ones(self.n_items, dtype=np.int64)

    @property
    def each(self) -> Sums:
        """What single items add, (P,); without ``chance_apart``."""
        return Sums._make([*self.adds.T, np.zeros(self.n_items)])

    def keep(self, which: BoolArray) -> ItemSums:
        """The items where ``which`` (P,) is true."""
        if which.all():
            return self
        spans = which[self.row]
        number = np.cumsum(which) - 1
        return replace(
            self,
            adds=self.adds[which],
            sizes=self.sizes[which],
            anchored=self.anchored[which],
            row=number[self.row[spans]],
            shapes=self.shapes._replace(code=self.shapes.code[spans]),
        )

    def sums(self, weights: FloatArray, *, chance: bool = False) -> Sums:
        """Sums over items taken ``weights`` (B, P) times."""
        apart = np.zeros(len(weights))
        if chance and len(self.row):
            drawn = np.stack([self._histogram(each) for each in weights])
            apart = (drawn * self._apart(drawn.T).T).sum(axis=1)
        return Sums._make([*(weights @ self.adds).T, apart])

    @cached_property
    def whole(self) -> Sums:
        """Sums over all items, (1,)."""
        return self.sums(np.ones((1, self.n_items)), chance=True)

    @cached_property
    def without_each(self) -> Sums:
        """Sums over all items but one, for each item in turn; (P,)."""
        rest = self.adds.sum(axis=0) - self.adds
        apart = np.zeros(self.n_items)
        if len(self.row):
            each = np.bincount(self.row, weights=self.apart_from_all[self.shapes.code], minlength=len(rest))
            own = self.each.apart * (self.sizes - 1)
            apart = self.chance_apart - 2 * each + own
        return Sums._make([*rest.T, apart])

    @cached_property
    def apart_from_all(self) -> FloatArray:
        """(T,) 1 - O of a shape with every anchored span, summed."""
        return self._apart(self._histogram(np.ones(self.n_items))[:, None])[:, 0]

    @cached_property
    def chance_apart(self) -> float:
        """Sums.chance_apart of all items."""
        return float(self.apart_from_all @ self._histogram(np.ones(self.n_items)))

    def order(self) -> IntArray:
        """(P,) items in an order that does not depend on their numbers, equal ones side by side."""
        shape = np.full((self.n_items, int(self.sizes.max(initial=0))), -1)
        by_shape = np.lexsort((self.shapes.code, self.row))
        place = np.arange(len(self.row)) - np.searchsorted(self.row, self.row)
        shape[self.row, place] = self.shapes.code[by_shape]
        return np.lexsort((*shape.T, *self.adds.T)).astype(np.int64, copy=False)

    def _histogram(self, weights: FloatArray) -> FloatArray:
        """(T,) anchored spans of each shape when items are taken ``weights`` (P,) times."""
        spans = np.bincount(self.shapes.code, weights=weights[self.row], minlength=len(self.shapes.left))
        return spans.astype(np.float64, copy=False)

    def _apart(self, histograms: FloatArray) -> FloatArray:
        return np.asarray(histograms.sum(axis=0) - overlap_with(self.shapes, histograms))


@dataclass(frozen=True, kw_only=True)
class SpanMeasure(MeasureOf[ItemSums]):
    """A measure of spans.

    ``of(sums)``: its values (B,) from Sums.
    ``across``: whether it reads ``chance_apart``.
    ``data``: the kind of data it measures.
    """

    of: Callable[[Sums], FloatArray]
    across: bool = False
    data: str = "spans"

    def value(self, sample: ItemSums) -> float | None:
        """The point value, from sums that all measures share; None where undefined."""
        if self.undefined(sample) is not None:
            return None
        value = float(self.of(sample.whole)[0])
        return None if np.isnan(value) else value


def every_item(items: ItemSums) -> BoolArray:
    """(P,) all items: those with one span are dropped before."""
    return np.ones(items.n_items, dtype=np.bool_)


def span_measure(
    of: Callable[[Sums], FloatArray],
    *,
    across: bool = False,
    enters: Callable[[ItemSums], BoolArray] = every_item,
    **named: Any,
) -> SpanMeasure:
    """A measure whose statistic follows from ``of``; without each item, sums are a subtraction.

    ``named``: the other fields of ``SpanMeasure``.
    """

    def statistic(items: ItemSums, weights: FloatArray) -> FloatArray:
        return of(items.sums(weights, chance=across))

    def left_out(items: ItemSums) -> FloatArray:
        return of(items.without_each)

    return SpanMeasure(of=of, across=across, enters=enters, statistic=statistic, left_out=left_out, **named)


def item_sums(
    table: SpanTable,
    weighting: Weighting = "pair",
    pairs: Pairs | None = None,
    units: Units | None = None,
) -> ItemSums:
    """Contributions of the items with two spans or more; ``pairs`` if they are known already.

    ``units``: of answers that are not the single span of their row (``units``).

    ``weighting``: with "pair" every pair of spans counts the same (equation 3 as printed), with "item" every
    item; equal where all items have the same number of spans. Raises ValueError for another word.
    """
    if weighting not in ("pair", "item"):
        raise ValueError(f"weighting must be pair or item, not {weighting!r}.")
    pairs = pairs_of(table) if pairs is None else pairs
    kept = table.sizes >= 2
    spans = table.only(kept & table.anchored)
    number = np.cumsum(kept) - 1
    return ItemSums(
        _adds(table, pairs, kept, weighting, units or _single(table)),
        table.sizes[kept],
        table.anchored[kept],
        number[spans.item],
        shapes_of(spans),
    )


def _single(table: SpanTable) -> Units:
    extent = table.end - table.start
    return Units(extent, extent**2)


def _adds(table: SpanTable, pairs: Pairs, kept: BoolArray, weighting: Weighting, units: Units) -> FloatArray:
    def over_pairs(values: FloatArray | IntArray | None) -> FloatArray:
        return np.bincount(pairs.item, weights=values, minlength=table.n_items)[kept].astype(np.float64)

    extent = units.extent
    placed = placed_overlap(extent[pairs.first], extent[pairs.second], table.length[pairs.item])
    each = [over_pairs(None), over_pairs(pairs.overlap), over_pairs(pairs.shared), over_pairs(pairs.union)]
    each += [over_pairs(pairs.identical.astype(np.float64)), over_pairs(placed)]
    sizes, anchored = table.sizes[kept], table.anchored[kept]
    others = np.maximum(sizes - 1, 1)
    n_pairs, overlap, shared, union = each[:4]
    rest = [
        2 * (union - shared) / others,
        (sizes * table.length[kept]).astype(np.float64),
        np.bincount(table.item, weights=extent, minlength=table.n_items)[kept],
        np.where(anchored, sizes, 0).astype(np.float64),
        np.where(anchored, 2 * (n_pairs - overlap) / others, 0.0),
        np.bincount(table.item, weights=units.squares, minlength=table.n_items)[kept],
    ]
    if weighting == "item":
        each = [one / n_pairs for one in each]
    return np.stack([*each, *rest], axis=1)
