"""BOW and TfIdf: the cosine of two texts as bags of words.

    cos(s, t)  = Σ_w s_w t_w / (√Σ_w s_w² · √Σ_w t_w²)
    BOW:   s_w = tf(w, s), how often the text has the word
    TfIdf: s_w = tf(w, s) · idf(w), with the idf of `terms`

Manjavacas, Long and Kestemont 2019, "On the Feasibility of Automated Detection of Allusive Text Reuse",
section 5.1, eq. 6 and 7. A text without a weight (no word, or none that tells passages apart) has no
direction: its cosine with everything is 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy
from scipy import sparse

from retrieval.engine.ranking import rankers
from retrieval.engine.ranking.order import Scores
from retrieval.engine.similarity import terms
from retrieval.engine.similarity.terms import Matrix, Weights
from retrieval.engine.text.tokens import TOKENISER


class BagIndex:
    """The passages as weighted counts, each word with its postings.

    Args:
        passages: The counts.
        weights: (n_terms,), by which counts are multiplied.
    """

    def __init__(self, passages: terms.Passages, weights: Weights) -> None:
        self._passages, self._weights = passages, weights
        rows = terms.weighted(passages.counts, weights)
        self._postings, self._squares = rows.T.tocsr(), squares(rows)

    def scores(self, queries: Sequence[str]) -> Scores:
        """Return the cosines (n_queries, n_passages); each row is computed by itself."""
        asked = terms.weighted(self._passages.queries(queries), self._weights)
        found = asked @ self._postings
        of = np.repeat(squares(asked), np.diff(found.indptr)) * self._squares[found.indices]
        # The root of a quotient, not a quotient of roots: of whole counts equal cosines are equal in every
        # bit, and which of two passages stands first is no matter of rounding.
        quotients = np.divide(found.data**2, of, out=np.zeros_like(found.data), where=of > 0)
        found.data = np.copysign(np.sqrt(quotients), found.data)
        return np.asarray(found.toarray(), dtype=np.float64)


def squares(rows: Matrix) -> Weights:
    """Return the square of the Euclidean length of each row (n_rows,)."""
    return np.asarray(rows.multiply(rows).sum(axis=1), dtype=np.float64)


def scaled(rows: Matrix, lengths: Weights) -> Matrix:
    """Return the rows divided by the roots of `lengths` (n_rows,), 0 where one is not above 0."""
    data = rows.data * np.repeat(inverse_roots(lengths), np.diff(rows.indptr))
    return sparse.csr_array((data, rows.indices, rows.indptr), shape=rows.shape)


def inverse_roots(squares: Weights) -> Weights:
    """Return 1 / √x of each, 0 where x is not above 0."""
    factors = np.zeros(squares.shape)
    above = squares > 0
    factors[above] = 1 / np.sqrt(squares[above])
    return factors


class BowRanker:
    """The cosine of the counts of words."""

    slug = "bow"
    label = "Bag of words, cosine"
    queue: rankers.Queue = "cpu"
    parameters = terms.PARAMETERS
    variant = "cosine of counts"
    nothing = 0.0

    @property
    def defaults(self) -> Mapping[str, Any]:
        """Return the defaults: tokens, no stop list."""
        return rankers.defaults(self.parameters)

    def prepare(self, passages: Sequence[str], parameters: Mapping[str, object]) -> BagIndex:
        """Count the terms of the passages and weigh them.

        Raises:
            BadInput: a parameter is wrong or missing, there is no passage, or no word in any.
        """
        found = terms.read(passages, terms.reading(terms.complete(self, parameters)))
        return BagIndex(found, self.weights(found))

    def weights(self, passages: terms.Passages) -> Weights:
        """Return what the counts of each term are multiplied by (n_terms,)."""
        return np.ones(len(passages.vocabulary))

    def describe(self) -> Mapping[str, str]:
        """Return library, version, variant and tokeniser."""
        return {
            "library": "scipy",
            "version": scipy.__version__,
            "variant": self.variant,
            "tokeniser": TOKENISER,
        }


class TfIdfRanker(BowRanker):
    """The cosine of the counts of words, each multiplied by the idf of its word."""

    slug = "tfidf"
    label = "Tf-idf, cosine"
    variant = "cosine of counts times ln(D / (1 + df))"

    def weights(self, passages: terms.Passages) -> Weights:
        """Return the idf of each term (n_terms,)."""
        return passages.idf()


rankers.register(BowRanker())
rankers.register(TfIdfRanker())
