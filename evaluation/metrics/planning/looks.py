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

from collections.abc import Sequence
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from evaluation.metrics.nominal.table import FloatArray

MOST_LOOKS = 50
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(100)
_STEPS = 30


def schedule(first: int, every: int, most: int) -> tuple[int, ...]:
    """Items at each look: the first, and so many more each time."""
    return tuple(first + every * look for look in range(most))


def false_alarms(items: Sequence[int], level: float = 0.05) -> float:
    """The chance that a two-sided test at this level finds what is not there at one look or more.

    ``items``: at each look, rising. Raises ValueError for none, and for items that do not rise.
    """
    sizes = np.asarray(items, dtype=np.float64)
    if not len(sizes) or sizes[0] <= 0 or (np.diff(sizes) <= 0).any() or not 0 < level < 1:
        raise ValueError("Looks need rising numbers of items, and a level between 0 and 1.")
    z = NormalDist().inv_cdf(1 - level / 2)
    at, mass = _NODES, _WEIGHTS
    for look, size in enumerate(sizes):
        end = z * np.sqrt(size)
        here = _NODES * end
        spread = np.sqrt(size - (sizes[look - 1] if look else 0.0))
        density = _normal(here / spread) / spread
        if look:
            density = (_normal((here[:, None] - at) / spread) / spread) @ mass
        at, mass = here, density * _WEIGHTS * end
    return float(1 - mass.sum())


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
