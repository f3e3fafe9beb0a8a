"""Each annotator's grades against gold.

The numbers are the measures of ``ordinal/gold.py`` on this annotator's judgments alone, one per item, with
the same intervals.
"""

from typing import NamedTuple

import numpy as np

from evaluation.metrics.common.intervals import LEVEL, RESAMPLES, Estimate, estimate, resample
from evaluation.metrics.nominal.table import IntArray, distinct, patterns_from_counts
from evaluation.metrics.ordinal.gold import (
    ABSOLUTE_DIFFERENCE,
    DIFFERENCE,
    EXACT_WITH_GOLD,
    WITHIN_ONE_OF_GOLD,
)
from evaluation.metrics.ordinal.table import GradeTable

_MEASURES = (EXACT_WITH_GOLD, WITHIN_ONE_OF_GOLD, DIFFERENCE, ABSOLUTE_DIFFERENCE)


class AnnotatorGrades(NamedTuple):
    """One annotator.

    ``annotator``: the index.
    ``n_judgments``: grades given.
    ``n_with_gold``: of them on items with gold.
    ``exact``, ``within_one``: share equal to gold, and at most one grade from it.
    ``difference``: mean of grade minus gold, in grades (bias).
    ``absolute_difference``: mean distance from gold, in grades.

    Without gold the four have no value, and their ``reason`` says so.
    """

    annotator: int
    n_judgments: int
    n_with_gold: int
    exact: Estimate
    within_one: Estimate
    difference: Estimate
    absolute_difference: Estimate


def annotator_grades(
    table: GradeTable, seed: int, resamples: int = RESAMPLES, level: float = LEVEL
) -> tuple[AnnotatorGrades, ...]:
    """Return one entry for each annotator with a judgment, by ascending index."""
    q = table.grades
    everyone = distinct(table.annotator)
    place = np.searchsorted(everyone, table.annotator)
    gold = table.gold[table.item]
    cells = (place * (q + 1) + gold + 1) * q + table.grade
    found = np.bincount(cells, minlength=len(everyone) * (q + 1) * q).reshape(len(everyone), q + 1, q)
    return tuple(_one(who, found[index], seed, resamples, level) for index, who in enumerate(everyone))


def _one(who: int, counts: IntArray, seed: int, resamples: int, level: float) -> AnnotatorGrades:
    """``counts`` (q + 1, q): judgments by gold grade (first row: without gold) and grade."""
    q = counts.shape[1]
    gold, grade = np.divmod(np.arange(counts.size), q)
    patterns = patterns_from_counts(np.eye(q, dtype=np.int64)[grade], gold - 1, counts.ravel())
    draws = resample(patterns, [one.statistic for one in _MEASURES], seed, resamples)
    four = [estimate(one, patterns, drawn, seed, level) for one, drawn in zip(_MEASURES, draws, strict=True)]
    return AnnotatorGrades(who, int(counts.sum()), int(counts[1:].sum()), *four)
