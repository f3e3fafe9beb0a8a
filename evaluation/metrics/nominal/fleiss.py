"""Fleiss κ (1971) and its generalisation to unequal numbers of judgments.

    κ = (P_o - P_e) / (1 - P_e),   P_e = sum_k p_k^2

Chance means: two annotators who each draw an option number from the margins that all annotators produced
together. The value therefore depends on how the options are numbered: on gold-first or role numbering it
measures something else. Number the options of each item by its canonical shuffle.

Fleiss, J. L. (1971). Measuring nominal scale agreement among many raters. Psychological Bulletin 76(5).
Gwet, K. L. (2014). Handbook of Inter-Rater Reliability, 4th ed., chapter 2.
"""

import math

import numpy as np

from evaluation.metrics.common.measure import Measure, chance_corrected, ratio
from evaluation.metrics.nominal.agreement import no_pairs, observed_agreement, one_option_used, paired
from evaluation.metrics.nominal.table import BoolArray, FloatArray, Patterns


def mean_margins(patterns: Patterns, weights: FloatArray) -> FloatArray:
    """(B, q) π_k: mean over items of n_ik / n_i (Gwet 2014); equal to p_k when balanced."""
    shares = patterns.counts / patterns.sizes[:, None]
    items = weights @ np.ones(len(patterns.items))
    return ratio(weights @ shares, items[:, None])


def generalised_fleiss(patterns: Patterns, weights: FloatArray) -> FloatArray:
    """(B,) κ with P_o over items of two judgments or more and π_k over all judged items."""
    expected = (mean_margins(patterns, weights) ** 2).sum(axis=1)
    return chance_corrected(observed_agreement(patterns, weights), expected)


def _fleiss(patterns: Patterns, weights: FloatArray) -> FloatArray:
    if not patterns.balanced:
        return np.full(len(weights), np.nan)
    return generalised_fleiss(patterns, weights)


def _undefined(patterns: Patterns) -> str | None:
    if not patterns.balanced:
        sizes = patterns.sizes
        return (
            f"Items have {sizes.min()} to {sizes.max()} judgments and Fleiss (1971) needs the same number "
            "on each: read the generalised Fleiss κ."
        )
    return no_pairs(patterns) or one_option_used(patterns)


def _undefined_generalised(patterns: Patterns) -> str | None:
    return no_pairs(patterns) or one_option_used(patterns)


def _unbalanced(patterns: Patterns) -> bool:
    return not patterns.balanced


def _judged(patterns: Patterns) -> BoolArray:
    return np.ones(len(patterns.items), dtype=np.bool_)


FLEISS = Measure(
    slug="fleiss_kappa",
    label="Fleiss κ",
    definition="Agreement above chance, where chance draws option numbers from the pooled margins of all "
    "annotators; needs the same number of judgments on every item.",
    formula="(P_o - P_e) / (1 - P_e), P_e = sum_k p_k^2",
    source="Fleiss 1971",
    range=(-1.0, 1.0),
    statistic=_fleiss,
    enters=paired,
    undefined=_undefined,
    labelled=True,
    chance="0 by definition: readers who draw option numbers from the margins that all of them "
    "produced together.",
)

GENERALISED_FLEISS = Measure(
    slug="generalised_fleiss_kappa",
    label="generalised Fleiss κ",
    definition="Fleiss κ for unequal numbers of judgments: P_o over items with two judgments or more, "
    "margins averaged over all judged items; equal to Fleiss κ when balanced.",
    formula="(P_o - P_e) / (1 - P_e), P_e = sum_k (mean_i n_ik / n_i)^2",
    source="Gwet 2014, chapter 2",
    range=(-math.inf, 1.0),  # lone judgments shift the margins: items (1,0) and (1,1) give -5/3
    statistic=generalised_fleiss,
    enters=_judged,
    undefined=_undefined_generalised,
    labelled=True,
    shown=_unbalanced,
    chance="0 by definition, as for Fleiss κ, with margins averaged over items.",
)
