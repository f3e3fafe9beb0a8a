"""Who answered what: the sample of measures that compare annotators with each other.

``Patterns`` keep how often each category was chosen on an item; ``Ratings`` keep by whom. Items that the same
annotators answered in the same way are one row: three annotators and five grades make at most 216 rows (with
gold 1,296), however many items there are. With many annotators hardly two items are equal, and a row is an
item.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evaluation.metrics.nominal.table import NO_GOLD, BoolArray, FloatArray, IntArray, distinct

SmallArray = NDArray[np.int32]
_LARGEST_KEY = 1 << 62


@dataclass(frozen=True, eq=False)
class Ratings:
    """The distinct judged items (P rows) and their answers (E entries, sorted by row, then annotator).

    ``items`` (P,): how many items each row stands for.
    ``gold`` (P,): gold category or -1.
    ``row`` (E,): the row an answer belongs to.
    ``annotator`` (E,): who gave it.
    ``answer`` (E,): the category, 0..q-1.
    ``categories``: q.

    Rows come in order of size (``sizes``, answers on an item). Nothing else decides their order but gold,
    annotators and answers, so the numbers of the items do not change an interval.
    """

    items: IntArray
    gold: IntArray
    row: IntArray
    annotator: IntArray
    answer: IntArray
    categories: int

    @cached_property
    def sizes(self) -> IntArray:
        """(P,) answers on an item of this row."""
        return np.bincount(self.row, minlength=len(self.items)).astype(np.int64)

    @property
    def n_items(self) -> int:
        """How many items there are, those of equal rows counted each."""
        return int(self.items.sum())

    @property
    def n_pairs(self) -> int:
        """How many pairs of answers the rows hold, equal items counted once."""
        return int((self.sizes * (self.sizes - 1) // 2).sum())

    def keep(self, which: BoolArray) -> Ratings:
        """Return the rows where ``which`` (P,) is true."""
        if which.all():
            return self
        entries = which[self.row]
        renumbered = np.cumsum(which) - 1
        return Ratings(
            self.items[which],
            self.gold[which],
            renumbered[self.row[entries]],
            self.annotator[entries],
            self.answer[entries],
            self.categories,
        )

    @cached_property
    def pairs(self) -> PairCells:
        """The pairs of answers on one item, sorted by annotators and categories."""
        return _pair_cells(self)


@dataclass(frozen=True, eq=False)
class PairCells:
    """The cells of the confusion tables of all pairs of annotators: K pairs, C cells that are not empty.

    ``first``, ``second`` (K,): the two annotators of a pair, first < second, ascending.
    ``pair`` (C,): the pair a cell belongs to, ascending; every pair has a cell.
    ``a``, ``b`` (C,): the answers of the first and of the second annotator.
    ``row`` (T,): the row each pair of answers comes from, sorted by cell.
    ``cell`` (T,): the cell it falls into, ascending.
    ``categories``: q.
    """

    first: IntArray
    second: IntArray
    pair: IntArray
    a: IntArray
    b: IntArray
    row: SmallArray
    cell: SmallArray
    categories: int

    @property
    def n_pairs(self) -> int:
        """K, the pairs of annotators with a common item."""
        return len(self.first)

    @cached_property
    def _cell_starts(self) -> IntArray:
        return np.flatnonzero(np.diff(self.cell, prepend=-1))

    @cached_property
    def _pair_starts(self) -> IntArray:
        return np.flatnonzero(np.diff(self.pair, prepend=-1))

    def counts(self, weights: FloatArray) -> FloatArray:
        """Return (B, C) items in each cell when rows weigh ``weights`` (B, P)."""
        return np.add.reduceat(weights[:, self.row], self._cell_starts, axis=1)

    def per_pair(self, values: FloatArray) -> FloatArray:
        """Return (B, K) sums of ``values`` (B, C) over the cells of each pair."""
        return np.add.reduceat(values, self._pair_starts, axis=1)

    def margins(self, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return (B, K, q) answers of the first and of the second annotator on their common items."""
        return self._margin(counts, self.a), self._margin(counts, self.b)

    def _margin(self, counts: FloatArray, answer: IntArray) -> FloatArray:
        samples, width = len(counts), self.n_pairs * self.categories
        places = np.arange(samples)[:, None] * width + (self.pair * self.categories + answer)
        sums = np.bincount(places.ravel(), weights=counts.ravel(), minlength=samples * width)
        return np.asarray(sums.reshape(samples, self.n_pairs, self.categories), dtype=np.float64)


def ratings_of(
    item: IntArray, annotator: IntArray, answer: IntArray, gold: IntArray | None, categories: int
) -> Ratings:
    """Group checked judgments, parallel arrays (M,) as ``tabulate`` gives them, by equal items.

    ``gold`` (N,) one entry per item, or None where no measure asks for it: fewer rows are then distinct.
    """
    return ratings_and_rows(item, annotator, answer, gold, categories)[0]


