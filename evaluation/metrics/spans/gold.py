"""Spans against a gold span: how often the very same, and how much of it on average.

    identical = spans that are the gold span / spans,  overlap = mean A / U with the gold span

over single spans on items whose gold answer is a span. Declined answers enter neither, as they enter no
measure of spans, and items whose gold says that there is nothing to mark are left out. Nobody knows how a
span is guessed, so there is no random row beside these: an anchor and a short gold span alone give much.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from evaluation.metrics.common.intervals import LEVEL, RESAMPLES, Estimate, estimate, resample
from evaluation.metrics.common.measure import MeasureOf, ratio, share
from evaluation.metrics.nominal.table import BoolArray, FloatArray, IntArray, whole_numbers
from evaluation.metrics.spans.table import SpanTable

NO_GOLD_SPAN = -1


@dataclass(frozen=True, eq=False)
class GoldSums:
    """The distinct items, (P,) each: ``sizes`` spans, ``same`` of them the gold span, ``overlap`` O with it
    summed; ``items``: how many items are like this. Ascending, so the order of answers decides nothing."""

    sizes: IntArray
    same: FloatArray
    overlap: FloatArray
    items: IntArray

    @property
    def n_items(self) -> int:
        return int(self.items.sum())

    def keep(self, which: BoolArray) -> GoldSums:
        """The rows where ``which`` (P,) is true."""
        return replace(
            self,
            sizes=self.sizes[which],
            same=self.same[which],
            overlap=self.overlap[which],
            items=self.items[which],
        )


def gold_sums(table: SpanTable, gold_start: ArrayLike, gold_end: ArrayLike) -> GoldSums:
    """``gold_start`` and ``gold_end`` (N,): half-open, both -1 where the item has no gold span.

    Raises ValueError for arrays that do not have one entry per item.
    """
    start, end = (
        whole_numbers("gold_start", gold_start, -1, None),
        whole_numbers("gold_end", gold_end, -1, None),
    )
    if not len(start) == len(end) == table.n_items:
        raise ValueError(
            f"gold_start and gold_end must have one entry per item ({table.n_items}), "
            f"but have {len(start)} and {len(end)}."
        )
    spans = table.only(start != NO_GOLD_SPAN)
    first, last = start[spans.item], end[spans.item]
    shared = np.maximum(0, np.minimum(spans.end, last) - np.maximum(spans.start, first))
    overlap = shared / (spans.end - spans.start + last - first - shared)
    return gold_sums_of(spans.item, overlap, table.n_items)


def gold_sums_of(item: IntArray, overlap: FloatArray, n_items: int) -> GoldSums:
    """``item``, ``overlap`` (M,): of each answer on an item with a gold span, its item and O with gold."""
    sums = [
        np.bincount(item, weights=values, minlength=n_items)
        for values in (np.ones(len(overlap)), (overlap == 1.0).astype(np.float64), overlap)
    ]
    marked = sums[0] > 0
    rows, items = np.unique(np.stack(sums, axis=1).astype(np.float64)[marked], axis=0, return_counts=True)
    return GoldSums(rows[:, 0].astype(np.int64), rows[:, 1], rows[:, 2], items.astype(np.int64))


def _identical(sums: GoldSums, weights: FloatArray) -> FloatArray:
    return ratio(weights @ sums.same, weights @ sums.sizes.astype(np.float64))


def _overlap(sums: GoldSums, weights: FloatArray) -> FloatArray:
    return ratio(weights @ sums.overlap, weights @ sums.sizes.astype(np.float64))


def _every(sums: GoldSums) -> BoolArray:
    return np.ones(len(sums.sizes), dtype=np.bool_)


def _undefined(sums: GoldSums) -> str | None:
    return None if sums.n_items else "No item with a span has a gold span."


_of_gold = partial(
    MeasureOf[GoldSums],
    range=(0.0, 1.0),
    enters=_every,
    undefined=_undefined,
    proportion=share,
    data="gold spans",
)

IDENTICAL_TO_GOLD = _of_gold(
    slug="identical_to_gold",
    label="identical to gold",
    definition="Share of single spans that begin and end where the gold span does; declined answers and "
    "items whose gold is no span do not enter.",
    formula="spans equal to gold / spans",
    source="own; the accuracy of spans taken strictly",
    statistic=_identical,
    chance="None: there is no rule by which a span is guessed, so no random row stands beside it.",
)

OVERLAP_WITH_GOLD = _of_gold(
    slug="overlap_with_gold",
    label="overlap with gold",
    definition="Mean overlap of single spans with the gold span: tokens in both over tokens in either.",
    formula="mean A / U with the gold span",
    source="Manjavacas et al. 2019, equations 1 and 2, with gold in the place of a second annotator",
    statistic=_overlap,
    chance="None: not corrected for chance; a span that shares the anchor with gold overlaps by that alone.",
)

GOLD_MEASURES: tuple[MeasureOf[GoldSums], ...] = (IDENTICAL_TO_GOLD, OVERLAP_WITH_GOLD)


def gold_estimates(
    sums: GoldSums, seed: int, resamples: int = RESAMPLES, level: float = LEVEL
) -> tuple[Estimate, ...]:
    """Both measures with intervals on the same resamples of the items; deterministic in the arguments."""
    draws = resample(sums, [one.statistic for one in GOLD_MEASURES], seed, resamples)
    return tuple(
        estimate(one, sums, drawn, seed, level) for one, drawn in zip(GOLD_MEASURES, draws, strict=True)
    )
