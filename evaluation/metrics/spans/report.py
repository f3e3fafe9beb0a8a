"""The report on spans: every measure with its interval, its test, and what stands behind it.

The paper's names come first; the values that are corrected for chance stand directly below them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evaluation.metrics.common.intervals import LEVEL, RESAMPLES, Estimate
from evaluation.metrics.spans.alpha import SPAN_ALPHA
from evaluation.metrics.spans.chance.permutation import DRAWS, OverlapTest, permutation_test, placement_test
from evaluation.metrics.spans.intervals import estimates
from evaluation.metrics.spans.item_sums import SpanMeasure, Weighting, item_sums
from evaluation.metrics.spans.offsets import BoundaryOffsets, boundary_offsets
from evaluation.metrics.spans.overlap import (
    IDENTICAL_PAIRS,
    LCS_OVERLAP_KAPPA,
    OBSERVED_OVERLAP,
    OverlapDistribution,
    overlap_distribution,
    paper_expected,
)
from evaluation.metrics.spans.placement import PLACEMENT_KAPPA
from evaluation.metrics.spans.presence import Presence, presence
from evaluation.metrics.spans.table import Pairs, SpanTable, pairs_of
from evaluation.metrics.spans.token_alpha import TOKEN_ALPHA

SPAN_MEASURES: tuple[SpanMeasure, ...] = (
    LCS_OVERLAP_KAPPA,
    OBSERVED_OVERLAP,
    IDENTICAL_PAIRS,
    SPAN_ALPHA,
    PLACEMENT_KAPPA,
    TOKEN_ALPHA,
)


class SpanLine(NamedTuple):
    """One line of the report.

    ``measure``: what is measured.
    ``estimate``: its value and interval.
    ``test``: of O_o under the chance that fits the measure, None where none does.
    """

    measure: SpanMeasure
    estimate: Estimate
    test: OverlapTest | None


class SpanCounts(NamedTuple):
    """What was counted.

    ``n_items``: items in all.
    ``n_compared``: items with two spans or more, of them ``n_anchored`` with an anchor.
    ``n_alone``, ``n_without``: items that are not compared: with one span, and with none.
    ``n_spans``, ``n_declined``: answers with a span and without.
    ``n_compared_spans``, ``n_pairs``: spans and pairs of spans on the compared items.
    ``spans_per_item``: {spans: items}.
    ``mean_length``: tokens of a compared passage, None without any.
    """

    n_items: int
    n_compared: int
    n_anchored: int
    n_alone: int
    n_without: int
    n_spans: int
    n_compared_spans: int
    n_pairs: int
    n_declined: int
    spans_per_item: dict[int, int]
    mean_length: float | None


class SpanReport(NamedTuple):
    """All numbers of spans.

    ``lines``: every measure in report order.
    ``counts``: what entered them.
    ``weighting``: how pairs and items were weighted.
    ``expected_overlap``: the paper's O_e, None without pairs.
    ``permuted``, ``placed``: O_o tested against spans permuted over items, and placed anew.
    ``presence``: spans or none.
    ``offsets``: boundaries of each two annotators.
    ``overlap``: its distribution over pairs.
    """

    lines: tuple[SpanLine, ...]
    counts: SpanCounts
    weighting: Weighting
    expected_overlap: float | None
    permuted: OverlapTest
    placed: OverlapTest
    presence: Presence
    offsets: tuple[BoundaryOffsets, ...]
    overlap: OverlapDistribution


def span_report(
    table: SpanTable,
    seed: int,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    *,
    weighting: Weighting = "pair",
    draws: int = DRAWS,
) -> SpanReport:
    """All numbers of spans; the same table and arguments give the same report.

    ``weighting`` decides what an item with more annotators counts for in O_o, O_e, identical pairs and
    ``placement_kappa``: every pair the same, as printed in the paper, or every item the same.
    """
    pairs = pairs_of(table)
    items = item_sums(table, weighting, pairs)
    permuted, placed = permutation_test(table, seed, draws), placement_test(table, seed, draws)
    found = estimates(items, SPAN_MEASURES, seed, resamples, level)
    lines = tuple(
        SpanLine(one, estimate, _test(one, permuted, placed))
        for one, estimate in zip(SPAN_MEASURES, found, strict=True)
    )
    whole = paper_expected(items.whole)[0] if items.n_items else np.nan
    return SpanReport(
        lines,
        span_counts(table, pairs),
        weighting,
        None if np.isnan(whole) else float(whole),
        permuted,
        placed,
        presence(table, seed, resamples, level),
        boundary_offsets(table, pairs),
        overlap_distribution(pairs),
    )


def span_counts(table: SpanTable, pairs: Pairs) -> SpanCounts:
    """The counts behind the numbers."""
    sizes = table.sizes
    compared = sizes >= 2
    histogram = np.bincount(sizes, minlength=1)
    return SpanCounts(
        n_items=table.n_items,
        n_compared=int(compared.sum()),
        n_anchored=int((compared & table.anchored).sum()),
        n_alone=table.n_alone,
        n_without=int((sizes == 0).sum()),
        n_spans=table.n_spans,
        n_compared_spans=int(sizes[compared].sum()),
        n_pairs=len(pairs.item),
        n_declined=table.n_declined,
        spans_per_item={int(size): int(histogram[size]) for size in np.flatnonzero(histogram)},
        mean_length=float(table.length[compared].mean()) if compared.any() else None,
    )


def _test(measure: SpanMeasure, permuted: OverlapTest, placed: OverlapTest) -> OverlapTest | None:
    """Anchored spans are permuted; only spans without an anchor can be placed anywhere."""
    if measure is SPAN_ALPHA:
        found = permuted
    elif measure is PLACEMENT_KAPPA:
        found = placed
    else:
        found = permuted if permuted.n_pairs else placed
    return found if found.p is not None else None
