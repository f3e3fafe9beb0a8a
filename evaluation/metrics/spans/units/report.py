"""The report on answers of several spans: α for unitising, overlap, agreement on tokens, and counts."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from evaluation.metrics.common.intervals import LEVEL, RESAMPLES, Estimate
from evaluation.metrics.common.measure import MeasureOf
from evaluation.metrics.nominal.table import distinct
from evaluation.metrics.spans.annotators import LeftOut
from evaluation.metrics.spans.gold import IDENTICAL_TO_GOLD, OVERLAP_WITH_GOLD, GoldSums, gold_sums_of
from evaluation.metrics.spans.intervals import estimates
from evaluation.metrics.spans.item_sums import SpanMeasure
from evaluation.metrics.spans.overlap import (
    IDENTICAL_PAIRS,
    OBSERVED_OVERLAP,
    OverlapDistribution,
    overlap_distribution,
)
from evaluation.metrics.spans.presence import Presence, presence
from evaluation.metrics.spans.report import SpanCounts, span_counts
from evaluation.metrics.spans.table import Pairs
from evaluation.metrics.spans.token_alpha import TOKEN_ALPHA
from evaluation.metrics.spans.units.alpha import UNITISING_ALPHA
from evaluation.metrics.spans.units.table import UnitTable, shared_tokens, unit_pairs, unit_sums

# The measures of single spans, said of sets of tokens.
OVERLAP_OF_ANSWERS = replace(
    OBSERVED_OVERLAP,
    definition="Mean overlap of two answers on one item: tokens in both over tokens in either.",
    chance="Not corrected for chance.",
)
IDENTICAL_ANSWERS = replace(
    IDENTICAL_PAIRS, definition="Share of pairs of answers on one item that mark the same tokens."
)
UNIT_MEASURES: tuple[SpanMeasure, ...] = (
    UNITISING_ALPHA,
    OVERLAP_OF_ANSWERS,
    IDENTICAL_ANSWERS,
    TOKEN_ALPHA,
)
GOLD_UNIT_MEASURES: tuple[MeasureOf[GoldSums], ...] = (
    replace(
        IDENTICAL_TO_GOLD,
        definition="Share of answers that mark the very tokens of the gold answer; declined answers and "
        "items whose gold is no span do not enter.",
        formula="answers equal to gold / answers",
    ),
    replace(
        OVERLAP_WITH_GOLD,
        definition="Mean overlap of answers with the gold answer: tokens in both over tokens in either.",
        formula="mean A / U with the gold answer",
        chance="None: not corrected for chance.",
    ),
)


class AnnotatorUnits(NamedTuple):
    """What one annotator marked.

    ``annotator``: the index.
    ``n_answers``, ``n_declined``: answers with spans and without.
    ``n_spans``: spans in these answers.
    ``mean_spans``: spans an answer, None without answers.
    ``median_tokens``: tokens an answer, None without answers.
    ``n_pairs``: pairs with another annotator's answer on the same item.
    ``overlap``: mean O over these pairs, None without pairs.
    ``identical``: the share of them with O = 1, None without pairs.
    """

    annotator: int
    n_answers: int
    n_declined: int
    n_spans: int
    mean_spans: float | None
    median_tokens: float | None
    n_pairs: int
    overlap: float | None
    identical: float | None


class UnitReport(NamedTuple):
    """All numbers of answers of several spans.

    ``lines``: every measure in report order with its value and interval.
    ``counts``: what entered them, in answers.
    ``n_units``: spans in all answers.
    ``units_per_answer``: {spans: answers}.
    ``presence``: spans or none.
    ``overlap``: its distribution over pairs.
    ``annotators``: what each marked, by ascending index.
    """

    lines: tuple[tuple[SpanMeasure, Estimate], ...]
    counts: SpanCounts
    n_units: int
    units_per_answer: dict[int, int]
    presence: Presence
    overlap: OverlapDistribution
    annotators: tuple[AnnotatorUnits, ...]


def unit_report(table: UnitTable, seed: int, resamples: int = RESAMPLES, level: float = LEVEL) -> UnitReport:
    """All numbers; the same table and arguments give the same report."""
    pairs = unit_pairs(table)
    found = estimates(unit_sums(table, pairs=pairs), UNIT_MEASURES, seed, resamples, level)
    sizes, often = np.unique(table.n_units, return_counts=True)
    return UnitReport(
        tuple(zip(UNIT_MEASURES, found, strict=True)),
        span_counts(table.hulls, pairs),
        len(table.start),
        dict(zip(sizes.tolist(), often.tolist(), strict=True)),
        presence(table.hulls, seed, resamples, level),
        overlap_distribution(pairs),
        annotator_units(table, pairs),
    )


def annotator_units(table: UnitTable, pairs: Pairs) -> tuple[AnnotatorUnits, ...]:
    """One entry per annotator with an answer, by ascending index."""
    hulls, extent, n_units = table.hulls, table.units.extent, table.n_units
    declined = np.bincount(hulls.declined_annotator)
    found = []
    for who in distinct(np.concatenate([hulls.annotator, hulls.declined_annotator])):
        own = hulls.annotator == who
        shared = own[pairs.first] | own[pairs.second]
        n, n_pairs = int(own.sum()), int(shared.sum())
        found.append(
            AnnotatorUnits(
                who,
                n,
                int(declined[who]) if who < len(declined) else 0,
                int(n_units[own].sum()),
                float(n_units[own].mean()) if n else None,
                float(np.median(extent[own])) if n else None,
                n_pairs,
                float(pairs.overlap[shared].mean()) if n_pairs else None,
                float(pairs.identical[shared].mean()) if n_pairs else None,
            )
        )
    return tuple(found)


def units_without_each(table: UnitTable, measure: SpanMeasure) -> tuple[LeftOut, ...]:
    """The measure without each annotator in turn, by ascending index."""
    each = distinct(table.hulls.annotator)
    return tuple(LeftOut(who, measure.value(unit_sums(table.without(who)))) for who in each)


def gold_unit_sums(table: UnitTable, gold: UnitTable) -> GoldSums:
    """Answers against gold answers. ``gold``: of the same items, by one annotator, at most one on each."""
    at = np.full(table.hulls.n_items, -1)
    at[gold.hulls.item] = np.arange(gold.hulls.n_spans)
    which = np.flatnonzero(at[table.hulls.item] >= 0)
    both = _joined(table, gold)
    answers, golds = which, table.hulls.n_spans + at[table.hulls.item[which]]
    extent = both.units.extent
    shared = shared_tokens(both, answers, golds)
    overlap = shared / (extent[answers] + extent[golds] - shared)
    return gold_sums_of(table.hulls.item[which], overlap, table.hulls.n_items)


def _joined(table: UnitTable, gold: UnitTable) -> UnitTable:
    """The answers of both, gold behind the others; only its spans are to be read."""
    hulls = table.hulls._replace(item=np.concatenate([table.hulls.item, gold.hulls.item]))
    return UnitTable(
        hulls,
        np.concatenate([table.first, gold.first[1:] + table.first[-1]]),
        np.concatenate([table.start, gold.start]),
        np.concatenate([table.end, gold.end]),
    )
