"""Grades against gold: how far from it, on which side, and how often equal or next to it.

All four are means over single judgments d = grade - gold, so they compare with a model that answers once.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import inf

import numpy as np

from evaluation.metrics.common.measure import Measure, ratio, share
from evaluation.metrics.nominal.accuracy import has_gold
from evaluation.metrics.nominal.table import FloatArray, Patterns

_Of = Callable[[FloatArray], FloatArray]


def _mean(of: _Of) -> Callable[[Patterns, FloatArray], FloatArray]:
    """Make the statistic (B,): mean of ``of``(grade - gold) over the judgments on items with gold."""

    def statistic(patterns: Patterns, weights: FloatArray) -> FloatArray:
        known = has_gold(patterns)
        differences = np.arange(patterns.options) - patterns.gold[:, None]
        sums: FloatArray = (patterns.counts * of(differences.astype(np.float64))).sum(axis=1) * known
        return ratio(weights @ sums, weights @ np.where(known, patterns.sizes, 0))

    return statistic


def _equal(differences: FloatArray) -> FloatArray:
    return np.asarray(differences == 0, dtype=np.float64)


def _within_one(differences: FloatArray) -> FloatArray:
    return np.asarray(np.abs(differences) <= 1, dtype=np.float64)


def _signed(differences: FloatArray) -> FloatArray:
    return differences


def _no_gold(patterns: Patterns) -> str | None:
    return None if has_gold(patterns).any() else "No judged item has a gold grade."


def _of_widest(patterns: Patterns) -> tuple[float, float]:
    return patterns.options - 1.0, 0.0


def _of_widest_both_ways(patterns: Patterns) -> tuple[float, float]:
    return 2.0 * (patterns.options - 1), 1.0 - patterns.options


_against_gold = partial(Measure, enters=has_gold, undefined=_no_gold, data="ordinal")
_distance = partial(_against_gold, unit="grades")
_share = partial(_against_gold, range=(0.0, 1.0), proportion=share)

ABSOLUTE_DIFFERENCE = _distance(
    slug="absolute_difference",
    label="mean absolute difference from gold",
    definition="Mean distance of a judgment from the gold grade, in grades; 0 is perfect.",
    formula="sum_i sum_k n_ik |k - gold_i| / sum_i n_i",
    source="standard (mean absolute error)",
    range=(0.0, inf),
    statistic=_mean(np.abs),
    proportion=_of_widest,
    chance="The mean distance of gold from a guess among the q grades; 2 for gold at an end of five grades, "
    "1.2 for gold in their middle.",
)

DIFFERENCE = _distance(
    slug="difference",
    label="mean difference from gold",
    definition="Mean of judgment minus gold grade, in grades; above 0 where judgments are higher than gold.",
    formula="sum_i sum_k n_ik (k - gold_i) / sum_i n_i",
    source="standard (bias)",
    range=(-inf, inf),
    statistic=_mean(_signed),
    proportion=_of_widest_both_ways,
    chance="The middle of the scale minus the mean of gold: a guess is (q - 1) / 2 on average.",
)

EXACT_WITH_GOLD = _share(
    slug="exact_with_gold",
    label="exact agreement with gold",
    definition="Share of single judgments that gave the gold grade.",
    formula="sum_i n_i,gold / sum_i n_i",
    source="standard",
    statistic=_mean(_equal),
    chance="1/q: a guess among q grades is right once in q.",
)

WITHIN_ONE_OF_GOLD = _share(
    slug="within_one_of_gold",
    label="agreement with gold within ±1",
    definition="Share of single judgments that gave the gold grade or one next to it.",
    formula="sum_i sum_k n_ik [|k - gold_i| <= 1] / sum_i n_i",
    source="standard",
    statistic=_mean(_within_one),
    chance="3/q for gold inside the scale, 2/q for gold at an end of it, averaged over judgments.",
)


def of_decisions(one: Measure) -> Measure:
    """The same measure where a decision stands in the place of gold: what it is called and says of itself."""
    return replace(
        one,
        label=_of_decisions(one.label),
        definition=_of_decisions(one.definition),
        chance=_of_decisions(one.chance),
        undefined=lambda patterns: None if has_gold(patterns).any() else "No judged item has a decision.",
    )


def _of_decisions(words: str) -> str:
    return words.replace("gold grade", "decided grade").replace("gold", "the decision")
