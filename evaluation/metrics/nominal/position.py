"""Two checks that options were shuffled and that the shuffle did its work.

:func:`position_counts_test` asks of the *data* whether gold stands at every canonical index equally often. If
it does not (p < .001), option numbers may be roles (gold, first negative, second negative), and coefficients
that use the margins of option numbers (Fleiss κ, α, AC1) would describe roles. One sound shuffle in a
thousand fails this test as well, so it is a caution beside the number, and it is asked only of items whose
order somebody else drew.

:func:`position_bias` asks of the *annotators* whether their errors fall on some screen positions more often
than the shuffles explain.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evaluation.metrics.nominal.table import NO_GOLD, FloatArray, IntArray, patterns_from_counts, patterns_in

ROLES_BELOW = 0.001
_EXACT_ROWS = 200_000
_DRAWS = 9999
_TIE = 1e-7


class PositionTest(NamedTuple):
    """A test that positions come up evenly.

    ``counts``: at each position, the first first.
    ``p``: the p value of uniform positions, None without data.
    ``method``: how p was found.
    """

    counts: tuple[int, ...]
    p: float | None
    method: str


def position_counts_test(counts: ArrayLike, seed: int = 0) -> PositionTest:
    """Multinomial test that ``counts`` per position (q,) are uniform, such as those of the gold.

    p = probability of all count vectors that are no more probable than the one observed. Exact by enumeration
    up to 200,000 count vectors (628 items of three options), else by 9,999 draws: (1 + as rare) / 10,000.
    """
    tally = np.asarray(counts, dtype=np.int64)
    shown, total, options = tuple(int(count) for count in tally), int(tally.sum()), len(tally)
    if total == 0:
        return PositionTest(shown, None, "no item has gold")
    factorials = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, total + 1)))])
    observed = factorials[tally].sum()
    if _count_vectors(total, options) <= _EXACT_ROWS:
        sums = _enumerate(total, options, factorials)
        # A larger sum of log factorials is a smaller multinomial probability.
        probability = np.exp(factorials[total] - sums - total * np.log(options))
        p = float(probability[sums >= observed - _TIE].sum())
        return PositionTest(shown, min(1.0, p), "exact multinomial")
    draws = np.random.default_rng(seed).multinomial(total, np.full(options, 1 / options), size=_DRAWS)
    rare = int((factorials[draws].sum(axis=1) >= observed - _TIE).sum())
    return PositionTest(shown, (1 + rare) / (_DRAWS + 1), f"multinomial, {_DRAWS} draws, seed {seed}")


def roles_suspected(counts: ArrayLike) -> str:
    """A caution where gold's positions (q,), items for each, are too uneven for a shuffle; else empty."""
    test = position_counts_test(counts)
    if test.p is None or test.p >= ROLES_BELOW:
        return ""
    spread = ", ".join(str(count) for count in test.counts)
    return (
        f"Caution: gold stands at option 1, 2, … in {spread} items whose order was not drawn here "
        f"(p < .001). If option numbers are roles there, coefficients that read them describe "
        "roles: read Randolph κ."
    )


class PositionBias(NamedTuple):
    """Where on the screen errors stood.

    ``errors``: at each position, the first first.
    ``chi_square``: against even positions, None without errors.
    ``p``: its randomisation p value, None without errors.
    ``draws``, ``seed``: of the randomisation.
    """

    errors: tuple[int, ...]
    chi_square: float | None
    p: float | None
    draws: int
    seed: int


def position_bias(
    shuffle: ArrayLike, candidate: ArrayLike, position: ArrayLike, wrong: ArrayLike, options: int, seed: int
) -> PositionBias:
    """Randomisation test: do wrong choices depend on where an option stood on the screen?

    One entry per judgment: ``shuffle`` the index, from 0, of the shuffle it was made under (the item, or the
    assignment where every annotator has an own order), ``candidate`` and ``position`` (0..q-1) of the chosen
    option before and after that shuffle, ``wrong`` whether it is not gold. Chosen candidates are held fixed
    and every shuffle is redrawn uniformly, 9,999 times; the statistic is the chi-square of errors per
    position. Valid by design, whatever the difficulty of items and the habits of annotators.
    p = (1 + as large) / 10,000. Raises ValueError for a candidate or position outside 0..q-1.
    """
    erring = np.asarray(wrong, dtype=np.bool_)
    unit = np.asarray(shuffle, dtype=np.int64)[erring]
    chosen = np.asarray(candidate, dtype=np.int64)[erring]
    seen = np.asarray(position, dtype=np.int64)[erring]
    for name, values in (("candidate", chosen), ("position", seen)):
        if values.size and (values.min() < 0 or values.max() >= options):
            raise ValueError(f"{name} must be between 0 and {options - 1}.")
    errors = np.bincount(seen, minlength=options)
    shown = tuple(int(count) for count in errors)
    if errors.sum() == 0:
        return PositionBias(shown, None, None, 0, seed)
    votes = np.bincount(unit * options + chosen, minlength=(int(unit.max()) + 1) * options)
    units = patterns_in(votes.reshape(-1, options), np.full(len(votes) // options, NO_GOLD))
    shapes, _, times = patterns_from_counts(np.sort(units.counts, axis=1), items=units.items)
    generator = np.random.default_rng(seed)
    totals = np.zeros((_DRAWS, options), dtype=np.int64)
    for shape, repeats in zip(shapes, times, strict=True):
        # A uniform shuffle of one unit is a uniform draw among the distinct orders of its votes.
        orders = np.array(list(_orders([int(vote) for vote in shape])))
        totals += (
            generator.multinomial(int(repeats), np.full(len(orders), 1 / len(orders)), size=_DRAWS) @ orders
        )
    observed = float(_chi_square(errors[None, :])[0])
    large = int((_chi_square(totals) >= observed - _TIE).sum())
    return PositionBias(shown, observed, (1 + large) / (_DRAWS + 1), _DRAWS, seed)


def _chi_square(counts: IntArray) -> FloatArray:
    expected = counts.sum(axis=1, keepdims=True) / counts.shape[1]
    return np.asarray(((counts - expected) ** 2 / expected).sum(axis=1), dtype=np.float64)


def _orders(votes: list[int]) -> Iterator[list[int]]:
    """The distinct orders of a multiset."""
    if not votes:
        yield []
        return
    for first in sorted(set(votes)):
        rest = votes.copy()
        rest.remove(first)
        for order in _orders(rest):
            yield [first, *order]


def _count_vectors(total: int, options: int) -> int:
    """C(total + q - 1, q - 1)."""
    ways = 1
    for step in range(1, options):
        ways = ways * (total + step) // step
    return ways


def _enumerate(total: int, options: int, factorials: FloatArray) -> FloatArray:
    """Sum of log factorials of every count vector of length q that adds up to total."""
    left, sums = np.array([total]), np.zeros(1)
    for _ in range(options - 1):
        width = left + 1
        start = np.repeat(np.cumsum(width) - width, width)
        taken = np.arange(int(width.sum())) - start
        left, sums = np.repeat(left, width) - taken, np.repeat(sums, width) + factorials[taken]
    return np.asarray(sums + factorials[left], dtype=np.float64)
