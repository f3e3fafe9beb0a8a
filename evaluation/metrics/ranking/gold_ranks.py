"""Where rankings put the one right passage: recall@k, mean rank, MRR, nDCG@k, and what chance gives.

A query has one gold passage among C_i candidates, so recall@k is the share of queries whose gold is among the
first k. Books repeat sentences, so scores tie: the gold's rank is then any of lowest … highest with equal
probability, and every number here is the exact expectation over it (the expected rank is the mid rank).
Without ties the numbers are those of trec_eval. Nothing is sorted: lowest = 1 + greater scores, highest =
scores not smaller.

The random row is exact: the mean over queries of what a random order of the C_i candidates gives, k / C_i for
recall@k and (C_i + 1) / 2 for the rank; k over the mean number of candidates is another number.

Thai et al. (2022), RELiC, section 3.1 and Table 3; Järvelin and Kekäläinen (2002) for nDCG.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evaluation.metrics.common.intervals import LEVEL, RESAMPLES
from evaluation.metrics.common.means import MeanEstimate, means
from evaluation.metrics.nominal.table import FloatArray, IntArray

CUTOFFS = (1, 3, 5, 10, 50, 100)
"""The k of RELiC's Table 3."""


class GoldRanks(NamedTuple):
    """The gold's rank for Q queries, from 1.

    ``lowest``, ``highest`` (Q,): the ranks it may have under ties; infinite where a ranker that returns only
    its best did not return it.
    ``candidates`` (Q,): how many were ranked.
    """

    lowest: FloatArray
    highest: FloatArray
    candidates: IntArray

    @property
    def expected(self) -> FloatArray:
        """(Q,) mid ranks."""
        return (self.lowest + self.highest) / 2

    @property
    def n_queries(self) -> int:
        return len(self.lowest)

    @property
    def n_tied(self) -> int:
        """Queries whose gold ties with another candidate."""
        return int((self.lowest < self.highest).sum())

    def take(self, which: ArrayLike) -> GoldRanks:
        """The queries at these positions, or where a mask is true."""
        index = np.asarray(which)
        return GoldRanks(self.lowest[index], self.highest[index], self.candidates[index])


def gold_ranks(scores: ArrayLike, gold: ArrayLike) -> GoldRanks:
    """Ranks of the candidates ``gold`` (Q,) in ``scores`` (Q, C), greater is better, ties kept as ranges.

    Raises ValueError for shapes that do not match, a gold outside 0 … C − 1, or a NaN.
    """
    rows, places = np.asarray(scores, dtype=np.float64), np.asarray(gold, dtype=np.int64)
    if rows.ndim != 2 or places.shape != rows.shape[:1]:
        raise ValueError(
            f"scores {rows.shape} must be (queries, candidates) and gold {places.shape} (queries,)."
        )
    if np.isnan(rows).any():
        raise ValueError("scores must not hold NaN.")
    if ((places < 0) | (places >= rows.shape[1])).any():
        raise ValueError(f"gold must lie between 0 and {rows.shape[1] - 1}.")
    own = rows[np.arange(len(rows)), places][:, None]
    lowest, highest = 1 + (rows > own).sum(axis=1), (rows >= own).sum(axis=1)
    return stored_ranks(lowest, np.full(len(rows), rows.shape[1]), highest)


def stored_ranks(ranks: ArrayLike, candidates: ArrayLike, highest: ArrayLike | None = None) -> GoldRanks:
    """Ranks (Q,) that are known already, among ``candidates`` (Q,); without ties unless ``highest`` (Q,).

    Raises ValueError for lengths that differ and for ranks outside 1 … candidates (infinity is allowed).
    """
    low = np.asarray(ranks, dtype=np.float64)
    high = low if highest is None else np.asarray(highest, dtype=np.float64)
    of = np.asarray(candidates, dtype=np.int64)
    if low.ndim != 1 or low.shape != high.shape or low.shape != of.shape:
        raise ValueError("ranks and candidates must be flat arrays of one length.")
    if not ((low >= 1) & (low <= high) & ((high <= of) | (np.isinf(low) & np.isinf(high)))).all():
        raise ValueError("each rank must lie between 1 and the number of candidates, lowest before highest.")
    return GoldRanks(low, high, of)


def together(parts: Iterable[GoldRanks]) -> GoldRanks:
    """The queries of several ranks, one behind the other."""
    every = list(parts)
    if not every:
        return stored_ranks([], [])
    lowest, highest, candidates = zip(*every, strict=True)
    return GoldRanks(np.concatenate(lowest), np.concatenate(highest), np.concatenate(candidates))


@dataclass(frozen=True)
class RankMeasure:
    """A mean over queries.

    ``slug``, ``label``: its name in files and in print.
    ``definition``: what it says, in a sentence.
    ``formula``: in plain characters.
    ``source``: the publication it comes from.
    ``per_query(ranks)``: (Q,) its value for each query.
    ``random(candidates)``: (Q,) what a random order of so many candidates gives.
    ``share``: whether the values lie in [0, 1] and are printed in percent.
    ``up``: whether greater is better.
    """

    slug: str
    label: str
    definition: str
    formula: str
    source: str
    per_query: Callable[[GoldRanks], FloatArray]
    random: Callable[[IntArray], FloatArray]
    share: bool = True
    up: bool = True


