"""The documents nearest to some queries: exact, in blocks, with the same answer on a CPU and on a GPU.

    score(q, d) = Σ_i q_i · d_i in float64, q as encoded (float32), d as kept (float16)

A product of matrices in float32 sorts out what cannot be among the best k: its error is at most
γ = n·u / (1 − n·u) times the norms of both vectors, whatever the order of addition (n numbers, u = 2⁻²⁴;
Higham 2002, "Accuracy and Stability of Numerical Algorithms", section 3.1). What is left, a few more than k,
is scored anew in float64, row by row, so that equal vectors have equal scores to the last bit. The order is
that of `ranking.order`: score descending, then document number ascending, also at the cut.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from common.errors import BadInput
from common.progress import Progress, silent
from retrieval.engine.nearest.kept import Matrix, Stored
from retrieval.engine.ranking import order

Product = Callable[[Stored], Matrix]
"""Called with vectors (b, width); gives their float32 scores for every query, (q, b)."""

QUERIES = 512
"""Queries compared in one go through the vectors."""
BLOCK = 16_384
"""Documents compared at once: their scores take QUERIES · BLOCK · 4 bytes, 34 MB."""
_EXACT = 2_048
"""Documents scored anew at once."""


class Nearest(NamedTuple):
    """What was found for a query.

    numbers: (n,) documents, best first.
    scores: (n,) their scores.
    """

    numbers: order.Positions
    scores: order.Scores


def nearest(
    vectors: Stored,
    queries: Matrix,
    k: int,
    *,
    rows: order.Positions | None = None,
    device: str = "cpu",
    progress: Progress = silent,
) -> list[Nearest]:
    """Return the best `k` documents for each query.

    Args:
        vectors: (documents, width), mapped or in memory.
        queries: (q, width).
        k: Fewer are found only where there are fewer documents.
        rows: Numbers of the documents that are searched, ascending; None for all.
        device: Where the products are computed: "cpu" or "cuda".
        progress: Called after each block with documents compared; it may raise to stop.

    Raises:
        BadInput: k is below 1, the widths differ, or a query is not finite.
    """
    if k < 1:
        raise BadInput(f"The number of documents asked for is {k}; it must be 1 or more.")
    if queries.ndim != 2 or queries.shape[1] != vectors.shape[1]:
        raise BadInput(
            f"The queries have the shape {queries.shape}, but a document has {vectors.shape[1]} numbers; "
            "both must come of one encoder."
        )
    if not np.isfinite(queries).all():
        raise BadInput("The encoder gave a query no finite vector; its weights are damaged.")
    found: list[Nearest] = []
    number = len(vectors) if rows is None else len(rows)
    for first in range(0, len(queries), QUERIES):
        part = queries[first : first + QUERIES]

        def told(done: int, of: int, stage: str, goes: int = first // QUERIES) -> None:
            progress(goes * of + done, -(-len(queries) // QUERIES) * of, stage)

        able = _sorted_out(vectors, part, k, rows, number, device, told)
        found += [_exact(vectors, query, each, k) for query, each in zip(part, able, strict=True)]
    return found


def _sorted_out(
    vectors: Stored,
    queries: Matrix,
    k: int,
    rows: order.Positions | None,
    number: int,
    device: str,
    progress: Progress,
) -> list[order.Positions]:
    """The documents of each query that may be among its best k, ascending.

    The k-th best by float32 is at most one error below the k-th best in truth; a document that is among these
    is at most one error below that: so nothing is lost that is within two errors of the k-th best.
    """
    multiply = _product(queries, device)
    norms = np.sqrt((queries.astype(np.float64) ** 2).sum(axis=1))
    unit = (vectors.shape[1] + 4) * 2.0**-24
    gamma = 1.001 * unit / (1 - unit)
    able = [_Able(k) for _ in queries]
    largest = 0.0
    for start in range(0, number, BLOCK):
        part = slice(start, min(start + BLOCK, number))
        numbers = np.arange(part.start, part.stop) if rows is None else rows[part]
        block = vectors[part] if rows is None else vectors[numbers]
        lengths = np.square(block, dtype=np.float32).sum(axis=1, dtype=np.float64)
        largest = max(largest, float(np.sqrt(lengths.max())))
        errors = gamma * norms * largest * 1.001 + 1e-30
        for each, scores, error in zip(able, multiply(block), errors.tolist(), strict=True):
            each.add(numbers, scores, error)
        progress(start + len(block), number, "comparing, documents")
    return [each.numbers for each in able]


class _Able:
    """What is left for one query: documents within two errors of the k-th best so far."""

    def __init__(self, k: int) -> None:
        self._k, self._best = k, -np.inf
        self.numbers: order.Positions = np.empty(0, dtype=np.int64)
        self._scores: Matrix = np.empty(0, dtype=np.float32)

    def add(self, numbers: order.Positions, scores: Matrix, error: float) -> None:
        """Take in a block; `error` bounds that of every score until now."""
        # A block of longer vectors has a greater error than those before it: the floor sinks with it.
        able = np.flatnonzero(scores >= self._floor(error))
        self.numbers = np.concatenate((self.numbers, numbers[able]))
        self._scores = np.concatenate((self._scores, scores[able]))
        if self.numbers.size > self._k:
            self._best = float(np.partition(self._scores, -self._k)[-self._k])
            left = self._scores >= self._floor(error)
            self.numbers, self._scores = self.numbers[left], self._scores[left]

    def _floor(self, error: float) -> np.float32:
        """Two errors below the k-th best, rounded down: a comparison in float32 leaves nothing out."""
        floor: np.float32 = np.nextafter(np.float32(self._best - 2 * error), np.float32(-np.inf))
        return floor


def _exact(vectors: Stored, query: Matrix, numbers: order.Positions, k: int) -> Nearest:
    scores = np.concatenate(
        [exact_scores(vectors[numbers[at : at + _EXACT]], query) for at in range(0, numbers.size, _EXACT)]
        or [np.empty(0)]
    )
    best = order.top(scores, k)
    return Nearest(numbers[best], scores[best])


def exact_scores(vectors: Stored, query: Matrix) -> order.Scores:
    """Return the scores (n,) of vectors (n, width) in float64; equal rows have equal ones, bit by bit."""
    # No product of a matrix: that adds up its last rows in another order than the others.
    found: order.Scores = (vectors.astype(np.float64) * query.astype(np.float64)).sum(axis=1)
    return found


def _product(queries: Matrix, device: str) -> Product:
    if device == "cuda":
        from retrieval.engine.nearest.gpu import product

        return product(queries)
    return lambda block: queries @ block.astype(np.float32).T
