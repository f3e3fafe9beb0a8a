"""Krippendorff's α for nominal data.

    α = 1 - D_o / D_e over pairable values (items with two judgments or more)
    D_o = 1 - sum_i sum_k n_ik (n_ik - 1) / (n_i - 1) / n,   D_e = 1 - sum_k n_k (n_k - 1) / (n (n - 1))

Chance means: two different judgments drawn without replacement from all pairable ones. Unlike Fleiss κ it
weights items by their number of judgments, allows gaps and corrects for small samples; for complete data
α = 1 - (1 - Fleiss)(1 - 1/n).

Krippendorff, K. (2011). Computing Krippendorff's alpha-reliability; (2018) Content Analysis, chapter 12.
"""

import numpy as np

from evaluation.metrics.common.measure import Measure, ratio
from evaluation.metrics.nominal.agreement import no_pairs, one_option_used, pair_agreement, paired
from evaluation.metrics.nominal.table import FloatArray, Patterns


def krippendorff_alpha(patterns: Patterns, weights: FloatArray) -> FloatArray:
    """(B,) nominal α."""
    pairable = np.where(paired(patterns), patterns.sizes, 0)
    total = weights @ pairable
    disagreement = ratio(weights @ (pairable * (1.0 - pair_agreement(patterns))), total)
    margins = weights @ (patterns.counts * paired(patterns)[:, None])
    # n_k (n - n_k) summed is n (n - 1) D_e: no difference of nearly equal numbers when one option dominates.
    expected = ratio((margins * (total[:, None] - margins)).sum(axis=1), total * (total - 1))
    return np.asarray(1.0 - ratio(disagreement, expected))


def _undefined(patterns: Patterns) -> str | None:
    if reason := no_pairs(patterns):
        return reason
    kept = paired(patterns)
    return one_option_used(Patterns(patterns.counts[kept], patterns.gold[kept], patterns.items[kept]))


ALPHA = Measure(
    slug="krippendorff_alpha",
    label="Krippendorff α",
    definition="One minus observed over expected disagreement, where chance draws two different judgments "
    "from all those on items with two or more; for unequal numbers of judgments.",
    formula="1 - D_o / D_e (nominal)",
    source="Krippendorff 2011",
    range=(-1.0, 1.0),
    statistic=krippendorff_alpha,
    enters=paired,
    undefined=_undefined,
    labelled=True,
    chance="0 by definition: two different answers drawn from all those on items with two or more.",
)
