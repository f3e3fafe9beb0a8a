"""The one rule for ties: score descending, then position ascending.

Every list, rank and pool in Variorum is made here. `argsort` alone leaves ties
in an order that changes with the machine; books repeat sentences word for word,
so ties between candidates are the rule and not the exception. Positions count
from 0, ranks from 1.

A ranker may leave a candidate unranked, with the score −∞: it stands behind all others, by position, and is
never chosen, pooled or stored.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from common.errors import BadInput

Scores = npt.NDArray[np.float64]
Positions = npt.NDArray[np.int64]
UNRANKED = -np.inf
"""The score of a candidate that a ranker does not rank, such as one that shares no word with the query."""


def top(scores: npt.ArrayLike, k: int) -> Positions:
    """Return the positions of the best `k` of `scores` (n,), best first; all n when k ≥ n.

    Equal to the first k of `np.lexsort((positions, -scores))` in O(n + k log k).

    Raises:
        BadInput: a score is NaN, the scores are not one row, or k is negative.
    """
    row = checked(scores)
    if k < 0:
        raise BadInput(f"The number of candidates asked for is {k}; it must be 0 or more.")
    if k == 0:
        return np.empty(0, dtype=np.int64)
    if k >= row.size:
        return np.argsort(-row, kind="stable").astype(np.int64)
    able = np.flatnonzero(row >= _floor(row, k))
    best = row[able]
    border = np.partition(best, best.size - k)[best.size - k]
    # Of the candidates tied at the border argpartition would keep any; the rule wants the first.
    above = np.flatnonzero(best > border)
    level = np.flatnonzero(best == border)[: k - above.size]
    kept = np.sort(np.concatenate((above, level)))
    return able[kept[np.argsort(-best[kept], kind="stable")]].astype(np.int64)


def tops(scores: npt.NDArray[Any], k: int) -> Positions:
    """Return `top` of every row of `scores` (q, n): (q, min(k, n)), faster for many rows and k far below n.

    The floors of all rows are found at once, and float32 is ordered as it is.

    Raises:
        BadInput: as `top`.
    """
    number, width = scores.shape
    strips = 4 * k
    depth = width // strips if k > 0 else 0
    if depth < 2:
        return np.array([top(row, k) for row in scores], dtype=np.int64).reshape(
            number, min(max(k, 0), width)
        )
    maxima = scores[:, : depth * strips].reshape(number, depth, strips).max(axis=1)
    floors = np.partition(maxima, strips - k, axis=1)[:, strips - k]
    found = np.empty((number, k), dtype=np.int64)
    for at, row in enumerate(scores):
        # A NaN is no smaller than any floor, so it stays here.
        able = np.flatnonzero(~(row < floors[at]))
        best = row[able]
        if np.isnan(best).any():
            raise BadInput("A score is not a number; every score must be one.")
        found[at] = able[np.argsort(-best, kind="stable")[:k]]
    return found


def _floor(row: Scores, k: int) -> float:
    """A score that at least k candidates reach: the k-th best of the maxima of strips of the row.

    A pass of maxima and a small partition cost a fraction of partitioning the row.
    """
    strips = 8 * k
    depth = row.size // strips
    if depth < 2:
        return -np.inf
    maxima = row[: depth * strips].reshape(depth, strips).max(axis=0)
    return float(np.partition(maxima, strips - k)[strips - k])


def ranked(scores: npt.ArrayLike, k: int) -> Positions:
    """Return `top` without the candidates that are not ranked: those that may be listed, at most `k`.

    Raises:
        BadInput: as `top`.
    """
    row = checked(scores)
    best = top(row, k)
    return best[row[best] > UNRANKED]


def walk(scores: npt.ArrayLike, *, chunk: int = 64) -> Iterator[int]:
    """Yield the position of every ranked candidate of `scores` (n,), best first, sorting only as far as it is
    followed.
    """
    row = checked(scores)
    given, number = 0, int(np.count_nonzero(row > UNRANKED))
    while given < number:
        yield from ranked(row, chunk)[given:].tolist()
        given, chunk = chunk, chunk * 4


def rank(scores: npt.ArrayLike, position: int) -> int:
    """Return the rank of the candidate at `position` under the tie rule, without sorting."""
    row = checked(scores)
    score = row[_inside(row, position)]
    return 1 + int(np.count_nonzero(row > score)) + int(np.count_nonzero(row[:position] == score))


def checked(scores: npt.ArrayLike) -> Scores:
    """Return the scores as one float64 row. Raises `BadInput`.

    Raises:
        BadInput: a score is NaN, or there is more than one row.
    """
    row = np.asarray(scores, dtype=np.float64)
    if row.ndim != 1:
        raise BadInput(f"Scores must be one row of numbers, not an array of shape {row.shape}.")
    if np.isnan(row).any():
        position = int(np.flatnonzero(np.isnan(row))[0])
        raise BadInput(f"The score of candidate {position} is not a number; every score must be one.")
    return row


def _inside(row: Scores, position: int) -> int:
    if not 0 <= position < row.size:
        raise BadInput(f"There is no candidate {position}: the {row.size:,} positions count from 0.")
    return position
