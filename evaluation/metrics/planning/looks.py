"""What looking often costs: the chance that a test says there is a difference where there is none.

A test at each of K looks at the growing data is one normal sum S_1, S_2, … with variances n_1 < n_2 < …;
its share of false alarms is that of |S_j| > z sqrt(n_j) at one look at least. The density of the sums that
were not stopped is carried from look to look by the recursion of Armitage, McPherson and Rowe (1969):

    f_(j+1)(s) = ∫ f_j(u) φ((s - u) / sqrt(n_(j+1) - n_j)) / sqrt(n_(j+1) - n_j) du,   |u| <= z sqrt(n_j)

on Gauss-Legendre nodes. Pocock (1977) asks for the level of the single test at which the whole has 5 %.

Armitage, P., McPherson, C. K. and Rowe, B. C. (1969). JRSS A 132, 235-244. Pocock, S. J. (1977).
Biometrika 64, 191-199.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from statistics import NormalDist

import numpy as np

from evaluation.metrics.nominal.table import FloatArray

MOST_LOOKS = 50
_NODES = (100, 200, 400, 800)
_STEPS = 30
_FAR = 6.0
"""Bounds beyond it cut nothing off."""


def schedule(first: int, every: int, most: int) -> tuple[int, ...]:
    """Items at each look: the first, and so many more each time."""
    return tuple(first + every * look for look in range(most))


class Walk:
    """The sum S_j of a test without a difference, as far as no look has stopped it."""

    def __init__(self) -> None:
        self.size = 0.0
        self.at = np.zeros(1)
        self.mass = np.ones(1)

    def leaving(self, size: float, bound: float) -> float:
        """The chance that the look at ``size`` items is the first with |S| > bound * sqrt(size)."""
        if math.isinf(bound):
            return 0.0
        spread, end = math.sqrt(size - self.size), bound * math.sqrt(size)
        out = _below((self.at - end) / spread) + _below((-end - self.at) / spread)
        return float(out @ self.mass)

    def step(self, size: float, bound: float) -> float:
        """Take that look; return the chance that it stopped."""
        gone = self.leaving(size, bound)
        end, spread = min(bound, _FAR) * math.sqrt(size), math.sqrt(size - self.size)
        # Nodes must be closer than the normal densities that they stand for are wide.
        nodes, weights = _legendre(next((n for n in _NODES if n * spread >= 5 * end), _NODES[-1]))
        here = nodes * end
        density = (_normal((here[:, None] - self.at) / spread) / spread) @ self.mass
        self.at, self.mass, self.size = here, density * weights * end, size
        return gone


def checked(items: Sequence[int], level: float) -> None:
    """Raise ValueError for no looks, for items that do not rise, and for a level that is none."""
    if not items or items[0] <= 0 or any(a >= b for a, b in pairwise(items)) or not 0 < level < 1:
        raise ValueError("Looks need rising numbers of items, and a level between 0 and 1.")


def false_alarms(items: Sequence[int], level: float = 0.05) -> float:
    """The chance that a two-sided test at this level finds what is not there at one look or more.

    ``items``: at each look, rising. Raises ValueError for none, and for items that do not rise.
    """
    checked(items, level)
    walk, bound = Walk(), NormalDist().inv_cdf(1 - level / 2)
    return sum(walk.step(size, bound) for size in items)


@lru_cache(maxsize=128)
def corrected_level(items: tuple[int, ...], overall: float = 0.05) -> float:
    """The level of the test at each look at which all looks together have ``overall``; Pocock's for looks at
    equal distances."""
    low, high = overall / len(items), overall
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if false_alarms(items, middle) > overall else (middle, high)
    return low


def _normal(x: FloatArray) -> FloatArray:
    return np.asarray(np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi))


def _below(x: FloatArray) -> FloatArray:
    from scipy.special import ndtr

    return np.asarray(ndtr(x))


@lru_cache(maxsize=len(_NODES))
def _legendre(n: int) -> tuple[FloatArray, FloatArray]:
    nodes, weights = np.polynomial.legendre.leggauss(n)
    return nodes, weights
