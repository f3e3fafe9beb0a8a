"""Fuse several rankings of the same candidates into one.

Everything takes rows of scores (n,), one a ranker, and gives one row of scores (n,) back, greater is better,
so that the result is ranked, searched and pooled like any ranker's own, under the same rule for ties.

    reciprocal rank fusion   Σ_j 1 / (k + rank_j), k = 60    Cormack, Clarke and Büttcher 2009
    score fusion             Σ_j normalised score_j (CombSUM)  Fox and Shaw 1994; Lee 1997
    alternating              the first of each ranker in turn, then the second of each …

A candidate that one ranker does not rank (−∞) gets nothing from it: no reciprocal rank, no turn, and of
scores what its worst gets. One that none of them ranks stays unranked.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from math import fsum, isfinite
from typing import Literal

import numpy as np
import numpy.typing as npt

from common.errors import BadInput
from retrieval.engine.ranking import order
from retrieval.engine.ranking.order import Positions, Scores

RRF_K = 60
Normalisation = Literal["min-max", "z"]


def ranks(scores: npt.ArrayLike) -> Positions:
    """Return the rank of every candidate of `scores` (n,), from 1, under the tie rule."""
    row = order.checked(scores)
    places = np.empty(row.size, dtype=np.int64)
    places[np.argsort(-row, kind="stable")] = np.arange(1, row.size + 1)
    return places


def reciprocal_rank(rows: Sequence[npt.ArrayLike], *, k: float = RRF_K) -> Scores:
    """Return Σ over the rankers of 1 / (k + rank).

    Raises:
        BadInput: there is no row, lengths differ, a score is NaN, or k is negative.
    """
    checked = _checked(rows)
    if not k >= 0:
        raise BadInput(f"The k of reciprocal rank fusion is {k:g}; it must be 0 or more.")
    fused = np.zeros(checked[0].size)
    for row in checked:
        fused += np.where(row > order.UNRANKED, 1 / (k + ranks(row)), 0)
    return _without_unranked(fused, checked)


def reciprocal_rank_of_lists(lists: Sequence[Sequence[int]], *, k: float = RRF_K) -> list[tuple[int, float]]:
    """Return what is in any of these lists of numbers, best first, by Σ 1 / (k + rank).

    A list that does not have a number adds nothing for it. Sums are rounded once, so that the order of the
    lists changes no bit; ties go to the smaller number.

    Raises:
        BadInput: k is negative or not finite.
    """
    if not (k >= 0 and isfinite(k)):
        raise BadInput(f"The k of reciprocal rank fusion is {k:g}; it must be 0 or more.")
    shares: defaultdict[int, list[float]] = defaultdict(list)
    for each in lists:
        for place, number in enumerate(each, 1):
            shares[number].append(1 / (k + place))
    rows = ((number, fsum(found)) for number, found in shares.items())
    return sorted(rows, key=lambda row: (-row[1], row[0]))


def combine(rows: Sequence[npt.ArrayLike], *, normalise: Normalisation = "min-max") -> Scores:
    """Return the sum of the rows, each brought to one scale; a row of equal scores adds nothing.

    `min-max` maps a row to 0 … 1, `z` to mean 0 and standard deviation 1.

    Raises:
        BadInput: as for `reciprocal_rank`; a score is infinite; the normalisation is unknown.
    """
    if normalise not in ("min-max", "z"):
        raise BadInput(f"There is no normalisation {normalise!r}; choose min-max or z.")
    checked = _checked(rows)
    fused = np.zeros(checked[0].size)
    for row in checked:
        known = row[row > order.UNRANKED]
        if np.isinf(known).any():
            raise BadInput("A score is infinite; scores can be added only when all are finite.")
        spread = float(np.ptp(known)) if known.size else 0.0
        if spread:
            low, scale = (known.min(), spread) if normalise == "min-max" else (known.mean(), known.std())
            fused += (np.maximum(row, known.min()) - low) / scale
    return _without_unranked(fused, checked)


def alternating(rows: Sequence[npt.ArrayLike]) -> Scores:
    """Let the rankers take turns, each with its next candidate that was not taken already.

    Candidate i comes at min over j of m · (rank_j(i) − 1) + j, with m rankers; the score is its negative.
    """
    checked = _checked(rows)
    turns = np.stack(
        [
            np.where(row > order.UNRANKED, len(checked) * (ranks(row) - 1) + turn, np.inf)
            for turn, row in enumerate(checked)
        ]
    )
    return np.asarray(-turns.min(axis=0), dtype=np.float64)


def _without_unranked(fused: Scores, rows: Sequence[Scores]) -> Scores:
    return np.where(np.max(rows, axis=0) > order.UNRANKED, fused, order.UNRANKED)


def _checked(rows: Sequence[npt.ArrayLike]) -> list[Scores]:
    checked = [order.checked(row) for row in rows]
    if not checked:
        raise BadInput("There is no ranking to fuse; give at least one row of scores.")
    sizes = sorted({row.size for row in checked})
    if len(sizes) > 1:
        raise BadInput(
            f"The rankings have {sizes[0]:,} and {sizes[-1]:,} scores; all must rank the same candidates."
        )
    return checked
