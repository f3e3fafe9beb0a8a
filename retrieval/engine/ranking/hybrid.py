"""Hybrid ranking: BM25 (words) and the dense encoders (meaning), fused.

    score(q, d) = 1 / (k + rank_bm25(d)) + 1 / (k + rank_dense(d))          k = 60

Cormack, Clarke and Büttcher 2009, "Reciprocal Rank Fusion outperforms Condorcet and individual rank learning
methods"; or the sum of both scores, each brought to 0 … 1 (CombSUM, Fox and Shaw 1994). A job keeps the score
and the rank of each of the two beside the fused one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from retrieval.engine.dense.ranker import DenseRanker
from retrieval.engine.ranking import fusion, rankers
from retrieval.engine.ranking.bm25 import Bm25Ranker
from retrieval.engine.ranking.order import Scores

PARTS: tuple[rankers.Ranker, ...] = (Bm25Ranker(), DenseRanker())


class HybridIndex:
    """The passages of a book, indexed by each ranker."""

    def __init__(self, indices: Mapping[str, rankers.Index], way: str, k: float) -> None:
        self.indices, self.way, self.k = indices, way, k

    def scores(self, queries: Sequence[str]) -> Scores:
        """Return fused scores (n_queries, n_passages)."""
        return self.fuse(self.parts(queries))

    def parts(self, queries: Sequence[str]) -> Mapping[str, Scores]:
        """Return the scores of each ranker, by slug."""
        return {slug: index.scores(queries) for slug, index in self.indices.items()}

    def fuse(self, parts: Mapping[str, Scores]) -> Scores:
        """Return the fused scores of what `parts` gave."""
        rows = []
        for each in zip(*parts.values(), strict=True):
            rows.append(
                fusion.reciprocal_rank(each, k=self.k) if self.way == "ranks" else fusion.combine(each)
            )
        shape = next(iter(parts.values())).shape
        return np.array(rows, dtype=np.float64).reshape(shape)


class HybridRanker:
    """Reciprocal rank fusion, or the sum of scores, of BM25 and the dense encoders."""

    slug = "hybrid"
    label = "BM25 and dense encoders, fused"
    queue: rankers.Queue = "gpu"
    parameters: Mapping[str, rankers.AnyParameter] = {
        **{name: parameter for part in PARTS for name, parameter in part.parameters.items()},
        "fusion": rankers.OneOf("ranks", ("ranks", "scores")),
        "k": rankers.Parameter(default=fusion.RRF_K, lowest=0.0, highest=10_000.0),
    }

    @property
    def defaults(self) -> Mapping[str, Any]:
        """Return the defaults of BM25 and of the dense encoders, fused by rank with k 60."""
        return rankers.defaults(self.parameters)

    def prepare(self, passages: Sequence[str], parameters: Mapping[str, object]) -> HybridIndex:
        """Prepare BM25 and the dense encoders on the same passages.

        Raises:
            BadInput: either of the two cannot be prepared.
        """
        own = {name: value for name, value in parameters.items() if name != "checkpoint"}
        values = rankers.complete(self, own)
        indices = {
            part.slug: part.prepare(
                passages, {name: parameters.get(name, values[name]) for name in part.parameters}
            )
            for part in PARTS
        }
        return HybridIndex(indices, values["fusion"], values["k"])

    def describe(self) -> Mapping[str, str]:
        """Return of each ranker its library, version, variant and tokeniser."""
        told = [part.describe() for part in PARTS]
        return {name: "; ".join(each[name] for each in told) for name in told[0]}


rankers.register(HybridRanker())
