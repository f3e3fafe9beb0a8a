"""The input of every span measure: who marked which tokens of which passage.

Spans are half-open, [start, end), and count tokens of one stored tokenisation, so that a common substring of
two contiguous spans is their intersection and nothing is matched by its letters ("et" is not "et" elsewhere).
A declined answer is not a span of length zero: it enters no span measure and is counted, and whether to mark
anything at all has its own nominal agreement (``presence``).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evaluation.metrics.nominal.table import BoolArray, FloatArray, IntArray, refuse_repeats, whole_numbers

NO_ANCHOR = -1


class SpanTable(NamedTuple):
    """Checked spans; made by :func:`tabulate_spans`.

    ``item``, ``annotator``, ``start``, ``end`` (M,): the spans, by item and annotator; ``declined_item``,
    ``declined_annotator`` (D,): the answers without a span; ``anchor_start``, ``anchor_end`` (N,): the
    anchor's tokens, -1 where the item has none; ``length`` (N,): tokens of the passage.
    """

    item: IntArray
    annotator: IntArray
    start: IntArray
    end: IntArray
    declined_item: IntArray
    declined_annotator: IntArray
    anchor_start: IntArray
    anchor_end: IntArray
    length: IntArray

    @property
    def n_items(self) -> int:
        return len(self.length)

    @property
    def n_spans(self) -> int:
        return len(self.item)

    @property
    def n_declined(self) -> int:
        return len(self.declined_item)

    @property
    def sizes(self) -> IntArray:
        """(N,) spans on each item."""
        return np.bincount(self.item, minlength=self.n_items).astype(np.int64, copy=False)

    @property
    def declined(self) -> IntArray:
        """(N,) declined answers on each item."""
        return np.bincount(self.declined_item, minlength=self.n_items).astype(np.int64, copy=False)

    @property
    def anchored(self) -> BoolArray:
        """(N,) items that have an anchor."""
        return np.asarray(self.anchor_start != NO_ANCHOR)

    @property
    def n_alone(self) -> int:
        """Items dropped because they have a single span: nothing to agree with."""
        return int((self.sizes == 1).sum())

    def only(self, items: BoolArray) -> SpanTable:
        """The answers on the items where ``items`` (N,) is true; items keep their numbers."""
        kept, declined = items[self.item], items[self.declined_item]
        return self._replace(
            item=self.item[kept],
            annotator=self.annotator[kept],
            start=self.start[kept],
            end=self.end[kept],
            declined_item=self.declined_item[declined],
            declined_annotator=self.declined_annotator[declined],
        )


class Pairs(NamedTuple):
    """All pairs of spans on one item, (R,) each.

    ``item``: its index.
    ``first``, ``second``: the spans as rows of the table, the lower annotator first.
    ``shared``: A, tokens in both.
    ``union``: U, tokens in either.
    """

    item: IntArray
    first: IntArray
    second: IntArray
    shared: IntArray
    union: IntArray

    @property
    def overlap(self) -> FloatArray:
        """(R,) O = A / U."""
        return self.shared / self.union

    @property
    def identical(self) -> BoolArray:
        """(R,) both spans the same."""
        return np.asarray(self.shared == self.union)


def tabulate_spans(
    item: ArrayLike,
    annotator: ArrayLike,
    start: ArrayLike,
    end: ArrayLike,
    anchor_start: ArrayLike,
    anchor_end: ArrayLike,
    length: ArrayLike,
    declined: ArrayLike | None = None,
) -> SpanTable:
    """Answers as parallel arrays of length M, items as arrays of length N → table.

    ``item`` in 0..N-1, ``annotator`` >= 0, ``start`` and ``end``: half-open token span; ``anchor_start`` and
    ``anchor_end``: half-open, both -1 for an item without anchor; ``length`` >= 1: tokens of the passage;
    ``declined``: True where the answer is "no allusion" or "cannot set the borders" (its span is not read).
    Raises ValueError, naming the first such entry, for arrays of unequal length, values that are not whole
    numbers, a span that is empty, reversed, beyond its passage or without its anchor, an anchor outside its
    passage, and two answers of one annotator on one item (pass current answers only).
    """
    lengths = whole_numbers("length", length, 1, None)
    anchors = _anchors(anchor_start, anchor_end, lengths)
    if not len(lengths) and np.size(item):
        raise ValueError("length must have one entry per item, but is empty.")
    items = whole_numbers("item", item, 0, len(lengths) - 1)
    annotators = whole_numbers("annotator", annotator, 0, None)
    starts, ends = whole_numbers("start", start, None, None), whole_numbers("end", end, None, None)
    left = np.zeros(len(items), dtype=np.bool_) if declined is None else np.asarray(declined, dtype=np.bool_)
    if not len(items) == len(annotators) == len(starts) == len(ends) == left.size:
        raise ValueError(
            "item, annotator, start, end and declined must have one entry per answer, but have "
            f"{len(items)}, {len(annotators)}, {len(starts)}, {len(ends)} and {left.size}."
        )
    refuse_repeats(items, annotators, len(lengths))
    _refuse_spans(items, annotators, starts, ends, left, anchors, lengths)
    order = _order(items, annotators)
    if left.any():
        away, order = order[left[order]], order[~left[order]]
    else:
        away = order[:0]
    return SpanTable(
        items[order],
        annotators[order],
        starts[order],
        ends[order],
        items[away],
        annotators[away],
        *anchors,
        lengths,
    )


def pairs_of(table: SpanTable) -> Pairs:
    """All C(k_i, 2) pairs within items; items with one span give none."""
    sizes = table.sizes
    before = np.cumsum(sizes) - sizes
    firsts, seconds = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for size in np.unique(sizes[sizes >= 2]).tolist():
        first, second = np.triu_indices(size, 1)
        rows = before[sizes == size][:, None]
        firsts.append((rows + first).ravel())
        seconds.append((rows + second).ravel())
    one, other = np.concatenate(firsts), np.concatenate(seconds)
    start, end = table.start, table.end
    shared = np.minimum(end[one], end[other]) - np.maximum(start[one], start[other])
    np.maximum(shared, 0, out=shared)
    extent = end - start
    return Pairs(table.item[one], one, other, shared, extent[one] + extent[other] - shared)


def _order(items: IntArray, annotators: IntArray) -> IntArray:
    """By item and annotator, so that no number depends on the order in which answers came."""
    key = items * (int(annotators.max(initial=0)) + 1) + annotators
    if (key[1:] > key[:-1]).all():
        return np.arange(len(key))
    return np.argsort(key)


def _anchors(start: ArrayLike, end: ArrayLike, lengths: IntArray) -> tuple[IntArray, IntArray]:
    starts = whole_numbers("anchor_start", start, NO_ANCHOR, None)
    ends = whole_numbers("anchor_end", end, NO_ANCHOR, None)
    if not len(starts) == len(ends) == len(lengths):
        raise ValueError(
            "anchor_start, anchor_end and length must have one entry per item, "
            f"but have {len(starts)}, {len(ends)} and {len(lengths)}."
        )
    none = (starts == NO_ANCHOR) & (ends == NO_ANCHOR)
    bad = np.flatnonzero(~none & ((starts < 0) | (ends <= starts) | (ends > lengths)))
    if bad.size:
        at = int(bad[0])
        raise ValueError(
            f"The anchor of item {at}, [{starts[at]}, {ends[at]}), must be a span of the passage's "
            f"{lengths[at]} tokens, or -1 and -1 where there is none."
        )
    return starts, ends


def _refuse_spans(
    items: IntArray,
    annotators: IntArray,
    starts: IntArray,
    ends: IntArray,
    declined: BoolArray,
    anchors: tuple[IntArray, IntArray],
    lengths: IntArray,
) -> None:
    first, last, length = anchors[0][items], anchors[1][items], lengths[items]
    anchored = first != NO_ANCHOR
    refusals = (
        (ends <= starts, "must end after it starts (a declined answer is not an empty span)"),
        ((starts < 0) | (ends > length), "must lie in a passage of {length} tokens"),
        (anchored & ((starts > first) | (ends < last)), "must contain the anchor, [{first}, {last})"),
    )
    for wrong, rule in refusals:
        bad = np.flatnonzero(wrong & ~declined)
        if bad.size:
            at = int(bad[0])
            span = f"The span [{starts[at]}, {ends[at]}) of annotator {annotators[at]} on item {items[at]}"
            raise ValueError(f"{span} {rule.format(length=length[at], first=first[at], last=last[at])}.")
