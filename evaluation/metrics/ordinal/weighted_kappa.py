"""Cohen's weighted κ of pairs of annotators, their mean and all pairs in one ratio; the formulas are those of
``common/pairwise_kappa.py``.

With two grades both equal the unweighted κ.
"""

from functools import partial

from evaluation.metrics.common.pairwise_kappa import (
    PairMeasure,
    linear,
    mean_kappa,
    mean_kappa_without_each,
    no_kappa,
    paired,
    pooled_kappa,
    pooled_kappa_without_each,
    quadratic,
)

_of_pairs = partial(
    PairMeasure,
    range=(-1.0, 1.0),
    enters=paired,
    undefined=no_kappa,
    data="ordinal",
    chance="0 by definition: two annotators who draw from the grades that each of them gave.",
)

LINEAR_KAPPA = _of_pairs(
    slug="linear_kappa",
    label="linear weighted κ",
    definition="Agreement of two annotators above chance, where a difference of two grades counts twice as "
    "much as one of one; mean over the pairs of annotators, each counted with its common items.",
    formula="sum_p n_p κ_p / sum_p n_p, κ_p = 1 - sum_kl |k - l| p_kl / sum_kl |k - l| p_1k p_2l",
    source="Cohen 1968; Light 1971",
    statistic=mean_kappa(linear),
    left_out=mean_kappa_without_each(linear),
)

QUADRATIC_KAPPA = _of_pairs(
    slug="quadratic_kappa",
    label="quadratic weighted κ",
    definition="Agreement of two annotators above chance, where a difference of two grades counts four times "
    "as much as one of one; mean over the pairs of annotators, each counted with its common items.",
    formula="sum_p n_p κ_p / sum_p n_p, κ_p = 1 - sum_kl (k - l)^2 p_kl / sum_kl (k - l)^2 p_1k p_2l",
    source="Cohen 1968; Light 1971",
    statistic=mean_kappa(quadratic),
    left_out=mean_kappa_without_each(quadratic),
)

POOLED_LINEAR_KAPPA = _of_pairs(
    slug="pooled_linear_kappa",
    label="linear weighted κ, pooled",
    definition="Agreement of two annotators above chance, where a difference of two grades counts twice as "
    "much as one of one; all pairs of annotators in one ratio.",
    formula="1 - sum_p sum_kl |k - l| n_p,kl / sum_p sum_kl |k - l| n_p,k. n_p,.l / n_p",
    source="Cohen 1968, with observed and expected disagreement added over the pairs",
    statistic=pooled_kappa(linear),
    left_out=pooled_kappa_without_each(linear),
)

POOLED_QUADRATIC_KAPPA = _of_pairs(
    slug="pooled_quadratic_kappa",
    label="quadratic weighted κ, pooled",
    definition="Agreement of two annotators above chance, where a difference of two grades counts four times "
    "as much as one of one; all pairs of annotators in one ratio.",
    formula="1 - sum_p sum_kl (k - l)^2 n_p,kl / sum_p sum_kl (k - l)^2 n_p,k. n_p,.l / n_p",
    source="Cohen 1968, with observed and expected disagreement added over the pairs",
    statistic=pooled_kappa(quadratic),
    left_out=pooled_kappa_without_each(quadratic),
)
