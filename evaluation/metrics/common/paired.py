"""Two rankers, contexts or models on the same queries: is the difference more than luck?

Sign-flip permutation test of the mean difference (Fisher 1935): under no difference each query's difference
could as well have the other sign. All 2^n signings are counted up to n = 18 queries that differ; beyond, 10^5
signings are drawn and p = (at least as far out + 1) / (drawn + 1) (Phipson and Smyth 2010). Two rows of 0
and 1 are compared by McNemar's exact test. Several comparisons of one table are corrected by Holm (1979).

A paired t test is not used: on few discordant 0/1 queries its p is much too small.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evaluation.metrics.common.intervals import LEVEL, RESAMPLES
from evaluation.metrics.common.mcnemar import holm, mcnemar_exact
from evaluation.metrics.common.means import means
from evaluation.metrics.nominal.table import FloatArray

EXACT_UP_TO = 18
DRAWS = 100_000
_TOLERANCE = 1e-9
_DRAWN_AT_ONCE = 1 << 13


class SignFlip(NamedTuple):
    """The result of a sign-flip test.

    ``n_queries``: queries compared.
    ``difference``: the mean.
    ``p``: two-sided.
    ``signings``: how many assignments of signs p was counted over.
    ``exact``: whether these are all there are.
    """

    n_queries: int
    difference: float
    p: float
    signings: int
    exact: bool


class PairedComparison(NamedTuple):
    """One system against the reference on one measure.

    ``name``, ``against``: the two systems.
    ``n_queries``: queries compared.
    ``difference``: mean of ``name`` minus ``against``.
    ``low``, ``high``: its bootstrap interval, None without one.
    ``p``: of the test; ``p_holm``: adjusted for all comparisons of the table.
    ``test``: its name in words.
    """

    name: str
    against: str
    n_queries: int
    difference: float
    low: float | None
    high: float | None
    p: float
    p_holm: float
    test: str


def sign_flip(first: ArrayLike, second: ArrayLike, seed: int, draws: int = DRAWS) -> SignFlip:
    """Test two aligned vectors (N,), N >= 1, two-sided; deterministic in its arguments.

    Raises ValueError for lengths that differ, no queries, values that are not finite, draws below 1.
    """
    ours, theirs = _aligned(first, second)
    if draws < 1:
        raise ValueError(f"draws must be 1 or more, not {draws}.")
    differences = ours - theirs
    apart = differences[differences != 0]
    mean = float(differences.mean())
    if len(apart) <= EXACT_UP_TO:
        sums = np.zeros(1)
        for one in apart:
            sums = np.concatenate((sums + one, sums - one))
        return SignFlip(len(ours), mean, _far(sums, apart) / len(sums), len(sums), exact=True)
    far = _far(_drawn_sums(apart, seed, draws), apart)
    return SignFlip(len(ours), mean, (far + 1) / (draws + 1), draws, exact=False)


def comparisons(
    systems: Mapping[str, ArrayLike],
    against: str,
    seed: int,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> tuple[PairedComparison, ...]:
    """Compare each of ``systems`` {name: (N,) values of the same queries} with ``against``, Holm-corrected.

    Raises ValueError as ``sign_flip``, and where ``against`` is none of the systems.
    """
    if against not in systems:
        raise ValueError(f"{against!r} is not among the systems: {', '.join(systems)}.")
    found: list[PairedComparison] = []
    for name in systems:
        if name != against:
            found.append(_compare(systems, name, against, seed, resamples, level))
    corrected = holm([each.p for each in found])
    return tuple(each._replace(p_holm=p) for each, p in zip(found, corrected, strict=True))


def _compare(
    systems: Mapping[str, ArrayLike], name: str, against: str, seed: int, resamples: int, level: float
) -> PairedComparison:
    ours, theirs = _aligned(systems[name], systems[against])
    if np.isin(ours, (0, 1)).all() and np.isin(theirs, (0, 1)).all():
        p, test = mcnemar_exact(ours, theirs), "McNemar, exact"
    else:
        flipped = sign_flip(ours, theirs, seed)
        how = "exact" if flipped.exact else f"{flipped.signings:,} draws"
        p, test = flipped.p, f"sign-flip permutation, {how}"
    (mean,) = means((ours - theirs)[None, :], seed, resamples, level, shares=False)
    return PairedComparison(
        name, against, len(ours), float((ours - theirs).mean()), mean.low, mean.high, p, p, test
    )


def _aligned(first: ArrayLike, second: ArrayLike) -> tuple[FloatArray, FloatArray]:
    ours, theirs = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if ours.ndim != 1 or ours.shape != theirs.shape or not ours.size:
        raise ValueError(
            "first and second must hold one value per query, the same queries in both, "
            f"but have shapes {ours.shape} and {theirs.shape}."
        )
    if not (np.isfinite(ours).all() and np.isfinite(theirs).all()):
        raise ValueError("values must be finite: a query without a rank has no difference.")
    return ours, theirs


def _far(sums: FloatArray, apart: FloatArray) -> int:
    """How many sums are at least as far from 0 as the observed one; equal ones differ in their last bits."""
    least = abs(float(apart.sum())) - _TOLERANCE * float(np.abs(apart).sum())
    return int((np.abs(sums) >= least).sum())


def _drawn_sums(apart: FloatArray, seed: int, draws: int) -> FloatArray:
    """(draws,) sums under random signs, eight queries at a time.

    A random byte chooses the signs of eight queries, and a table holds the 256 sums they can have: a draw
    costs n / 8 look-ups instead of n random numbers.
    """
    generator = np.random.default_rng(seed)
    padded = np.concatenate((apart, np.zeros(-len(apart) % 8)))
    signs = 1.0 - 2.0 * np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1)
    tables = padded.reshape(-1, 8) @ signs.T
    sums = np.zeros(draws)
    for start in range(0, draws, _DRAWN_AT_ONCE):
        part = sums[start : start + _DRAWN_AT_ONCE]
        chosen = generator.integers(0, 256, size=(len(tables), len(part)), dtype=np.uint8)
        for table, row in zip(tables, chosen, strict=True):
            part += table[row]
    return sums
