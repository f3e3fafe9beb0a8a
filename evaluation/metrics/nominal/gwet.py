"""Gwet's AC1.

    AC1 = (P_o - P_e) / (1 - P_e),   P_e = sum_k π_k (1 - π_k) / (q - 1)

Chance means: only a part of the judgments, largest when options are used evenly, is a guess among q. AC1
stays near P_o when one option takes nearly all judgments, where Fleiss κ and α fall towards 0 despite high
raw agreement.

Gwet, K. L. (2008). Computing inter-rater reliability and its variance in the presence of high agreement.
British Journal of Mathematical and Statistical Psychology 61(1); (2014) Handbook, chapter 4.
"""

import numpy as np

from evaluation.metrics.common.measure import Measure, chance_corrected
from evaluation.metrics.nominal.agreement import no_pairs, observed_agreement
from evaluation.metrics.nominal.fleiss import mean_margins
from evaluation.metrics.nominal.table import BoolArray, FloatArray, Patterns


def gwet_ac1(patterns: Patterns, weights: FloatArray) -> FloatArray:
    """(B,) AC1 with P_o over items of two judgments or more, π_k over all judged items, q declared."""
    margins = mean_margins(patterns, weights)
    expected = (margins * (1.0 - margins)).sum(axis=1) / (patterns.options - 1)
    return chance_corrected(observed_agreement(patterns, weights), expected)


def _judged(patterns: Patterns) -> BoolArray:
    return np.ones(len(patterns.items), dtype=np.bool_)


AC1 = Measure(
    slug="gwet_ac1",
    label="Gwet AC1",
    definition="Agreement above chance, where chance is small when one option takes most judgments; "
    "read it beside α when one option holds more than 80 %.",
    formula="(P_o - P_e) / (1 - P_e), P_e = sum_k π_k (1 - π_k) / (q - 1)",
    source="Gwet 2008",
    range=(-1.0, 1.0),
    statistic=gwet_ac1,
    enters=_judged,
    undefined=no_pairs,
    labelled=True,
    chance="0 by definition: a part of the answers, largest when options are used evenly, is a guess.",
)