def ratings_and_rows(
    item: IntArray, annotator: IntArray, answer: IntArray, gold: IntArray | None, categories: int
) -> tuple[Ratings, IntArray]:
    """The same, and the row that each item belongs to: (highest item + 1,), -1 where nobody judged it."""
    item, annotator, answer = _by_item(item, annotator, answer)
    starts = np.flatnonzero(np.diff(item, prepend=-1))
    sizes = np.diff(starts, append=len(item))
    known = np.full(len(starts), NO_GOLD) if gold is None else gold[item[starts]]
    code = annotator * categories + answer
    base = int(code.max(initial=0)) + 1
    chosen: list[IntArray] = []
    times: list[IntArray] = []
    rows = np.full(int(item.max(initial=-1)) + 1, -1)
    n_rows = 0
    for size in distinct(sizes):
        group = np.flatnonzero(sizes == size)
        cells = code[starts[group][:, None] + np.arange(size)]
        key, most = known[group] - NO_GOLD, categories
        for column in cells.T:
            if (most + 1) * base > _LARGEST_KEY:
                # Numbered anew, so that the key stays small; the order is kept.
                key = np.unique(key, return_inverse=True)[1].ravel()
                most = len(key)
            key = key * base + column
            most = (most + 1) * base
        example, often, which = _distinct(key, most)
        chosen.append(group[example])
        times.append(often)
        rows[item[starts[group]]] = n_rows + which
        n_rows += len(often)
    return _of_examples(chosen, times, starts, sizes, known, annotator, answer, categories), rows


def _by_item(item: IntArray, annotator: IntArray, answer: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """The judgments by item, then by annotator, none of whom has two on an item."""
    width = int(annotator.max(initial=0)) + 1
    cells = (int(item.max(initial=0)) + 1) * width
    if cells > 4 * len(item) + 65536:
        order = np.lexsort((annotator, item))
        return item[order], annotator[order], answer[order]
    # Most cells of a table of items and annotators are full: it is read off faster than judgments are sorted.
    table = np.full(cells, -1, dtype=np.int64)
    table[item * width + annotator] = answer
    full = np.flatnonzero(table >= 0)
    return *np.divmod(full, width), table[full]


def _distinct(key: IntArray, most: int) -> tuple[IntArray, IntArray, IntArray]:
    """Where each key up to ``most`` stands first, by ascending key, how often it stands, and of each key
    which of them it is."""
    if most > 4 * len(key) + 65536:
        _, example, which, often = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
        return example, often, which.ravel()
    tally = np.bincount(key)
    first = np.empty(len(tally), dtype=np.int64)
    first[key[::-1]] = np.arange(len(key))[::-1]
    found = np.flatnonzero(tally)
    return first[found], tally[found], (np.cumsum(tally > 0) - 1)[key]


def _of_examples(
    chosen: list[IntArray],
    times: list[IntArray],
    starts: IntArray,
    sizes: IntArray,
    gold: IntArray,
    annotator: IntArray,
    answer: IntArray,
    categories: int,
) -> Ratings:
    """One item of each kind, with how many there are like it."""
    nothing = np.zeros(0, dtype=np.int64)
    which, items = np.concatenate([nothing, *chosen]), np.concatenate([nothing, *times])
    width = sizes[which]
    row = np.repeat(np.arange(len(which)), width)
    within = np.arange(len(row)) - np.repeat(np.cumsum(width) - width, width)
    entries = starts[which][row] + within
    return Ratings(items, gold[which], row, annotator[entries], answer[entries], categories)


def _pair_cells(ratings: Ratings) -> PairCells:
    sizes, q = ratings.sizes, ratings.categories
    offsets = np.cumsum(sizes) - sizes
    ones, others = [np.zeros(0, dtype=np.int32)], [np.zeros(0, dtype=np.int32)]
    for size in np.unique(sizes[sizes >= 2]):
        left, right = np.triu_indices(int(size), 1)
        begin = offsets[sizes == size][:, None]
        ones.append((begin + left).astype(np.int32).ravel())
        others.append((begin + right).astype(np.int32).ravel())
    one, other = np.concatenate(ones), np.concatenate(others)
    del ones, others
    width = int(ratings.annotator.max(initial=0)) + 1
    keys = (ratings.annotator[one] * width + ratings.annotator[other]) * q * q
    keys += ratings.answer[one] * q + ratings.answer[other]
    order = np.argsort(keys, kind="stable")
    keys, row = keys[order], ratings.row[one[order]].astype(np.int32)
    del one, other, order
    new = np.diff(keys, prepend=-1) > 0
    who, answers = np.divmod(keys[new], q * q)
    pairs, pair = np.unique(who, return_inverse=True)
    return PairCells(
        first=pairs // width,
        second=pairs % width,
        pair=pair.ravel(),
        a=answers // q,
        b=answers % q,
        row=row,
        cell=np.cumsum(new, dtype=np.int32) - 1,
        categories=q,
    )
