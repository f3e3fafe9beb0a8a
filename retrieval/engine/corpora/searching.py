"""Search a corpus by weighted terms.

    score(d) = Σ over the terms t of the query, in alphabetical order, of weight(t) · BM25 weight(t, d)

The order of addition does not depend on the order of the query, so equal queries give equal bits. Found are
documents with a score above 0 only (documents that have a term that counts), score descending, then number
ascending: `ranking.order` says the rule for all of Variorum, and it holds at the cut as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np
import numpy.typing as npt

from common.errors import BadInput
from common.progress import Progress, silent
from retrieval.engine.corpora.index import CorpusIndex, Subset, whole
from retrieval.engine.corpora.weighting import Bm25Settings
from retrieval.engine.ranking import order

TIES = "score descending, then document number ascending"
_AT_A_TIME = 2**16
"""Postings weighed at once: what is made of them stays in the processor's cache."""
_FEW = 32
"""Where a query's postings are fewer than this part of the documents, the others are not looked at."""
_NONE: npt.NDArray[np.int32] = np.empty(0, dtype=np.int32)
_Known = list[tuple[int, float, int]]
"""Number, weight and frequency of each term of a query that some searched document has."""

Query = Mapping[str, float]
"""The weight of each term; `Tokeniser.query` makes one of a text."""


@dataclass(frozen=True)
class Found:
    """What a search found.

    numbers: (n,) the best documents, best first.
    scores: (n,) their scores.
    matched: how many documents have a score above 0.
    unknown: the terms of the query that no searched document has, with their weights, in alphabetical order.
    """

    numbers: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float64]
    matched: int
    unknown: Mapping[str, float]

    def run(self) -> list[tuple[int, float]]:
        """Return pairs of a document's number and its score, best first."""
        return list(zip(self.numbers.tolist(), self.scores.tolist(), strict=True))


class Searcher:
    """An index, or a subset of its documents, searched by one variant of BM25.

    It keeps a score and a norm for each document, 16 bytes, so it serves one search at a time: give each
    thread its own.
    """

    def __init__(
        self, index: CorpusIndex, settings: Bm25Settings | None = None, subset: Subset | None = None
    ) -> None:
        self.index = index
        self.settings = settings or Bm25Settings()
        self.subset = subset or whole(index)
        self._norms = self.settings.norms(index.lengths, self.subset.mean_length)
        if self.subset.mask is not None:
            # A document of infinite length: its weights are 0, and no search has to ask who belongs.
            self._norms[~self.subset.mask] = np.inf
        self._scores = np.zeros(len(index))

    def frequency(self, term: str) -> int:
        """Return in how many of the searched documents a term stands."""
        number = self.index.vocabulary.number(term)
        return 0 if number is None else int(self.subset.frequencies[number])

    def search(self, query: Query, k: int) -> Found:
        """Return the best `k` documents of a weighted query.

        A query without a known term finds nothing.

        Raises:
            BadInput: k is below 1, or a weight is negative or not finite.
        """
        if k < 1:
            raise BadInput(f"The number of documents asked for is {k}; it must be 1 or more.")
        known, unknown = self._looked_up(query)
        try:
            base = self._add(known)
            numbers, scores, matched = self._best(known, k)
        finally:
            self._wipe(known)
        return Found(numbers, scores + base, matched, unknown)

    def search_all(self, queries: Sequence[Query], k: int, progress: Progress = silent) -> Iterator[Found]:
        """Yield the best `k` documents of each query, in their order; raises as `search`.

        progress: called after each with queries done and in all; it may raise to stop.
        """
        for done, query in enumerate(queries, 1):
            yield self.search(query, k)
            progress(done, len(queries), "Searching")

    def describe(self) -> dict[str, Any]:
        """Return what a run stores to be repeatable: index, terms, variant, parameters, subset, ties."""
        return {
            "index": self.index.manifest.digest,
            "texts_sha256": self.index.manifest.texts_sha256,
            "tokens": self.index.manifest.settings.as_json(),
            "bm25": self.settings.as_json(),
            "subset": self.subset.describe(),
            "scores": "float64",
            "ties": TIES,
        }

    def _looked_up(self, query: Query) -> tuple[_Known, dict[str, float]]:
        """The number, weight and frequency of each known term, and the weights of the unknown ones."""
        known: _Known = []
        unknown: dict[str, float] = {}
        for term, weight in sorted(query.items()):
            if not (isfinite(weight) and weight >= 0):
                raise BadInput(f"The weight of {term!r:.60} is {weight}; it must be 0 or a positive number.")
            number = self.index.vocabulary.number(term)
            frequency = 0 if number is None else int(self.subset.frequencies[number])
            if number is None or not frequency:
                unknown[term] = weight
            else:
                known.append((number, weight, frequency))
        return known, unknown

    def _add(self, known: _Known) -> float:
        """Add the weights of the terms to the scores; return what every document found has besides."""
        base = 0.0
        scores, norms, settings = self._scores, self._norms, self.settings
        for number, weight, frequency in known:
            idf = settings.idf(frequency, self.subset.documents)
            base += weight * settings.absent(idf)
            documents, counts = self.index.postings(number)
            for start in range(0, documents.size, _AT_A_TIME):
                part = slice(start, start + _AT_A_TIME)
                rows = documents[part].astype(np.intp)
                np.add.at(scores, rows, settings.weigh(counts[part], norms.take(rows), idf * weight))
        return base

    def _best(self, known: _Known, k: int) -> tuple[order.Positions, order.Scores, int]:
        """Return the best k documents with a score, best first, their scores, and how many have one."""
        if self._many(known):
            best = order.top(self._scores, k)
            scores = self._scores[best]
            found = scores > 0
            return best[found], scores[found], int(np.count_nonzero(self._scores > 0))
        rows = np.unique(
            np.concatenate([self.index.postings(number)[0] for number, _, _ in known] or [_NONE])
        )
        able = rows[self._scores[rows] > 0].astype(np.int64)
        scores = self._scores[able]
        best = order.top(scores, k)
        return able[best], scores[best], able.size

    def _wipe(self, known: _Known) -> None:
        if self._many(known):
            self._scores.fill(0)
        else:
            for number, _, _ in known:
                self._scores[self.index.postings(number)[0]] = 0

    def _many(self, known: _Known) -> bool:
        """Whether it is quicker to go through all documents than through those of the query."""
        return sum(self.index.postings(number)[0].size for number, _, _ in known) * _FEW > self._scores.size
