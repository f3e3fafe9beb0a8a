"""The random row: what people who guess would score, by exact enumeration, not simulation.

For m guesses among q options, all q^m outcomes equally likely (statistics of RELiC's random row: 33.3 %
individual; a majority of three guesses 25.9 %, all agree 11.1 %, none agree 22.2 %).
"""

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from math import comb, perm
from typing import NamedTuple


class RandomRow(NamedTuple):
    """Expected values under guessing, named like the measures; None where no item has enough judgments.

    ``individual_accuracy``: of a single guess.
    ``majority_accuracy``, ``plurality_accuracy``: of the majority and of the plurality of an item's guesses.
    ``all_agree``, ``none_agree``: share of items whose guesses are all equal, and all different.
    ``observed_agreement``: share of pairs of guesses that are equal.
    """

    individual_accuracy: float | None
    majority_accuracy: float | None
    plurality_accuracy: float | None
    all_agree: float | None
    none_agree: float | None
    observed_agreement: float | None


def random_row(judgments: int | Mapping[int, int], options: int) -> RandomRow:
    """Exact expectations when every judgment is a uniform guess among ``options``.

    ``judgments``: the number m of judgments on every item, or {m: number of items} (the expectation is then
    the mean over items; all agree, none agree and observed agreement over items with m >= 2 only).
    Raises ValueError unless options >= 2, m >= 1 and item counts >= 0.
    """
    histogram = {judgments: 1} if isinstance(judgments, int) else dict(judgments)
    if options < 2:
        raise ValueError(f"options must be at least 2, but is {options}.")
    if any(m < 1 or items < 0 for m, items in histogram.items()):
        raise ValueError("judgments must be at least 1 per item, and numbers of items not negative.")
    paired = {m: items for m, items in histogram.items() if m >= 2}
    guess = Fraction(1, options)
    pluralities = _pluralities(max(histogram, default=0), options)
    return RandomRow(
        individual_accuracy=_mean(histogram, dict.fromkeys(histogram, guess)),
        majority_accuracy=_mean(histogram, {m: _majority(m, options) for m in histogram}),
        plurality_accuracy=_mean(histogram, {m: pluralities[m] for m in histogram}),
        all_agree=_mean(paired, {m: guess ** (m - 1) for m in paired}),
        none_agree=_mean(paired, {m: Fraction(perm(options, m), options**m) for m in paired}),
        observed_agreement=_mean(paired, dict.fromkeys(paired, guess)),
    )


def _mean(histogram: Mapping[int, int], values: Mapping[int, Fraction]) -> float | None:
    items = sum(histogram.values())
    if items == 0:
        return None
    return float(sum((histogram[m] * values[m] for m in histogram), Fraction(0)) / items)


def _majority(m: int, options: int) -> Fraction:
    """P(more than m/2 of m guesses are gold)."""
    ways = sum(comb(m, hits) * (options - 1) ** (m - hits) for hits in range(m // 2 + 1, m + 1))
    return Fraction(ways, options**m)


@cache
def _pluralities(most: int, options: int) -> tuple[Fraction, ...]:
    """P(gold is the only mode of m guesses) for m = 0..most.

    With h guesses of gold, the others are words of m - h letters over q - 1 options, each option fewer than h
    times. Their number W_n is n! times the coefficient of x^n in (sum_(k<h) x^k / k!)^(q-1). Miller's
    recurrence for powers of a series gives them in turn: n W_n = sum_(0<k<h) (k q - n) C(n, k) W_(n-k).
    """
    ways = [0] * (most + 1)
    for hits in range(1, most + 1):
        words = [1]
        for n in range(1, most - hits + 1):
            total = sum((k * options - n) * comb(n, k) * words[n - k] for k in range(1, min(n, hits - 1) + 1))
            words.append(total // n)
        for n, count in enumerate(words):
            ways[hits + n] += comb(hits + n, hits) * count
    return tuple(Fraction(each, options**m) for m, each in enumerate(ways))
