"""The report on grades: every measure with its interval and its chance, and the tables beside them."""

from typing import Any, NamedTuple

import numpy as np

from evaluation.metrics.common.annotator_pairs import PairTable, pair_table
from evaluation.metrics.common.intervals import LEVEL, RESAMPLES, Estimate, estimate, resample
from evaluation.metrics.common.measure import Measure, MeasureOf
from evaluation.metrics.common.pairwise_kappa import PairMeasure, pair_estimates
from evaluation.metrics.common.ratings import Ratings
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
from evaluation.metrics.ordinal.table import GradeTable, coincidences, gold_confusion
from evaluation.metrics.ordinal.weighted_kappa import (
    LINEAR_KAPPA,
    POOLED_LINEAR_KAPPA,
    POOLED_QUADRATIC_KAPPA,
    QUADRATIC_KAPPA,
)

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
_REPORT_ORDER: tuple[MeasureOf[Any], ...] = (
    *GOLD_GRADE_MEASURES,
    *CORRECTED,
    *PAIR_MEASURES,
    COHEN,
    *GRADE_AGREEMENT,
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
    table: GradeTable, seed: int, resamples: int = RESAMPLES, level: float = LEVEL
) -> GradeReport:
    """Compute everything; the same table and arguments give the same report."""
    ratings = table.ratings()
    return GradeReport(
        grade_lines(table, seed, resamples, level, ratings=ratings),
        annotator_grades(table, seed, resamples, level),
        pair_table(ratings, QUADRATIC_KAPPA, seed, resamples, level),
        gold_confusion(table.patterns),
        coincidences(table.patterns),
    )


def grade_lines(
    table: GradeTable,
    seed: int,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    *,
    ratings: Ratings | None = None,
) -> tuple[GradeLine, ...]:
    """Every measure of grades in report order, with intervals on the same resamples.

    ``ratings``: of the same table, where they are there already.
    """
    patterns, ratings = table.patterns, ratings or table.ratings()
    plain = (*GOLD_GRADE_MEASURES, *CORRECTED, *GRADE_AGREEMENT)
    draws = resample(patterns, [one.statistic for one in plain], seed, resamples)
    found: dict[str, Estimate] = {
        one.slug: estimate(one, patterns, drawn, seed, level) for one, drawn in zip(plain, draws, strict=True)
    }
    pairs = (*PAIR_MEASURES, COHEN)
    kappas = pair_estimates(ratings, pairs, seed, resamples, level)
    found |= {one.slug: each for one, each in zip(pairs, kappas, strict=True)}
    chance = guessing(patterns)
    return tuple(
        GradeLine(one, found[one.slug], chance.get(one.slug, _by_definition(one)), one.slug in chance)
        for one in _REPORT_ORDER
    )


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
