"""The report on grades: every measure with its interval and its chance, and the tables beside them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from evaluation.metrics.common.annotator_pairs import PairTable, pair_table
from evaluation.metrics.common.clusters import Clusters, clusters_of, over_clusters
from evaluation.metrics.common.intervals import LEVEL, RESAMPLES, Estimate, estimate, resample
from evaluation.metrics.common.measure import Measure, MeasureOf
from evaluation.metrics.common.pairs_over_clusters import pair_estimates_over_clusters
from evaluation.metrics.common.pairwise_kappa import (
    PairMeasure,
    pair_estimates,
)
from evaluation.metrics.common.ratings import Ratings, ratings_and_rows
from evaluation.metrics.nominal.cohen import COHEN
from evaluation.metrics.nominal.table import FloatArray, IntArray, Patterns
from evaluation.metrics.ordinal.agreement import EXACT_AGREEMENT, WITHIN_ONE_AGREEMENT
from evaluation.metrics.ordinal.alpha import INTERVAL_ALPHA, ORDINAL_ALPHA
from evaluation.metrics.ordinal.annotators import AnnotatorGrades, annotator_grades
from evaluation.metrics.ordinal.gold import (
    ABSOLUTE_DIFFERENCE,
    DIFFERENCE,
    EXACT_WITH_GOLD,
    WITHIN_ONE_OF_GOLD,
)
from evaluation.metrics.ordinal.gwet import ORDINAL_AC2
from evaluation.metrics.ordinal.overlap import overlap_at
from evaluation.metrics.ordinal.table import GradeTable, coincidences, gold_confusion
from evaluation.metrics.ordinal.weighted_kappa import (
    LINEAR_KAPPA,
    POOLED_LINEAR_KAPPA,
    POOLED_QUADRATIC_KAPPA,
    QUADRATIC_KAPPA,
)
from evaluation.metrics.ranking.graded import default_level

GOLD_GRADE_MEASURES: tuple[Measure, ...] = (
    ABSOLUTE_DIFFERENCE,
    DIFFERENCE,
    EXACT_WITH_GOLD,
    WITHIN_ONE_OF_GOLD,
)
ALPHAS: tuple[Measure, ...] = (ORDINAL_ALPHA, INTERVAL_ALPHA)
CORRECTED: tuple[Measure, ...] = (*ALPHAS, ORDINAL_AC2)
PAIR_MEASURES: tuple[PairMeasure, ...] = (
    QUADRATIC_KAPPA,
    LINEAR_KAPPA,
    POOLED_QUADRATIC_KAPPA,
    POOLED_LINEAR_KAPPA,
)
GRADE_AGREEMENT: tuple[Measure, ...] = (EXACT_AGREEMENT, WITHIN_ONE_AGREEMENT)

ORDINAL_MEASURES: tuple[MeasureOf[Any], ...] = (
    *GOLD_GRADE_MEASURES,
    *CORRECTED,
    *PAIR_MEASURES,
    *GRADE_AGREEMENT,
)
_FIRST: tuple[MeasureOf[Any], ...] = (
    *GOLD_GRADE_MEASURES,
    *CORRECTED,
    *PAIR_MEASURES,
    COHEN,
)


class GradeLine(NamedTuple):
    """One line of the report.

    ``measure``: what is measured.
    ``estimate``: its value and interval.
    ``chance``: what guessing gives; 0 for coefficients, None without gold to guess.
    ``exact``: whether ``chance`` was computed from these items, not 0 by definition.
    """

    measure: MeasureOf[Any]
    estimate: Estimate
    chance: float | None
    exact: bool


class GradeReport(NamedTuple):
    """All numbers of grades.

    ``lines``: every measure in report order; unweighted Cohen κ follows the weighted ones.
    ``annotators``: each annotator against gold.
    ``pairs``: each two annotators, by quadratic weighted κ.
    ``gold_confusion`` (q, q): judgments by gold grade (rows) and given grade (columns).
    ``coincidences`` (q, q): grades of two annotators on one item.
    """

    lines: tuple[GradeLine, ...]
    annotators: tuple[AnnotatorGrades, ...]
    pairs: PairTable
    gold_confusion: IntArray
    coincidences: FloatArray


def grade_report(
    table: GradeTable,
    seed: int,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    *,
    topics: IntArray | None = None,
) -> GradeReport:
    """Compute everything; the same table and arguments give the same report.

    ``topics`` (N,): the number of each item's topic, 0 or more. Intervals of measures and of pairs are then
    over topics. Each annotator's own numbers against gold stay over items.
    """
    ratings, by_topic = _ratings(table, topics)
    return GradeReport(
        grade_lines(table, seed, resamples, level, topics=topics),
        annotator_grades(table, seed, resamples, level),
        pair_table(ratings, QUADRATIC_KAPPA, seed, resamples, level, clusters=by_topic),
        gold_confusion(table.patterns),
        coincidences(table.patterns),
    )


def grade_lines(
    table: GradeTable,
    seed: int,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    *,
    topics: IntArray | None = None,
) -> tuple[GradeLine, ...]:
    """Every measure of grades in report order, with intervals on the same resamples; ``topics`` as above.

    Items that have topics are documents, and some are relevant: the overlap of these stands before the plain
    agreement.
    """
    plain = (*GOLD_GRADE_MEASURES, *CORRECTED, *GRADE_AGREEMENT)
    estimates = grade_estimates(table, plain, seed, resamples, level, topics=topics)
    found = {one.slug: each for one, each in zip(plain, estimates, strict=True)}
    ratings, by_topic = _ratings(table, topics)
    relevant = () if topics is None else (overlap_at(default_level(table.grades - 1)),)
    pairs = (*PAIR_MEASURES, COHEN, *relevant)
    if by_topic is None:
        kappas = pair_estimates(ratings, pairs, seed, resamples, level)
    else:
        kappas = pair_estimates_over_clusters(ratings, by_topic, pairs, seed, resamples, level)
    found |= {one.slug: each for one, each in zip(pairs, kappas, strict=True)}
    chance = guessing(table.patterns)
    return tuple(
        GradeLine(one, found[one.slug], chance.get(one.slug, _by_definition(one)), one.slug in chance)
        for one in (*_FIRST, *relevant, *GRADE_AGREEMENT)
    )


def grade_estimates(
    table: GradeTable,
    measures: Sequence[Measure],
    seed: int,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    *,
    topics: IntArray | None = None,
) -> tuple[Estimate, ...]:
    """Measures that do not ask who answered, with their intervals, over topics where there are topics."""
    patterns = table.patterns
    if topics is not None:
        clusters = clusters_of(table.rows(), topics, len(patterns.items))
        return tuple(over_clusters(one, patterns, clusters, seed, resamples, level) for one in measures)
    draws = resample(patterns, [one.statistic for one in measures], seed, resamples)
    return tuple(
        estimate(one, patterns, drawn, seed, level) for one, drawn in zip(measures, draws, strict=True)
    )


def _ratings(table: GradeTable, topics: IntArray | None) -> tuple[Ratings, Clusters | None]:
    """Who gave which grade, and the topics by its rows."""
    if topics is None:
        return table.ratings(), None
    if len(topics) != len(table.gold):
        raise ValueError(
            f"There must be one topic an item, but there are {len(topics)} for {len(table.gold)} items."
        )
    ratings, rows = ratings_and_rows(table.item, table.annotator, table.grade, None, table.grades)
    return ratings, clusters_of(rows, topics[: len(rows)], len(ratings.items))


def _by_definition(one: MeasureOf[Any]) -> float | None:
    """0 for a coefficient, which is corrected for chance; None for what needs gold to guess."""
    return 0.0 if one.range[0] == -1 else None


def guessing(patterns: Patterns) -> dict[str, float]:
    """{slug: expected value} when every judgment is a uniform guess among the q grades.

    Against gold over the judgments on items with gold, exact; coefficients are not among them, they are 0.
    """
    q = patterns.options
    expected = {EXACT_AGREEMENT.slug: 1 / q, WITHIN_ONE_AGREEMENT.slug: (3 * q - 2) / q**2}
    known = patterns.keep(patterns.gold >= 0)
    if not known.n_judgments:
        return expected
    guessed = patterns_of_guesses(known)
    weights = (known.items * known.sizes)[None, :].astype(np.float64)
    for one in GOLD_GRADE_MEASURES:
        expected[one.slug] = float(one.statistic(guessed, weights)[0])
    return expected


def patterns_of_guesses(patterns: Patterns) -> Patterns:
    """The same items and gold, each grade given once: the mean over them is the expectation of a guess."""
    return patterns._replace(counts=np.ones_like(patterns.counts))
