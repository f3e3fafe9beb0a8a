"""Accuracy of people against gold: individual, by majority, by plurality, and per annotator.

Thai et al. (2022), RELiC, section 4, print the majority of three (93.5 %). A model answers once, so the
number that is comparable with it is individual accuracy.
"""

from typing import NamedTuple

import numpy as np

from evaluation.metrics.common.intervals import wilson
from evaluation.metrics.common.measure import Measure, mean_over, ratio, share
from evaluation.metrics.nominal.table import BoolArray, FloatArray, IntArray, NominalTable, Patterns


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


INDIVIDUAL = Measure(
    slug="individual_accuracy",
    label="individual accuracy",
    definition="Share of single judgments that chose the gold option; the number to compare a model with.",
    formula="sum_i n_i,gold / sum_i n_i",
    source="Thai et al. 2022, section 4 (printed there as a majority of three only)",
    range=(0.0, 1.0),
    statistic=_individual,
    enters=has_gold,
    undefined=_no_gold,
    proportion=share,
    chance="1/q: a guess is right once in q options.",
)

MAJORITY = Measure(
    slug="majority_accuracy",
    label="majority accuracy",
    definition="Share of items on which more than half of the judgments chose the gold option; "
    "a tie or no majority counts as wrong.",
    formula="mean_i [n_i,gold > n_i / 2]",
    source="Thai et al. 2022, section 4",
    range=(0.0, 1.0),
    statistic=_majority,
    enters=has_gold,
    undefined=_no_gold,
    proportion=share,
    chance="Enumerated from how many answers each item has; 25.9 % for three answers and three options.",
)

PLURALITY = Measure(
    slug="plurality_accuracy",
    label="plurality accuracy",
    definition="Share of items on which the gold option has more judgments than every other option; "
    "shown when an item has more than three judgments, because a majority is then a stricter demand.",
    formula="mean_i [n_i,gold > n_ik for every other k]",
    source="standard",
    range=(0.0, 1.0),
    statistic=_plurality,
    enters=has_gold,
    undefined=_no_gold,
    proportion=share,
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


def annotator_accuracy(table: NominalTable, level: float = 0.95) -> tuple[AnnotatorAccuracy, ...]:
    """Accuracy of every annotator who judged anything, by ascending index, with Wilson intervals.

    An annotator judges an item once, so the judgments of one row are independent items and a binomial
    interval is right here, unlike for the pooled individual accuracy.
    """
    if table.annotator.size == 0:
        return ()
    gold = table.gold[table.item]
    judged = np.bincount(table.annotator)
    with_gold = np.bincount(table.annotator[gold >= 0], minlength=len(judged))
    correct = np.bincount(table.annotator[gold == table.choice], minlength=len(judged))
    rows = []
    for who in np.flatnonzero(judged):
        done, known, right = int(judged[who]), int(with_gold[who]), int(correct[who])
        if known:
            low, high = wilson(right, known, level)
            rows.append(AnnotatorAccuracy(int(who), done, known, right, right / known, low, high))
        else:
            rows.append(AnnotatorAccuracy(int(who), done, 0, 0, None, None, None))
    return tuple(rows)
