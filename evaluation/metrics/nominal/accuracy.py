"""Accuracy of people against gold: individual, by majority, by plurality, and per annotator.

Thai et al. (2022), RELiC, section 4, print the majority of three (93.5 %). A model answers once, so the
number that is comparable with it is individual accuracy.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from evaluation.metrics.common.intervals import LEVEL, wilson
from evaluation.metrics.common.measure import Measure, mean_over, ratio, share
from evaluation.metrics.nominal.table import BoolArray, FloatArray, IntArray, NominalTable, Patterns, distinct


def has_gold(patterns: Patterns) -> BoolArray:
    """(P,) items whose gold option is known."""
    return np.asarray(patterns.gold >= 0)


def gold_votes(patterns: Patterns) -> IntArray:
    """(P,) judgments that chose the gold option; 0 where there is no gold."""
    rows = np.arange(len(patterns.gold))
    votes = patterns.counts[rows, np.maximum(patterns.gold, 0)]
    return np.asarray(np.where(has_gold(patterns), votes, 0), dtype=np.int64)


def gold_is_majority(patterns: Patterns) -> BoolArray:
    """(P,) more than half of the judgments chose gold."""
    return np.asarray(2 * gold_votes(patterns) > patterns.sizes)


def gold_is_only_mode(patterns: Patterns) -> BoolArray:
    """(P,) gold has more judgments than every other option."""
    votes = gold_votes(patterns)
    rivals = patterns.counts.copy()
    rivals[np.arange(len(votes)), np.maximum(patterns.gold, 0)] = -1
    return np.asarray(has_gold(patterns) & (votes > rivals.max(axis=1, initial=-1)))


class MajorityCounts(NamedTuple):
    """What stands behind a majority: of the ``n_items`` items with gold, ``fewer`` {n: items} were judged by
    fewer readers than were wanted, and on ``n_without`` no option has more than half of the judgments."""

    n_items: int
    fewer: dict[int, int]
    n_without: int


def majority_counts(patterns: Patterns, wanted: int) -> MajorityCounts:
    """Count the items on which a majority means less than ``wanted`` readers say, or does not exist."""
    known = patterns.keep(has_gold(patterns))
    none = 2 * known.counts.max(axis=1, initial=0) <= known.sizes
    fewer = {size: items for size, items in known.histogram().items() if size < wanted}
    return MajorityCounts(known.n_items, fewer, int(known.items[none].sum()))


def _no_gold(patterns: Patterns) -> str | None:
    return None if has_gold(patterns).any() else "No judged item has a gold option."


def _individual(patterns: Patterns, weights: FloatArray) -> FloatArray:
    judged = np.where(has_gold(patterns), patterns.sizes, 0)
    return ratio(weights @ gold_votes(patterns), weights @ judged)


def _majority(patterns: Patterns, weights: FloatArray) -> FloatArray:
    return mean_over(weights, has_gold(patterns), gold_is_majority(patterns).astype(np.float64))


def _plurality(patterns: Patterns, weights: FloatArray) -> FloatArray:
    return mean_over(weights, has_gold(patterns), gold_is_only_mode(patterns).astype(np.float64))


def _more_than_three(patterns: Patterns) -> bool:
    return bool((patterns.sizes > 3).any())


_accuracy = partial(Measure, range=(0.0, 1.0), enters=has_gold, undefined=_no_gold, proportion=share)

INDIVIDUAL = _accuracy(
    slug="individual_accuracy",
    label="individual accuracy",
    definition="Share of single judgments that chose the gold option; the number to compare a model with, "
    "as the block on machine readers does.",
    formula="sum_i n_i,gold / sum_i n_i",
    source="Thai et al. 2022, section 4 (printed there as a majority of three only)",
    statistic=_individual,
    chance="1/q: a guess is right once in q options.",
)

MAJORITY = _accuracy(
    slug="majority_accuracy",
    label="majority accuracy",
    definition="Share of items on which more than half of the judgments chose the gold option; "
    "a tie or no majority counts as wrong.",
    formula="mean_i [n_i,gold > n_i / 2]",
    source="Thai et al. 2022, section 4",
    statistic=_majority,
    chance="Enumerated from how many answers each item has; 25.9 % for three answers and three options.",
)

PLURALITY = _accuracy(
    slug="plurality_accuracy",
    label="plurality accuracy",
    definition="Share of items on which the gold option has more judgments than every other option; "
    "shown when an item has more than three judgments, because a majority is then a stricter demand.",
    formula="mean_i [n_i,gold > n_ik for every other k]",
    source="standard",
    statistic=_plurality,
    shown=_more_than_three,
    chance="Enumerated like the majority's.",
)


class AnnotatorAccuracy(NamedTuple):
    """One annotator against gold.

    ``annotator``: the index.
    ``n_judgments``: judgments in all.
    ``n_with_gold``: of them on items with gold.
    ``n_correct``: of these, correct.
    ``value``: ``n_correct`` / ``n_with_gold``, None without gold.
    ``low``, ``high``: its Wilson interval, None without gold.
    """

    annotator: int
    n_judgments: int
    n_with_gold: int
    n_correct: int
    value: float | None
    low: float | None
    high: float | None


def annotator_accuracy(table: NominalTable, level: float = LEVEL) -> tuple[AnnotatorAccuracy, ...]:
    """Accuracy of every annotator who judged anything, as :func:`accuracies` gives it."""
    gold = table.gold[table.item]
    return accuracies(table.annotator, gold >= 0, gold == table.choice, level)


def accuracies(
    annotator: IntArray, known: BoolArray, right: BoolArray, level: float = LEVEL
) -> tuple[AnnotatorAccuracy, ...]:
    """Accuracy of annotators by ascending index, with Wilson intervals, from arrays (M,) over judgments.

    ``known``: whether the item has gold; ``right``: whether the judgment is the gold one. An annotator judges
    an item once, so the judgments of one row are independent items and a binomial interval is right here,
    unlike for the pooled individual accuracy.
    """
    judged = np.bincount(annotator)
    with_gold = np.bincount(annotator[known], minlength=len(judged))
    correct = np.bincount(annotator[right], minlength=len(judged))
    rows = []
    for who in distinct(annotator):
        n, n_right = int(with_gold[who]), int(correct[who])
        low, high = wilson(n_right, n, level) if n else (None, None)
        rows.append(
            AnnotatorAccuracy(who, int(judged[who]), n, n_right, n_right / n if n else None, low, high)
        )
    return tuple(rows)
