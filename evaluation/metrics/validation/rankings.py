"""Whether systems would stand in another order if judged by readers who saw the machine's grades.

Kendall's τ-b of the systems under the two arms, beside the τ of random halves of the blind readings: as far
as that lies below 1, the order moves by chance alone. Halves have half the readings, so the two arms are
compared at that size too (``same_size``): only this may be laid beside ``halves``. Intervals are the
percentile bootstrap over topics.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evaluation.metrics.common.intervals import LEVEL
from evaluation.metrics.nominal.table import BoolArray, FloatArray, IntArray
from evaluation.metrics.validation.anchoring import two_of_each

SPLITS, RESAMPLES = 50, 1000


class Tau(NamedTuple):
    """Kendall's τ-b with its interval; None where fewer than two systems differ."""

    value: float | None
    low: float | None
    high: float | None


class RankEffect(NamedTuple):
    """Systems under both arms.

    ``blind``, ``shown`` (S,): the value of each system under each.
    ``tau``: of the two orders, with all readings.
    ``same_size``: the same with as many readings in each as half of the smaller arm, mean of the splits.
    ``halves``: of random halves of the blind readings of that size, mean of the splits.
    ``n_topics``, ``splits``, ``resamples``, ``seed``: how they were found.
    """

    blind: FloatArray
    shown: FloatArray
    tau: Tau
    same_size: Tau
    halves: Tau
    n_topics: int
    splits: int
    resamples: int
    seed: int


def rank_effect(
    gains: ArrayLike,
    value: ArrayLike,
    weight: ArrayLike,
    topic: ArrayLike,
    shown: ArrayLike,
    seed: int,
    *,
    splits: int = SPLITS,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> RankEffect:
    """Compare the orders of S systems.

    ``gains`` (S, M): what each reading's document counts in each system, such as 1 / k in its first k.
    ``value`` (M,): of the reading, such as [grade >= level]; ``weight`` (M,): items that the reading stands
    for within its arm; ``topic`` (M,): numbers; ``shown`` (M,): whether the machine's answer was seen.
    """
    systems, seen = np.asarray(gains, dtype=np.float64), np.asarray(shown, dtype=np.bool_)
    names, topics = np.unique(np.asarray(topic, dtype=np.int64), return_inverse=True)
    each = systems * np.asarray(value, dtype=np.float64) * np.asarray(weight, dtype=np.float64)
    generator = np.random.default_rng(seed)
    even = np.full(len(names), 1 / max(1, len(names)))
    draws = np.vstack([np.ones(len(names)), generator.multinomial(len(names), even, size=resamples)])
    sums = _Sums(each, topics.ravel(), draws)
    blind, prefilled = sums.of(~seen), sums.of(seen)
    half = min(int((~seen).sum()), int(seen.sum())) // 2
    pairs = [_thirds(seen, half, generator) for _ in range(splits if half else 0)]
    n_blind, n_seen = int((~seen).sum()), int(seen.sum())
    halves, same = np.zeros((2, max(1, len(pairs)), resamples + 1))
    for row, (one, other, own) in enumerate(pairs):
        first = sums.of(one, n_blind / half)
        halves[row] = taus(first, sums.of(other, n_blind / half))
        same[row] = taus(first, sums.of(own, n_seen / half))
    tau = _tau(taus(blind, prefilled), level)
    nothing = Tau(None, None, None)
    sized, halved = (_tau(_means(rows), level) if pairs else nothing for rows in (same, halves))
    return RankEffect(blind[0], prefilled[0], tau, sized, halved, len(names), len(pairs), resamples, seed)


def stands_for(stratum: ArrayLike, place: ArrayLike, shown: ArrayLike) -> FloatArray:
    """(M,) how many of N items a reading stands for within its arm: those of each arm add up to N.

    ``stratum`` (N,): numbers from 0, neighbours alike; ``place`` (M,): the item of each reading; ``shown``
    (M,). Strata join their neighbours until both arms have two readings in each: of a stratum in which an arm
    has none, nothing would stand for its items.
    """
    h, seen = np.asarray(stratum, dtype=np.int64), np.asarray(shown, dtype=np.bool_)
    sizes, own = np.bincount(h), h[np.asarray(place, dtype=np.int64)]
    cells = np.stack([np.bincount(own[which], minlength=len(sizes)) for which in (seen, ~seen)])
    to = two_of_each(cells)
    items, found = np.bincount(to, sizes), np.zeros(len(seen))
    for which in (seen, ~seen):
        n = np.bincount(to[own[which]], minlength=len(items))
        found[which] = (items / np.maximum(1, n))[to[own[which]]]
    return found


class _Sums(NamedTuple):
    """Parts of systems' values: ``each`` (S, M) of readings, ``topics`` (M,) theirs, ``draws`` (B + 1, T) how
    often each topic counts."""

    each: FloatArray
    topics: IntArray
    draws: FloatArray

    def of(self, which: BoolArray, factor: float = 1.0) -> FloatArray:
        """(B + 1, S) values from the readings where ``which`` (M,): of all topics, and of each resample."""
        n_topics = self.draws.shape[1]
        own = [np.bincount(self.topics[which], row[which], n_topics) for row in self.each]
        return np.asarray(self.draws @ np.array(own).T * factor / n_topics, dtype=np.float64)


def taus(first: FloatArray, second: FloatArray) -> FloatArray:
    """(B,) Kendall's τ-b of each pair of rows (B, S); NaN where one of them has only ties."""
    one, other = np.triu_indices(first.shape[1], 1)
    signs = [np.sign(np.round(each[:, one] - each[:, other], 12)) for each in (first, second)]
    untied = np.sqrt((signs[0] ** 2).sum(axis=1) * (signs[1] ** 2).sum(axis=1))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((signs[0] * signs[1]).sum(axis=1) / untied, dtype=np.float64)


def _thirds(
    seen: BoolArray, size: int, generator: np.random.Generator
) -> tuple[BoolArray, BoolArray, BoolArray]:
    """Two disjoint halves of the blind readings and as many that saw the machine's answer."""
    blind: IntArray = generator.permutation(np.flatnonzero(~seen))
    own = generator.permutation(np.flatnonzero(seen))
    found = []
    for places in (blind[:size], blind[size : 2 * size], own[:size]):
        which = np.zeros(len(seen), dtype=np.bool_)
        which[places] = True
        found.append(which)
    return found[0], found[1], found[2]


def _means(rows: FloatArray) -> FloatArray:
    """(B,) means of the columns, what is undefined left out."""
    known = ~np.isnan(rows)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(known, rows, 0).sum(axis=0) / known.sum(axis=0), dtype=np.float64)


def _tau(values: FloatArray, level: float) -> Tau:
    if np.isnan(values[0]):
        return Tau(None, None, None)
    drawn = values[1:][~np.isnan(values[1:])]
    if not len(drawn):
        return Tau(float(values[0]), None, None)
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return Tau(float(values[0]), float(low), float(high))
