"""Randolph's free-marginal multirater κ.

    κ = (P_o - 1/q) / (1 - 1/q)

Chance means: a guess among the q options offered, whether or not anyone used them all. When the options of
every item are shuffled, that is exactly what a guessing annotator does; the value does not depend on how
options are numbered and stays defined when everyone agrees.

Randolph, J. J. (2005). Free-marginal multirater kappa: an alternative to Fleiss' fixed-marginal multirater
kappa. Joensuu Learning and Instruction Symposium. For two raters: Brennan and Prediger (1981).
"""

import numpy as np

from evaluation.metrics.common.measure import Measure, chance_corrected
from evaluation.metrics.nominal.agreement import no_pairs, observed_agreement, paired
from evaluation.metrics.nominal.table import FloatArray, Patterns


def randolph_kappa(patterns: Patterns, weights: FloatArray) -> FloatArray:
    """(B,) κ with chance agreement 1/q, q = options offered."""
    return chance_corrected(observed_agreement(patterns, weights), np.array(1 / patterns.options))


def _from_observed_agreement(patterns: Patterns) -> tuple[float, float]:
    return patterns.options / (patterns.options - 1), -1 / (patterns.options - 1)


RANDOLPH = Measure(
    slug="randolph_kappa",
    label="Randolph κ",
    definition="Agreement above chance, where chance is a guess among the options offered; "
    "the same however options are numbered.",
    formula="(P_o - 1/q) / (1 - 1/q)",
    source="Randolph 2005; Brennan and Prediger 1981",
    range=(-1.0, 1.0),
    statistic=randolph_kappa,
    enters=paired,
    undefined=no_pairs,
    proportion=_from_observed_agreement,
    chance="0 by definition: a guess among the q options offered, used or not.",
)
