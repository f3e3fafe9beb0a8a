"""Cohen's weighted κ of pairs of annotators, their mean and all pairs in one ratio; the formulas are those of
``common/pairwise_kappa.py``.

With two grades both equal the unweighted κ.
"""

from functools import partial

from evaluation.metrics.common.pairwise_kappa import kappa_measure, linear, quadratic

_of_grades = partial(
    kappa_measure,
    data="ordinal",
    chance="0 by definition: two annotators who draw from the grades that each of them gave.",
)
_mean = partial(_of_grades, source="Cohen 1968; Light 1971")
_pooled = partial(
    _of_grades,
    pooled=True,
    source="Cohen 1968, with observed and expected disagreement added over the pairs",
)
_LINEAR = (
    "Agreement of two annotators above chance, where a difference of two grades counts twice as much as one "
    "of one; "
)
_QUADRATIC = (
    "Agreement of two annotators above chance, where a difference of two grades counts four times as much "
    "as one of one; "
)
_MEAN = "mean over the pairs of annotators, each counted with its common items."
_POOLED = "all pairs of annotators in one ratio."

LINEAR_KAPPA = _mean(
    linear,
    slug="linear_kappa",
    label="linear weighted κ",
    definition=_LINEAR + _MEAN,
    formula="sum_p n_p κ_p / sum_p n_p, κ_p = 1 - sum_kl |k - l| p_kl / sum_kl |k - l| p_1k p_2l",
)

QUADRATIC_KAPPA = _mean(
    quadratic,
    slug="quadratic_kappa",
    label="quadratic weighted κ",
    definition=_QUADRATIC + _MEAN,
    formula="sum_p n_p κ_p / sum_p n_p, κ_p = 1 - sum_kl (k - l)^2 p_kl / sum_kl (k - l)^2 p_1k p_2l",
)

POOLED_LINEAR_KAPPA = _pooled(
    linear,
    slug="pooled_linear_kappa",
    label="linear weighted κ, pooled",
    definition=_LINEAR + _POOLED,
    formula="1 - sum_p sum_kl |k - l| n_p,kl / sum_p sum_kl |k - l| n_p,k. n_p,.l / n_p",
)

POOLED_QUADRATIC_KAPPA = _pooled(
    quadratic,
    slug="pooled_quadratic_kappa",
    label="quadratic weighted κ, pooled",
    definition=_QUADRATIC + _POOLED,
    formula="1 - sum_p sum_kl (k - l)^2 n_p,kl / sum_p sum_kl (k - l)^2 n_p,k. n_p,.l / n_p",
)
