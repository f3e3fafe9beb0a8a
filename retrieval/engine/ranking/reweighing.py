"""One BM25 index weighed anew for other k1 and b: a grid of them counts its passages once."""

from __future__ import annotations

from retrieval.engine.ranking.bm25 import Bm25, Counts


class Reweighed(Bm25):
    """`Bm25` that keeps its counts, so that `weigh` changes k1 and b; equal to a new `Bm25` in every bit."""

    def __init__(self, counts: Counts) -> None:
        super().__init__(counts)

    def weigh(self, k1: float, b: float) -> None:
        """Take other parameters: a pass over the postings, where a new index also counts and sorts them."""
        self.k1, self.b = k1, b
        self.__dict__.pop("_matrix", None)
        self._weigh()

    def _weigh(self) -> None:
        counts = self._counts
        super()._weigh()
        self._counts = counts
