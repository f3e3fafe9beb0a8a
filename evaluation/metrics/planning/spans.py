"""Readers who mark the span round an anchor, as a plan imagines them.

A span reaches l tokens to the left and r to the right of a one-token anchor; l and r are independent, each a
rounded gamma variable, so that lengths have the mean and the deviation that were typed in. On an item there
is one such span that all would mark; for each border by itself a reader follows it, or, with probability e,
sets the border as on some other item. e is found so that the mean overlap is the one typed in: lengths stay
what they are for every e.

The population is 20,000 items drawn with a fixed seed. What an item adds to the variance is that of its
influence on the measure (the delta method; Efron and Tibshirani 1993, chapter 21):

    O_o:  o_i - O_o
    κ:    (o_i - O_o) / (1 - R) - (1 - O_o) / (1 - R)² (a_i - R u_i) / mean u,     R = mean a / mean u

with o, a, u the overlap, the tokens in both and in either, averaged over an item's pairs of readers.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from evaluation.metrics.nominal.table import FloatArray

POPULATION, SEED = 20_000, 20190607
_STEPS = 16


class SpanPlan(NamedTuple):
    """What the model says.

    ``overlap``: O_o, as typed in.
    ``kappa``: LCS-overlap κ of the population.
    ``overlap_variance``, ``kappa_variance``: what an item adds to the variance of each.
    ``astray``: e, the share of borders set as on another item.
    """

    overlap: float
    kappa: float
    overlap_variance: float
    kappa_variance: float
    astray: float


class _Drawn(NamedTuple):
    """Borders, (2, k, N): the item's own, those of other items, and the uniform number that decides."""

    own: FloatArray
    other: FloatArray
    chance: FloatArray

    def borders(self, astray: float) -> FloatArray:
        return np.where(self.chance < astray, self.other, self.own)


@lru_cache(maxsize=64)
def span_plan(overlap: float, length: float, deviation: float, readers: int) -> SpanPlan:
    """The model of readers whose spans overlap so much.

    ``overlap``: mean O of two readers, in (0, 1); ``length``, ``deviation``: of spans, in tokens, the anchor
    among them; ``readers``: k >= 2. Raises ValueError for numbers out of range and for an overlap below what
    readers who set their borders at random have, naming it.
    """
    if not 0 < overlap < 1 or length <= 1 or deviation <= 0 or readers < 2:
        raise ValueError(
            "Overlap must lie between 0 and 1, spans be longer than the anchor's token and vary, and 2 "
            "readers or more mark each item."
        )
    drawn = _draw(length, deviation, readers)
    least = float(_pairs(drawn.borders(1.0))[0].mean())
    if overlap < least:
        raise ValueError(
            f"Spans of {length:g} ± {deviation:g} tokens round one anchor overlap by {least:.2f} when "
            "borders are set at random: give more than that, or other lengths."
        )
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        more = _pairs(drawn.borders(middle))[0].mean() > overlap
        low, high = (middle, high) if more else (low, middle)
    return _influences(*_pairs(drawn.borders(low)), low)


def marked(
    overlap: float, length: float, deviation: float, readers: int, n_items: int, seed: int
) -> FloatArray:
    """(2, k, N) borders left and right of the anchor in one study under the model, to try it."""
    astray = span_plan(overlap, length, deviation, readers).astray
    return _draw(length, deviation, readers, n_items, seed).borders(astray)


def _draw(
    length: float, deviation: float, readers: int, n_items: int = POPULATION, seed: int = SEED
) -> _Drawn:
    generator = np.random.default_rng(seed)
    mean, variance = (length - 1) / 2, deviation**2 / 2

    def extents(shape: tuple[int, ...]) -> FloatArray:
        return np.rint(generator.gamma(mean**2 / variance, variance / mean, shape))

    shape = (2, readers, n_items)
    return _Drawn(extents((2, 1, n_items)), extents(shape), generator.random(shape))


def _pairs(borders: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(N,) o, a and u of each item, averaged over pairs of readers, from borders (2, k, N)."""
    both, either, overlap = (np.zeros(borders.shape[2]) for _ in range(3))
    couples = list(combinations(range(borders.shape[1]), 2))
    for one, other in couples:
        shared = 1 + np.minimum(borders[:, one], borders[:, other]).sum(axis=0)
        union = 1 + np.maximum(borders[:, one], borders[:, other]).sum(axis=0)
        both += shared
        either += union
        overlap += shared / union
    n = len(couples)
    return overlap / n, both / n, either / n


def _influences(overlap: FloatArray, both: FloatArray, either: FloatArray, astray: float) -> SpanPlan:
    mean, expected = float(overlap.mean()), float(both.mean() / either.mean())
    of_kappa = (overlap - mean) / (1 - expected)
    of_kappa -= (1 - mean) / (1 - expected) ** 2 * (both - expected * either) / either.mean()
    kappa = (mean - expected) / (1 - expected)
    return SpanPlan(mean, kappa, float(overlap.var()), float(of_kappa.var()), astray)
