"""BOWemb and TfIdfemb: the cosine of two texts' averaged word vectors.

    v(s) = Σ_w share(w, s) · weight(w) · v(w)      share: of w among the words of s that have a vector
    BOWemb: weight 1        TfIdfemb: weight idf(w) = ln(D / (1 + df(w))), eq. 6
    score(s, t) = cos(v(s), v(t))

Manjavacas, Long and Kestemont 2019, "On the Feasibility of Automated Detection of Allusive Text Reuse",
section 5.2, after Wieting et al. 2015. Vectors are averaged as they are given, without bringing them to one
length first. A cosine does not change with the sum of the weights, so nothing is divided by it. A word of
the query that no passage has counts by its vector, with df 0. A text without an average (no word has a
vector, or all weights are 0) is not ranked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from retrieval.engine.ranking import order, rankers
from retrieval.engine.ranking.order import Scores
from retrieval.engine.similarity.embedded import PARAMETERS, Embedded, read, unit
from retrieval.engine.text.tokens import TOKENISER


class AverageIndex:
    """The distinct passages' averages, with length 1.

    Args:
        embedded: The passages.
        weighted: Whether words are weighted by their idf.
    """

    def __init__(self, embedded: Embedded, *, weighted: bool) -> None:
        self._embedded, self._weighted = embedded, weighted
        vectors = embedded.of_rows(embedded.rows)
        vectors = vectors * embedded.idf[:, None] if weighted else vectors
        self._averages = unit(np.asarray(embedded.shares @ vectors))
        self._unranked = ~self._averages.any(axis=1)

    def scores(self, queries: Sequence[str]) -> Scores:
        """Return cosines (n_queries, n_passages), −∞ where one of the two has no average.

        Each passage is compared by itself, so the bits are the same in whatever company. As a product of
        matrices it would be shared among threads, and slower where other work shares the cores.
        """
        rows = [self._row(query) for query in queries]
        return np.array(rows, dtype=np.float64).reshape(len(queries), len(self._embedded.which))

    def _row(self, query: str) -> Scores:
        rows, shares = self._embedded.bag(query)
        if self._weighted:
            known, columns = self._embedded.columns(rows)
            idf = np.full(len(rows), self._embedded.absent)
            idf[known] = self._embedded.idf[columns]
            shares = shares * idf
        average = unit((shares @ self._embedded.of_rows(rows))[None])[0]
        found = np.vecdot(self._averages, average)
        found[self._unranked | (not average.any())] = order.UNRANKED
        return np.asarray(found[self._embedded.which])


class BowEmbRanker:
    """The cosine of averaged word vectors."""

    slug = "bow-emb"
    label = "Averaged word vectors"
    queue: rankers.Queue = "cpu"
    parameters = PARAMETERS
    weighted = False

    @property
    def defaults(self) -> Mapping[str, Any]:
        """Return the defaults: tokens, no stop list, the only word vectors there are."""
        return rankers.defaults(self.parameters)

    def prepare(self, passages: Sequence[str], parameters: Mapping[str, object]) -> AverageIndex:
        """Average the vectors of each passage's words.

        Raises:
            BadInput: a parameter is wrong or missing, there is no passage, or no word of any has a vector.
        """
        embedded, _ = read(self, passages, parameters)
        return AverageIndex(embedded, weighted=self.weighted)

    def describe(self) -> Mapping[str, str]:
        """Return library, version, variant and tokeniser."""
        return {
            "library": "numpy",
            "version": np.__version__,
            "variant": "cosine of vectors averaged as given" + ", by idf ln(D / (1 + df))" * self.weighted,
            "tokeniser": TOKENISER,
        }


class TfIdfEmbRanker(BowEmbRanker):
    """The cosine of averaged word vectors, each multiplied by the idf of its word."""

    slug = "tfidf-emb"
    label = "Averaged word vectors by tf-idf"
    weighted = True


rankers.register(BowEmbRanker())
rankers.register(TfIdfEmbRanker())
