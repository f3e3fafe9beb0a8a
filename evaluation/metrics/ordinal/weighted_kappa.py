"""Cohen's weighted κ, mean over pairs of annotators; ``common/pairwise_kappa.py`` has the formulas.

With two grades both equal the unweighted κ.
"""

from evaluation.metrics.common.pairwise_kappa import kappa_measure, linear, quadratic

LINEAR_KAPPA = kappa_measure(
    linear,
    slug="linear_kappa",
    label="linear weighted κ",
    definition="Agreement of two annotators above chance, where a difference of two grades counts twice as "
    "much as one of one; mean over the pairs of annotators, each counted with its common items.",
    formula="sum_p n_p κ_p / sum_p n_p, κ_p = 1 - sum_kl |k - l| p_kl / sum_kl |k - l| p_1k p_2l",
    source="Cohen 1968; Light 1971",
    data="ordinal",
    chance="0 by definition: two annotators who draw from the grades that each of them gave.",
)

QUADRATIC_KAPPA = kappa_measure(
    quadratic,
    slug="quadratic_kappa",
    label="quadratic weighted κ",
    definition="Agreement of two annotators above chance, where a difference of two grades counts four times "
    "as much as one of one; mean over the pairs of annotators, each counted with its common items.",
    formula="sum_p n_p κ_p / sum_p n_p, κ_p = 1 - sum_kl (k - l)^2 p_kl / sum_kl (k - l)^2 p_1k p_2l",
    source="Cohen 1968; Light 1971",
    data="ordinal",
    chance="0 by definition: two annotators who draw from the grades that each of them gave.",
)
