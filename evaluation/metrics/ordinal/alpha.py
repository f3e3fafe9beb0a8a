"""Krippendorff's α of grades, with the ordinal and the interval distance.

    α = 1 - (n - 1) sum_kl o_kl δ_kl^2 / sum_kl n_k n_l δ_kl^2

    ordinal:  δ_kl = n_k / 2 + n_(k+1) + … + n_(l-1) + n_l / 2  (k < l), judgments between the two grades
    interval: δ_kl = k - l

over pairable judgments (items with two or more); o_kl are the coincidences, n_k their margins, n their sum.
Items may have unequal numbers of judgments. Chance means: two different judgments drawn without replacement
from all pairable ones.

Both distances are differences of scores: of mid-ranks R_k = n_1 + … + n_(k-1) + n_k / 2 and of the grades
themselves. Hence sum_kl n_ik n_il (R_k - R_l)^2 = 2 (n_i sum_k n_ik R_k^2 - (sum_k n_ik R_k)^2) for one item,
and no table of q x q cells is needed for any resample.

Krippendorff, K. (2011). Computing Krippendorff's alpha-reliability; (2019) Content Analysis, 4th ed., ch. 12.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from evaluation.metrics.common.measure import Measure, ratio
from evaluation.metrics.nominal.agreement import no_pairs, paired
from evaluation.metrics.nominal.table import FloatArray, Patterns

Scores = Callable[[FloatArray], FloatArray]


def mid_ranks(margins: FloatArray) -> FloatArray:
    """(B, q) judgments below each grade and half of those on it, from ``margins`` (B, q)."""
    return np.cumsum(margins, axis=1) - margins / 2


def grades(margins: FloatArray) -> FloatArray:
    """(B, q) the grades themselves."""
    return np.broadcast_to(np.arange(margins.shape[1], dtype=np.float64), margins.shape)


def alpha(scores: Scores) -> Callable[[Patterns, FloatArray], FloatArray]:
    """Make the statistic (B,): α whose distance is the squared difference of ``scores``."""

    def statistic(patterns: Patterns, weights: FloatArray) -> FloatArray:
        sizes, q = patterns.sizes, patterns.options
        counts = patterns.counts * paired(patterns)[:, None].astype(np.float64)
        each = counts / np.maximum(sizes - 1, 1)[:, None]
        margins = weights @ counts
        n = margins.sum(axis=1)
        score = scores(margins)
        score = score - ratio((margins * score).sum(axis=1), n)[:, None]
        within = ((weights @ (each * sizes[:, None])) * score**2).sum(axis=1)
        products = (weights @ (each[:, :, None] * counts[:, None, :]).reshape(-1, q * q)).reshape(-1, q, q)
        within = within - np.einsum("bk,bkl,bl->b", score, products, score)
        expected = n * (margins * score**2).sum(axis=1)
        return np.asarray(1.0 - (n - 1) * ratio(within, expected))

    return statistic


def one_grade_used(patterns: Patterns) -> str | None:
    """Say why α does not exist, or return None."""
    if reason := no_pairs(patterns):
        return reason
    if np.count_nonzero(patterns.keep(paired(patterns)).margins) > 1:
        return None
    return "Every judgment gave the same grade: without variation there is no chance disagreement."


_alpha = partial(
    Measure,
    source="Krippendorff 2011; 2019, chapter 12",
    range=(-1.0, 1.0),
    enters=paired,
    undefined=one_grade_used,
    data="ordinal",
    chance="0 by definition: two different judgments drawn from all those on items with two or more.",
)

ORDINAL_ALPHA = _alpha(
    slug="ordinal_alpha",
    label="Krippendorff α (ordinal)",
    definition="One minus observed over expected disagreement, where two grades are as far apart as there "
    "are judgments between them; for unequal numbers of judgments.",
    formula="1 - D_o / D_e, δ_kl = n_k / 2 + n_(k+1) + … + n_(l-1) + n_l / 2",
    statistic=alpha(mid_ranks),
)

INTERVAL_ALPHA = _alpha(
    slug="interval_alpha",
    label="Krippendorff α (interval)",
    definition="One minus observed over expected disagreement, where disagreement is the squared difference "
    "of grades; for unequal numbers of judgments.",
    formula="1 - D_o / D_e, δ_kl = k - l",
    statistic=alpha(grades),
)
