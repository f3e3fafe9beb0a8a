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
    """The passages as rows of unit length, each word with its postings.

    Args:
        passages: The counts.
        weights: (n_terms,), by which counts are multiplied.
    """

    def __init__(self, passages: terms.Passages, weights: Weights) -> None:
        self._passages, self._weights = passages, weights
        self._postings = unit(terms.weighted(passages.counts, weights)).T.tocsr()

    def scores(self, queries: Sequence[str]) -> Scores:
        """Return the cosines (n_queries, n_passages); each row is computed by itself."""
        asked = unit(terms.weighted(self._passages.queries(queries), self._weights))
        return np.asarray((asked @ self._postings).toarray(), dtype=np.float64)


def unit(rows: Matrix) -> Matrix:
    """Return the rows with Euclidean length 1; a row of zeros stays one."""
    return scaled(rows, rows.multiply(rows).sum(axis=1))


def scaled(rows: Matrix, squares: Weights) -> Matrix:
    """Return the rows divided by the roots of their squares (n_rows,), 0 where a square is not above 0."""
    data = rows.data * np.repeat(inverse_roots(squares), np.diff(rows.indptr))
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
