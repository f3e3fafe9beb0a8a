"""Residues of grades in other orders: the statistics of drift when the order says nothing.

Wald and Wolfowitz (1943), Annals of Mathematical Statistics 14, for the moments of the serial product.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evaluation.metrics.nominal.table import FloatArray, IntArray

DRAWS = 9_999
_TOLERANCE = 1e-9
_DRAWN_AT_ONCE = 1 << 22


class Block(NamedTuple):
    """Groups of equal size n, (G, n) each: ``place``, ``residue`` and ``elsewhere``, the mean place that the
    item had for the others, each minus its mean in the row."""

    topic: IntArray
    place: FloatArray
    residue: FloatArray
    elsewhere: FloatArray


def statistics(blocks: list[Block]) -> tuple[float, float]:
    """Sums of position times residue, and of neighbouring residues."""
    slope = sum(float((each.place * each.residue).sum()) for each in blocks)
    return slope, sum(float((each.residue[:, 1:] * each.residue[:, :-1]).sum()) for each in blocks)


def permuted(blocks: list[Block], seed: int, draws: int) -> tuple[FloatArray, FloatArray]:
    """(draws,) the same sums with residues permuted within their rows."""
    generator = np.random.default_rng(seed)
    slopes, lags = np.zeros(draws), np.zeros(draws)
    for _, x, e, _ in blocks:
        at_once = max(1, _DRAWN_AT_ONCE // e.size)
        for start in range(0, draws, at_once):
            stop = min(start + at_once, draws)
            drawn = generator.permuted(np.broadcast_to(e, (stop - start, *e.shape)), axis=2)
            slopes[start:stop] += np.einsum("bij,ij->b", drawn, x)
            lags[start:stop] += np.einsum("bij,bij->b", drawn[:, :, 1:], drawn[:, :, :-1])
    return slopes, lags


def moments(blocks: list[Block]) -> tuple[float, float, float]:
    """Over all permutations within the rows: the mean of the sum of neighbours, and the standard deviations
    of the sum of position times residue (whose mean is 0) and of that sum.

    With S2 and S4 the sums of e^2 and e^4 of a row of n, whose e add up to 0: the variance of sum x e is
    sum x^2 S2 / (n - 1); the mean of sum e_t e_(t+1) is -S2 / n; its square's mean adds over pairs of
    neighbours that are the same, that share one residue and that share none.
    """
    mean = slope = lag = 0.0
    for _, x, e, _ in blocks:
        n = x.shape[1]
        s2, s4 = (e**2).sum(axis=1), (e**4).sum(axis=1)
        slope += float(((x**2).sum(axis=1) * s2).sum()) / (n - 1)
        square = (s2**2 - s4) / n
        if n > 2:
            square = square + 2 * (2 * s4 - s2**2) / (n * (n - 1))
        if n > 3:
            square = square + (3 * s2**2 - 6 * s4) / (n * (n - 1))
        mean -= float(s2.sum()) / n
        lag += float((square - (s2 / n) ** 2).sum())
    return mean, slope**0.5, max(lag, 0.0) ** 0.5


def p_of_draws(found: float, drawn: FloatArray, middle: float) -> float:
    """The part of permutations at least as far from the middle, the observed order counted among them."""
    least = abs(found - middle) * (1 - _TOLERANCE) - _TOLERANCE
    return (int((np.abs(drawn - middle) >= least).sum()) + 1) / (len(drawn) + 1)


def p_of_limit(distance: float, error: float) -> float:
    """Two-sided, 1 where every order gives the same."""
    from scipy.special import ndtr

    if error <= _TOLERANCE:
        return 1.0
    return max(float(2 * ndtr(-abs(distance) / error)), 1 / (DRAWS + 1))