def recall_at(k: int) -> RankMeasure:
    """Success at k: with one gold passage, recall@k and success@k are one number."""

    def per_query(ranks: GoldRanks) -> FloatArray:
        return np.clip((k + 1 - ranks.lowest) / _width(ranks), 0.0, 1.0)

    return RankMeasure(
        f"recall_at_{k}",
        f"recall@{k}",
        f"Share of queries whose right passage is among the first {k}.",
        f"mean_i [rank_i <= {k}]",
        "Thai et al. 2022, section 3.1",
        per_query,
        lambda candidates: np.minimum(1.0, k / candidates),
    )


def ndcg_at(k: int) -> RankMeasure:
    """Normalised discounted cumulative gain; with one gold of gain 1 the ideal is 1."""

    def gains(most: int) -> FloatArray:
        places = np.arange(1, most + 1)
        return np.where(places <= k, 1.0 / np.log2(places + 1), 0.0)

    return RankMeasure(
        f"ndcg_at_{k}",
        f"nDCG@{k}",
        f"1 / log2(rank + 1) of the right passage, 0 beyond rank {k}.",
        f"mean_i [rank_i <= {k}] / log2(rank_i + 1)",
        "Järvelin and Kekäläinen 2002; linear gain as in trec_eval",
        lambda ranks: _expectation(ranks, gains),
        lambda candidates: _average(candidates, gains),
    )


MEAN_RANK = RankMeasure(
    "mean_rank",
    "mean rank",
    "Place of the right passage among all candidates, from 1; the mid rank where scores tie.",
    "mean_i (lowest_i + highest_i) / 2",
    "Thai et al. 2022, section 3.1",
    lambda ranks: ranks.expected,
    lambda candidates: (candidates + 1) / 2,
    share=False,
    up=False,
)

MRR = RankMeasure(
    "mrr",
    "MRR",
    "Mean reciprocal rank of the right passage.",
    "mean_i 1 / rank_i",
    "Voorhees 1999",
    lambda ranks: _expectation(ranks, _reciprocals),
    lambda candidates: _average(candidates, _reciprocals),
)

MEASURES: tuple[RankMeasure, ...] = (*(recall_at(k) for k in CUTOFFS), MEAN_RANK, MRR, ndcg_at(10))


class RankEstimate(NamedTuple):
    """A measure of some queries.

    ``measure``: what is measured.
    ``mean``: over the queries, with its interval.
    ``random``: what a random order gives for the same queries; None without any.
    """

    measure: RankMeasure
    mean: MeanEstimate
    random: float | None


def estimates(
    ranks: GoldRanks,
    seed: int,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    measures: Sequence[RankMeasure] = MEASURES,
) -> tuple[RankEstimate, ...]:
    """Every measure of these queries with its interval, all on the same resamples."""
    if not measures:
        return ()
    rows = np.stack([measure.per_query(ranks) for measure in measures])
    found = means(rows, seed, resamples, level, shares=tuple(measure.share for measure in measures))
    return tuple(
        RankEstimate(measure, mean, random_value(measure, ranks.candidates))
        for measure, mean in zip(measures, found, strict=True)
    )


def random_value(measure: RankMeasure, candidates: ArrayLike) -> float | None:
    """What a random order gives on average over queries with these numbers of candidates (Q,); exact."""
    numbers = np.asarray(candidates, dtype=np.int64)
    return float(measure.random(numbers).mean()) if numbers.size else None


def _width(ranks: GoldRanks) -> FloatArray:
    """(Q,) how many ranks the gold could have."""
    ranked = np.isfinite(ranks.lowest)
    return 1 + np.subtract(ranks.highest, ranks.lowest, out=np.zeros(len(ranked)), where=ranked)


def _reciprocals(most: int) -> FloatArray:
    return np.asarray(1.0 / np.arange(1, most + 1))


def _expectation(ranks: GoldRanks, gains: Callable[[int], FloatArray]) -> FloatArray:
    """(Q,) mean gain of the ranks lowest … highest, 0 where the gold is not ranked."""
    ranked = np.isfinite(ranks.lowest)
    low, high = ranks.lowest[ranked].astype(np.int64), ranks.highest[ranked].astype(np.int64)
    gain = gains(int(high.max(initial=0)))
    sums = np.concatenate(([0.0], np.cumsum(gain)))
    found = np.zeros(len(ranked))
    # A gold without ties takes its own gain: a difference of sums would lose its last digits.
    found[ranked] = np.where(low == high, gain[low - 1], (sums[high] - sums[low - 1]) / (high - low + 1))
    return found


def _average(candidates: IntArray, gains: Callable[[int], FloatArray]) -> FloatArray:
    sums = np.concatenate(([0.0], np.cumsum(gains(int(candidates.max(initial=0))))))
    return np.asarray(sums[candidates] / candidates)
