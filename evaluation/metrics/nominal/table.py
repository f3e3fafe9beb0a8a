"""The input of every nominal measure: how often each option of each item was chosen.

No measure here looks at who chose what beyond the item's count vector (one number per option) and its
gold option. Items with equal (counts, gold) are therefore one *pattern* with a multiplicity; a million
judgments of three options by three annotators each are at most thirty-odd patterns. Point values, bootstrap
and jackknife all work on patterns and are exact, not approximations.

Declined answers ("can't decide") are not an option: leave them out and count them elsewhere. Nothing is
imputed. Items that nobody judged enter no statistic.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

NO_GOLD = -1
_BITMAP_CELLS = 1 << 27
_LARGEST_KEY = 1 << 62


class Patterns(NamedTuple):
    """The distinct judged items, in lexicographic order of (counts, gold).

    ``counts`` (P, q): judgments per option.
    ``gold`` (P,): gold option or -1.
    ``items`` (P,): how many items show this pattern.

    Every row has at least one judgment and stands for at least one item.
    """

    counts: IntArray
    gold: IntArray
    items: IntArray

    @property
    def options(self) -> int:
        """q, the number of options offered (used or not)."""
        return int(self.counts.shape[1])

    @property
    def sizes(self) -> IntArray:
        """(P,) n_i: judgments on an item of this pattern."""
        return np.asarray(self.counts.sum(axis=1), dtype=np.int64)

    @property
    def balanced(self) -> bool:
        """Whether every judged item has the same number of judgments."""
        sizes = self.sizes
        return bool(sizes.size == 0 or (sizes == sizes[0]).all())

    @property
    def n_items(self) -> int:
        return int(self.items.sum())

    @property
    def n_judgments(self) -> int:
        return int(self.sizes @ self.items)

    @property
    def margins(self) -> IntArray:
        """(q,) judgments per option over all items."""
        return np.asarray(self.items @ self.counts, dtype=np.int64)

    def keep(self, which: BoolArray) -> "Patterns":
        """The patterns where ``which`` (P,) is true."""
        return Patterns(self.counts[which], self.gold[which], self.items[which])

    def histogram(self) -> dict[int, int]:
        """{n: number of items with n judgments}, ascending."""
        totals = np.bincount(self.sizes, weights=self.items).astype(np.int64)
        return {int(size): int(totals[size]) for size in np.flatnonzero(totals)}


class NominalTable(NamedTuple):
    """Checked judgments, their count matrix and its patterns; made by :func:`tabulate`.

    ``item``, ``annotator``, ``choice`` (M,): one entry per judgment.
    ``gold`` (N,): gold option or -1.
    ``counts`` (N, q): judgments per item and option.
    ``patterns``: the distinct judged items.
    """

    item: IntArray
    annotator: IntArray
    choice: IntArray
    gold: IntArray
    counts: IntArray
    patterns: Patterns

    @property
    def options(self) -> int:
        return self.patterns.options


def tabulate(
    item: ArrayLike,
    annotator: ArrayLike,
    choice: ArrayLike,
    gold: ArrayLike,
    options: int,
    *,
    answer: str = "choice",
) -> NominalTable:
    """Check judgments, parallel arrays of length M, and gold, an array of length N, and count them.

    ``item`` in 0..N-1, ``annotator`` >= 0, ``choice`` in 0..q-1 as the *canonical* index of the chosen
    option (not the position at which the annotator saw it); ``gold`` in -1..q-1, one entry per item, -1
    where there is none; ``options`` = q >= 2, the number offered at every item of the study. ``answer`` is
    what errors call a choice.
    Raises ValueError for arrays of unequal length, values that are not whole numbers or out of range, and
    two judgments of one annotator on one item (pass current judgments only).
    """
    options = _option_count(options)
    gold_of = whole_numbers("gold", gold, NO_GOLD, options - 1)
    n_items = len(gold_of)
    if n_items == 0 and np.size(item):
        raise ValueError("gold must have one entry per item (-1 where there is none), but is empty.")
    items = whole_numbers("item", item, 0, n_items - 1)
    annotators = whole_numbers("annotator", annotator, 0, None)
    choices = whole_numbers(answer, choice, 0, options - 1)
    if not len(items) == len(annotators) == len(choices):
        raise ValueError(
            f"item, annotator and {answer} must have one entry per judgment, "
            f"but have {len(items)}, {len(annotators)} and {len(choices)}."
        )
    refuse_repeats(items, annotators, n_items)
    counts = np.bincount(items * options + choices, minlength=n_items * options)
    counts = counts.reshape(n_items, options).astype(np.int64, copy=False)
    return NominalTable(items, annotators, choices, gold_of, counts, patterns_in(counts, gold_of))


def patterns_from_counts(
    counts: ArrayLike, gold: ArrayLike | None = None, items: ArrayLike | None = None
) -> Patterns:
    """Patterns from a published table or a GROUP BY: ``counts`` (R, q), ``gold`` (R,), ``items`` (R,).

    ``items`` says how many items each row stands for (default one). Rows may repeat; rows without
    judgments are left out. Raises ValueError for negative counts and for shapes that do not fit.
    """
    array = np.asarray(counts)
    if array.ndim != 2:
        raise ValueError(f"counts must be a table of rows x options, but has {array.ndim} dimension(s).")
    n_rows, options = len(array), _option_count(array.shape[1])
    matrix = whole_numbers("counts", array.ravel(), 0, None).reshape(n_rows, options)
    gold_of = np.full(n_rows, NO_GOLD) if gold is None else whole_numbers("gold", gold, NO_GOLD, options - 1)
    weight = np.ones(n_rows, dtype=np.int64) if items is None else whole_numbers("items", items, 0, None)
    if not len(gold_of) == len(weight) == n_rows:
        raise ValueError(
            "gold and items must have one entry per row of counts, "
            f"but have {len(gold_of)} and {len(weight)} for {n_rows} rows."
        )
    kept = (weight > 0) & (matrix.sum(axis=1) > 0)
    rows = np.column_stack([matrix, gold_of])[kept]
    order = np.lexsort(rows.T[::-1])  # in lexicographic order, as patterns_in gives them
    rows, often = rows[order], weight[kept][order]
    new = np.ones(len(rows), dtype=np.bool_)
    new[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    distinct, totals = rows[new], np.bincount(np.cumsum(new) - 1, weights=often).astype(np.int64)
    return Patterns(distinct[:, :options], distinct[:, options], totals)


def patterns_of(table: NominalTable | Patterns) -> Patterns:
    """The patterns of a table, or the patterns themselves."""
    return table.patterns if isinstance(table, NominalTable) else table


def gold_histogram(patterns: Patterns) -> Mapping[int, int]:
    """{n: items with n judgments} among items that have gold: what a random row for accuracy needs."""
    kept = patterns.gold >= 0
    return patterns.keep(kept).histogram()


def _option_count(options: int) -> int:
    if options != int(options) or options < 2:
        raise ValueError(f"options must be a whole number of at least 2, but is {options}.")
    return int(options)


def whole_numbers(name: str, values: ArrayLike, low: int | None, high: int | None) -> IntArray:
    """``values`` as a flat array; ValueError naming the first entry that is no whole number in low..high.

    Nothing bounds it above without ``high``, and nothing at all without ``low``.
    """
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{name} must be a flat array, but has {array.ndim} dimension(s).")
    if array.size == 0:
        return np.zeros(0, dtype=np.int64)
    if array.dtype.kind == "f":
        odd = np.flatnonzero(~np.isfinite(array) | (array != np.floor(array)))
        if odd.size:
            raise ValueError(f"{name} must hold whole numbers, but entry {odd[0]} is {array[odd[0]]}.")
    elif array.dtype.kind not in "iu":
        raise ValueError(f"{name} must hold whole numbers, but holds {array.dtype}.")
    if low is not None and (array.min() < low or (high is not None and array.max() > high)):
        outside = array < low if high is None else (array < low) | (array > high)
        first = int(np.flatnonzero(outside)[0])
        allowed = f"at least {low}" if high is None else f"between {low} and {high}"
        raise ValueError(f"{name} must be {allowed}, but entry {first} is {array[first]}.")
    return array.astype(np.int64, copy=False)


def distinct(indices: IntArray) -> list[int]:
    """The different small indices among these, ascending."""
    found: list[int] = np.flatnonzero(np.bincount(indices)).tolist()
    return found


def refuse_repeats(item: IntArray, annotator: IntArray, n_items: int) -> None:
    """ValueError naming an annotator who has two judgments on one item."""
    if item.size == 0:
        return
    n_annotators = int(annotator.max()) + 1
    if n_annotators > _LARGEST_KEY // n_items:
        raise ValueError(f"annotator must be a small index, but goes up to {n_annotators - 1}.")
    key = item * n_annotators + annotator
    cells = n_items * n_annotators
    if cells <= min(_BITMAP_CELLS, 64 * item.size + 65536):
        seen = np.zeros(cells, dtype=np.bool_)
        seen[key] = True
        if np.count_nonzero(seen) == item.size:
            return
    key.sort()
    repeated = key[:-1][key[1:] == key[:-1]]
    if repeated.size:
        where, who = divmod(int(repeated[0]), n_annotators)
        raise ValueError(f"annotator {who} has more than one judgment on item {where}; pass the current one.")


def rows_in(patterns: Patterns, counts: IntArray, gold: IntArray) -> IntArray:
    """(N,) the row of ``patterns`` that each item of counts (N, q) and gold (N,) belongs to, -1 without."""
    base = int(max(counts.max(initial=0), patterns.counts.max(initial=0))) + 1
    if base**patterns.options * (patterns.options + 1) >= _LARGEST_KEY:
        known_rows = np.column_stack([patterns.counts, patterns.gold]).tolist()
        places = {tuple(row): at for at, row in enumerate(known_rows)}
        each = np.column_stack([counts, gold]).tolist()
        return np.array([places.get(tuple(row), -1) for row in each], dtype=np.int64)
    known, keys = _keys(patterns.counts, patterns.gold, base), _keys(counts, gold, base)
    found = np.searchsorted(known, keys)
    return np.where(np.append(known, -1)[found] == keys, found, -1)


def _keys(counts: IntArray, gold: IntArray, base: int) -> IntArray:
    """(N,) one number for each row of counts below ``base`` and gold, in lexicographic order."""
    key = np.zeros(len(counts), dtype=np.int64)
    for column in range(counts.shape[1]):
        key *= base
        key += counts[:, column]
    key *= counts.shape[1] + 1
    key += gold - NO_GOLD
    return key


def patterns_in(counts: IntArray, gold: IntArray) -> Patterns:
    """The patterns of a table's counts (N, q) and gold (N,), whose values are known to be right."""
    options = counts.shape[1]
    base = int(counts.max(initial=0)) + 1
    space = base**options * (options + 1)
    if space >= _LARGEST_KEY:
        return patterns_from_counts(counts, gold)
    key = _keys(counts, gold, base)
    if space <= 4 * len(counts) + 65536:
        tally = np.bincount(key, minlength=1)
        distinct = np.flatnonzero(tally)
        items = tally[distinct]
    else:
        distinct, items = np.unique(key, return_counts=True)
    rest, gold_code = np.divmod(distinct, options + 1)
    decoded = np.empty((len(distinct), options), dtype=np.int64)
    for column in reversed(range(options)):
        rest, decoded[:, column] = np.divmod(rest, base)
    judged = decoded.sum(axis=1) > 0
    return Patterns(decoded, gold_code + NO_GOLD, items.astype(np.int64)).keep(judged)
