"""Agreement without a chance correction: all agree, none agree, and observed agreement P_o.

All three ask only which judgments on an item are equal, so renumbering an item's options changes nothing.
"""

from functools import partial

import numpy as np

from evaluation.metrics.common.measure import Measure, mean_over, share
from evaluation.metrics.nominal.table import BoolArray, FloatArray, Patterns


def paired(patterns: Patterns) -> BoolArray:
    """(P,) items with at least two judgments."""
    return np.asarray(patterns.sizes >= 2)


def pair_agreement(patterns: Patterns) -> FloatArray:
    """(P,) agreeing pairs / C(n_i, 2); 0 for items with one judgment."""
    sizes = patterns.sizes
    agreeing = (patterns.counts * (patterns.counts - 1)).sum(axis=1)
    return np.asarray(agreeing / np.maximum(sizes * (sizes - 1), 1), dtype=np.float64)


def observed_agreement(patterns: Patterns, weights: FloatArray) -> FloatArray:
    """(B,) P_o: mean of pair_agreement over items with at least two judgments."""
    return mean_over(weights, paired(patterns), pair_agreement(patterns))


def no_pairs(patterns: Patterns) -> str | None:
    """Why no pair of judgments exists, or None."""
    return None if paired(patterns).any() else "No item has two judgments."


def one_option_used(patterns: Patterns) -> str | None:
    """Why chance agreement cannot be told from agreement, or None."""
    if np.count_nonzero(patterns.margins) > 1:
        return None
    return "Every judgment chose the same option number: without variation chance agreement is 1."


def _all_agree(patterns: Patterns, weights: FloatArray) -> FloatArray:
    equal = patterns.counts.max(axis=1, initial=0) == patterns.sizes
    return mean_over(weights, paired(patterns), equal.astype(np.float64))


def _none_agree(patterns: Patterns, weights: FloatArray) -> FloatArray:
    distinct = patterns.counts.max(axis=1, initial=0) == 1
    return mean_over(weights, paired(patterns), distinct.astype(np.float64))


of_pairs = partial(Measure, range=(0.0, 1.0), enters=paired, undefined=no_pairs, proportion=share)
"""A share of the items with two judgments or more."""

ALL_AGREE = of_pairs(
    slug="all_agree",
    label="all agree",
    definition="Share of items, among those with two judgments or more, on which all judgments are equal.",
    formula="mean_i [max_k n_ik = n_i], n_i >= 2",
    source="Thai et al. 2022, section 4",
    statistic=_all_agree,
    chance="q^(1-n) for an item with n answers, averaged over items; 11.1 % for three of three.",
)

NONE_AGREE = of_pairs(
    slug="none_agree",
    label="none agree",
    definition="Share of items, among those with two judgments or more, on which no two judgments are equal.",
    formula="mean_i [max_k n_ik = 1], n_i >= 2",
    source="Thai et al. 2022, section 4",
    statistic=_none_agree,
    chance="q! / (q-n)! / q^n for an item with n answers, averaged over items; 22.2 % for three of three.",
)

OBSERVED = of_pairs(
    slug="observed_agreement",
    label="observed agreement",
    definition="Share of agreeing pairs of judgments on the same item, averaged over items (P_o); "
    "not corrected for chance.",
    formula="P_o = mean_i sum_k n_ik (n_ik - 1) / (n_i (n_i - 1)), n_i >= 2",
    source="Fleiss 1971, equation 3",
    statistic=observed_agreement,
    chance="1/q: two guesses among q options agree once in q.",
)
