"""Rankings judged by grades, as trec_eval counts them: recall@k, reciprocal rank, nDCG@k.

Order: score descending, ties by document id descending (trec_eval's rule, which the numbers of other papers
follow; our own rankings go by position, see the ranks of the gold). Documents without a judgment and negative
grades are 0; relevant is a grade of ``level`` or more. nDCG has linear gain g / log2(i + 1) and its ideal is
made of all judged documents of the query, retrieved or not. Recall divides by all relevant ones. Queries
without a relevant document are excluded and counted, where trec_eval would score them 0.

Järvelin and Kekäläinen (2002); trec_eval 9.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evaluation.metrics.nominal.table import BoolArray, FloatArray, IntArray
from evaluation.metrics.ranking.gold_ranks import CUTOFFS


class Graded(NamedTuple):
    """Measures of the Q' queries that count.

    ``values``: (Q',) each, by name (``recall_at_10``, ``ndcg_at_10``, ``mrr``).
    ``queries`` (Q',): their positions.
    ``n_excluded``: queries without a relevant document.
    ``n_tied``: of those that count, queries in which two retrieved documents have one score.
    """

    values: dict[str, FloatArray]
    queries: IntArray
    n_excluded: int
    n_tied: int


def graded(
    scores: ArrayLike,
    grades: ArrayLike,
    judged: ArrayLike | None = None,
    *,
    ids: ArrayLike | None = None,
    level: float = 1,
    cutoffs: tuple[int, ...] = CUTOFFS,
) -> Graded:
    """Measures of Q queries with up to D retrieved documents each.

    Args:
        scores: (Q, D); −inf is no document (padding, or not retrieved).
        grades: (Q, D) of the same documents; NaN is unjudged.
        judged: (Q, J) grades of all judged documents, NaN padding; by default those in ``grades``.
        ids: (Q, D) or (D,) integers in the order of the documents' ids; the column by default.
        level: the least grade that is relevant, above 0.

    Raises ValueError for shapes that do not match, NaN scores, and a level of 0 or less.
    """
    rows, given = np.asarray(scores, dtype=np.float64), _grades(grades)
    every = given if judged is None else _grades(judged)
    if rows.ndim != 2 or rows.shape != given.shape or every.ndim != 2 or len(every) != len(rows):
        raise ValueError(
            "scores and grades must be (queries, documents), judged (queries, judged documents)."
        )
    if np.isnan(rows).any():
        raise ValueError("scores must not hold NaN.")
    if level <= 0:
        raise ValueError(f"level must be above 0, not {level}.")
    relevant = (every >= level).sum(axis=1)
    kept = np.flatnonzero(relevant)
    rows, every, relevant = rows[kept], every[kept], relevant[kept]
    keys = np.arange(rows.shape[1]) if ids is None else np.asarray(ids)
    keys = keys[kept] if keys.ndim == 2 else np.broadcast_to(keys, rows.shape)
    placed = np.lexsort((-keys, -rows), axis=-1)
    in_order = np.take_along_axis(rows, placed, axis=1)
    ranked = np.take_along_axis(np.where(np.isneginf(rows), 0.0, given[kept]), placed, axis=1)
    values = {f"recall_at_{k}": (ranked[:, :k] >= level).sum(axis=1) / relevant for k in cutoffs}
    values["mrr"] = _reciprocal(ranked >= level)
    values |= {f"ndcg_at_{k}": _ndcg(ranked, every, k) for k in cutoffs}
    tied = (in_order[:, 1:] == in_order[:, :-1]) & np.isfinite(in_order[:, 1:])
    n_excluded = len(np.asarray(scores)) - len(kept)
    return Graded(values, kept, n_excluded, int(tied.any(axis=1).sum()))


def _grades(values: ArrayLike) -> FloatArray:
    return np.maximum(np.nan_to_num(np.asarray(values, dtype=np.float64), nan=0.0), 0.0)


def _reciprocal(hits: BoolArray) -> FloatArray:
    if not hits.shape[1]:
        return np.zeros(len(hits))
    return np.where(hits.any(axis=1), 1.0 / (1 + hits.argmax(axis=1)), 0.0)


def _ndcg(ranked: FloatArray, every: FloatArray, k: int) -> FloatArray:
    ideal = _dcg(-np.sort(-every, axis=1), k)
    return np.divide(_dcg(ranked, k), ideal, out=np.zeros(len(ideal)), where=ideal > 0)


def _dcg(grades: FloatArray, k: int) -> FloatArray:
    first = grades[:, :k]
    return np.asarray(first @ (1.0 / np.log2(np.arange(2, first.shape[1] + 2))))
