"""How often two annotators give an item the same grade, or grades next to each other."""

from collections.abc import Callable
from functools import partial

import numpy as np

from evaluation.metrics.common.measure import mean_over
from evaluation.metrics.nominal.agreement import observed_agreement, of_pairs, paired
from evaluation.metrics.nominal.table import FloatArray, Patterns


def _within(most: int) -> Callable[[Patterns, FloatArray], FloatArray]:
    """Make the statistic (B,): share of pairs at most ``most`` grades apart, mean over items."""

    def statistic(patterns: Patterns, weights: FloatArray) -> FloatArray:
        counts, sizes = patterns.counts, patterns.sizes
        pairs = (counts * (counts - 1)).sum(axis=1)
        for distance in range(1, min(most, patterns.options - 1) + 1):
            pairs = pairs + 2 * (counts[:, distance:] * counts[:, :-distance]).sum(axis=1)
        shares = np.asarray(pairs / np.maximum(sizes * (sizes - 1), 1), dtype=np.float64)
        return mean_over(weights, paired(patterns), shares)

    return statistic


_grades = partial(of_pairs, data="ordinal")

EXACT_AGREEMENT = _grades(
    slug="exact_agreement",
    label="exact agreement",
    definition="Share of pairs of judgments on one item that gave the same grade, averaged over items.",
    formula="mean_i sum_k n_ik (n_ik - 1) / (n_i (n_i - 1)), n_i >= 2",
    source="standard; P_o of Fleiss 1971",
    statistic=observed_agreement,
    chance="1/q: two guesses among q grades are equal once in q.",
)

WITHIN_ONE_AGREEMENT = _grades(
    slug="within_one_agreement",
    label="agreement within ±1",
    definition="Share of pairs of judgments on one item whose grades are equal or next to each other, "
    "averaged over items.",
    formula="mean_i sum_|k-l|<=1 n_ik (n_il - [k = l]) / (n_i (n_i - 1)), n_i >= 2",
    source="standard",
    statistic=_within(1),
    chance="(3q - 2) / q^2 for two guesses among q grades; 52 % for five.",
)
