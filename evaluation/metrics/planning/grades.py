"""Readers who grade, or answer a question with options, as a plan imagines them.

**Grades.** An item has a place on a line, a reader sees it with an error, and thresholds cut the line into q
grades: x = sqrt(ρ) z + sqrt(1 - ρ) e, z of the item and e of the reader standard normal (the one-factor model
behind polychoric correlation; Olsson 1979). The thresholds give the margins that were typed in for every ρ,
and ρ is found so that Krippendorff's ordinal α is the one typed in.

**Options.** An item has one option that fits, drawn by the margins. A reader gives it with probability c and
else any option by the margins. Two readers then agree above chance by c²: α = c².

Margins: one share for the lowest grade or first option, the rest in equal parts. The population is 20,000
items drawn with a fixed seed. What an item adds to the variance is what leaving it out says, as with a pilot
(``pilot``).
"""

from __future__ import annotations

from functools import lru_cache
from math import sqrt
from statistics import NormalDist

import numpy as np

from evaluation.metrics.nominal.table import FloatArray, IntArray, Patterns, patterns_from_counts
from evaluation.metrics.ordinal.alpha import ORDINAL_ALPHA
from evaluation.metrics.planning.spans import POPULATION, SEED

_STEPS = 16


def margins(options: int, lowest: float) -> FloatArray:
    """(q,) how often each grade or option is given; ``lowest``: the share of the first, in (0, 1)."""
    return np.array([lowest, *[(1 - lowest) / (options - 1)] * (options - 1)])


@lru_cache(maxsize=64)
def grade_population(alpha: float, grades: int, lowest: float, readers: int) -> Patterns:
    """Items whose readers agree by this ordinal α.

    ``alpha``: in [0, 1); ``grades``: q >= 2; ``lowest``: the share of the lowest; ``readers``: k >= 2. Raises
    ValueError for numbers out of range.
    """
    return graded(share_of_item(alpha, grades, lowest, readers), grades, lowest, readers, POPULATION, SEED)


@lru_cache(maxsize=64)
def share_of_item(alpha: float, grades: int, lowest: float, readers: int) -> float:
    """ρ, the share of the item in the variance on the line, that gives this α."""
    _check(alpha, grades, lowest, readers)
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        found = ORDINAL_ALPHA.value(graded(middle, grades, lowest, readers, POPULATION, SEED))
        low, high = (low, middle) if found is None or found > alpha else (middle, high)
    return low


def graded(rho: float, grades: int, lowest: float, readers: int, n_items: int, seed: int) -> Patterns:
    """One study under the model of grades."""
    generator = np.random.default_rng(seed)
    item = generator.standard_normal(n_items)
    error = generator.standard_normal((readers, n_items))
    ends = np.cumsum(margins(grades, lowest))[:-1]
    cuts = np.array([NormalDist().inv_cdf(float(each)) for each in ends])
    return _counted(np.searchsorted(cuts, sqrt(rho) * item + sqrt(1 - rho) * error), grades)


@lru_cache(maxsize=64)
def option_population(alpha: float, options: int, lowest: float, readers: int) -> Patterns:
    """Items on which readers of a question with options agree by this nominal α; as `grade_population`."""
    _check(alpha, options, lowest, readers)
    return answered(alpha, options, lowest, readers, POPULATION, SEED)


def answered(alpha: float, options: int, lowest: float, readers: int, n_items: int, seed: int) -> Patterns:
    """One study under the model of options."""
    generator = np.random.default_rng(seed)
    ends = np.cumsum(margins(options, lowest))[:-1]
    fits = np.searchsorted(ends, generator.random(n_items))
    other = np.searchsorted(ends, generator.random((readers, n_items)))
    return _counted(np.where(generator.random(other.shape) < sqrt(alpha), fits, other), options)


def _counted(given: IntArray, options: int) -> Patterns:
    """Answers (k, N) as patterns."""
    n_items = given.shape[1]
    cells = np.arange(n_items) * options + given
    counts = np.bincount(cells.ravel(), minlength=n_items * options).reshape(n_items, options)
    return patterns_from_counts(counts)


def _check(alpha: float, options: int, lowest: float, readers: int) -> None:
    if not 0 <= alpha < 1 or options < 2 or not 0 < lowest < 1 or readers < 2:
        raise ValueError(
            "α must lie from 0 to below 1 and the share of the lowest grade between 0 and 1, with 2 grades "
            "or options and 2 readers or more."
        )
