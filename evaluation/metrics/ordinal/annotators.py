"""Each annotator's grades against gold.

The numbers are the measures of ``ordinal/gold.py`` on this annotator's judgments alone, one per item.
Differences have the same intervals as there. Shares have Wilson's, as accuracy of choices has: with one
judgment an item they are plain proportions, and a number has the same interval wherever a page prints it.
"""

from typing import NamedTuple

import numpy as np

from evaluation.metrics.common.intervals import LEVEL, RESAMPLES, Estimate, estimate, resample, wilson
from evaluation.metrics.nominal.table import IntArray, Patterns, distinct
from evaluation.metrics.ordinal.gold import (
    ABSOLUTE_DIFFERENCE,
    DIFFERENCE,
    EXACT_WITH_GOLD,
    WITHIN_ONE_OF_GOLD,
)
from evaluation.metrics.ordinal.table import GradeTable

_MEASURES = (EXACT_WITH_GOLD, WITHIN_ONE_OF_GOLD, DIFFERENCE, ABSOLUTE_DIFFERENCE)
_SHARES = (EXACT_WITH_GOLD.slug, WITHIN_ONE_OF_GOLD.slug)


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
    gold = table.gold[table.item]
    judged = np.bincount(table.annotator)
    widest = table.grades - 1
    width = 2 * widest + 1
    cells = table.annotator * width + (table.grade - gold + widest)
    by_difference = np.bincount(cells[gold >= 0], minlength=len(judged) * width).reshape(-1, width)
    return tuple(
        AnnotatorGrades(
            who,
            int(judged[who]),
            int(by_difference[who].sum()),
            *_against_gold(by_difference[who], seed, resamples, level),
        )
        for who in distinct(table.annotator)
    )


def _against_gold(counts: IntArray, seed: int, resamples: int, level: float) -> list[Estimate]:
    """The measures of one annotator from ``counts`` (2q - 1,), items by grade minus gold.

    They ask for nothing but that difference, so one pair of grades stands for all that have it.
    """
    found = np.flatnonzero(counts)
    widest = len(counts) // 2
    gold = np.maximum(widest - found, 0)
    grade = gold + found - widest
    patterns = Patterns(np.eye(widest + 1, dtype=np.int64)[grade], gold, counts[found])
    draws = resample(patterns, [one.statistic for one in _MEASURES], seed, resamples)
    return [
        _share(estimate(one, patterns, drawn, seed, level))
        for one, drawn in zip(_MEASURES, draws, strict=True)
    ]


def _share(found: Estimate) -> Estimate:
    """A share with Wilson's interval; a difference as it is."""
    if found.slug not in _SHARES or found.value is None:
        return found
    low, high = wilson(found.value * found.n_items, found.n_items, found.level)
    return found._replace(low=low, high=high, method="Wilson score", resamples=0, reason="", bootstrap=None)
