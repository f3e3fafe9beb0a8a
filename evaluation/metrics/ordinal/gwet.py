"""Gwet's AC2 of grades, with ordinal, linear or quadratic weights.

    AC2 = (P_o - P_e) / (1 - P_e),   P_e = T_w / (q (q - 1)) sum_k π_k (1 - π_k),   T_w = sum_kl w_kl

    P_o = mean over items of two judgments or more of sum_k n_ik (sum_l w_kl n_il - 1) / (n_i (n_i - 1))

    ordinal:   w_kl = 1 - m (m - 1) / (q (q - 1)),  m = |k - l| + 1 the grades from k to l
    linear:    w_kl = 1 - |k - l| / (q - 1)
    quadratic: w_kl = 1 - ((k - l) / (q - 1))^2

π_k is the mean over all judged items of n_ik / n_i. Chance means: a part of the judgments, largest when all
grades are used evenly, is a guess. With w_kk = 1 and 0 elsewhere it is AC1. The ordinal weights depend on the
length of the scale alone, the ordinal distance of Krippendorff's α on how often each grade was given.

Gwet, K. L. (2014). Handbook of Inter-Rater Reliability, 4th ed., chapters 3 and 4.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from evaluation.metrics.common.measure import Measure, chance_corrected, mean_over
from evaluation.metrics.nominal.agreement import no_pairs, paired
from evaluation.metrics.nominal.fleiss import mean_margins
from evaluation.metrics.nominal.table import BoolArray, FloatArray, Patterns

Weights = Callable[[int], FloatArray]


def ordinal_weights(q: int) -> FloatArray:
    """(q, q) one minus the pairs of grades between the two over all pairs of grades."""
    m = _apart(q) + 1
    return np.asarray(1 - m * (m - 1) / (q * (q - 1)))


def linear_weights(q: int) -> FloatArray:
    """(q, q) 1 - |k - l| / (q - 1)."""
    return np.asarray(1 - _apart(q) / (q - 1))


def quadratic_weights(q: int) -> FloatArray:
    """(q, q) 1 - ((k - l) / (q - 1))^2."""
    return np.asarray(1 - (_apart(q) / (q - 1)) ** 2)


def gwet_ac2(weights_of: Weights) -> Callable[[Patterns, FloatArray], FloatArray]:
    """Make the statistic (B,): AC2 with these weights of two grades."""

    def statistic(patterns: Patterns, weights: FloatArray) -> FloatArray:
        q, counts, sizes = patterns.options, patterns.counts, patterns.sizes
        alike = weights_of(q)
        pairs = (counts * (counts @ alike - 1)).sum(axis=1) / np.maximum(sizes * (sizes - 1), 1)
        observed = mean_over(weights, paired(patterns), pairs)
        margins = mean_margins(patterns, weights)
        expected = alike.sum() / (q * (q - 1)) * (margins * (1 - margins)).sum(axis=1)
        return chance_corrected(observed, expected)

    return statistic


def _apart(q: int) -> FloatArray:
    grades = np.arange(q, dtype=np.float64)
    return np.abs(grades[:, None] - grades)


def _judged(patterns: Patterns) -> BoolArray:
    return np.ones(len(patterns.items), dtype=np.bool_)


_ac2 = partial(
    Measure,
    source="Gwet 2014, chapters 3 and 4",
    range=(-1.0, 1.0),
    enters=_judged,
    undefined=no_pairs,
    data="ordinal",
    chance="0 by definition: a part of the judgments, largest when grades are used evenly, is a guess.",
)

ORDINAL_AC2 = _ac2(
    slug="gwet_ac2",
    label="Gwet AC2",
    definition="Agreement above chance, where grades near each other agree in part and chance is small when "
    "one grade takes most judgments; read it beside α when one grade holds more than 80 %.",
    formula="(P_o - P_e) / (1 - P_e), P_e = T_w / (q (q - 1)) sum_k π_k (1 - π_k), "
    "w_kl = 1 - m (m - 1) / (q (q - 1)), m = |k - l| + 1",
    statistic=gwet_ac2(ordinal_weights),
)

LINEAR_AC2 = _ac2(
    slug="gwet_ac2_linear",
    label="Gwet AC2 (linear)",
    definition="Gwet AC2 in which every step between two grades costs the same part of their agreement.",
    formula="as Gwet AC2, w_kl = 1 - |k - l| / (q - 1)",
    statistic=gwet_ac2(linear_weights),
)

QUADRATIC_AC2 = _ac2(
    slug="gwet_ac2_quadratic",
    label="Gwet AC2 (quadratic)",
    definition="Gwet AC2 in which two steps between grades cost four times as much as one.",
    formula="as Gwet AC2, w_kl = 1 - ((k - l) / (q - 1))^2",
    statistic=gwet_ac2(quadratic_weights),
)
