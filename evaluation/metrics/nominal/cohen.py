"""Cohen's κ, mean over pairs of annotators (Light's κ); ``common/pairwise_kappa.py`` has the formulas.

Unlike Fleiss κ and Krippendorff α, chance is drawn from each annotator's own answers, so two annotators with
different habits are not charged for them twice.
"""

from evaluation.metrics.common.pairwise_kappa import kappa_measure, unequal

COHEN = kappa_measure(
    unequal,
    slug="cohen_kappa",
    label="Cohen κ",
    definition="Agreement of two annotators above chance, where chance draws from each one's own answers; "
    "mean over the pairs of annotators, each counted with its common items.",
    formula="sum_p n_p κ_p / sum_p n_p, κ_p = (P_o - P_e) / (1 - P_e), P_e = sum_k p_1k p_2k",
    source="Cohen 1960; Light 1971",
    labelled=True,
    data="annotator pairs",
    chance="0 by definition: two annotators who draw from the answers that each of them gave.",
)
