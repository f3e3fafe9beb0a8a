"""Texts as shares of words that have a vector: what averages and transports are made of.

Words without a vector are left out, and so are words whose vector is zero, which have no direction. A query
keeps words that no passage has, if they have a vector. Passages with the same shares are one text: they are
compared once and tie, wherever they stand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from common.errors import BadInput
from retrieval.engine.ranking import rankers
from retrieval.engine.ranking.order import Positions
from retrieval.engine.similarity import terms
from retrieval.engine.similarity.terms import Matrix, Passages, Reading, Weights
from retrieval.engine.words.vectors import WordVectors

Vectors = npt.NDArray[np.float64]

VECTORS = "vectors"
PARAMETERS: Mapping[str, rankers.AnyParameter] = {**terms.PARAMETERS, VECTORS: rankers.Named("word vectors")}
"""What every ranker takes that needs word vectors."""


class Bag(NamedTuple):
    """The words of a text that have a vector; none where no word has.

    rows: (m,) of the vectors, ascending.
    shares: (m,) of these words in all of them; they add up to 1.
    """

    rows: Positions
    shares: Weights


@dataclass(frozen=True)
class Embedded:
    """The passages of a collection as shares of words that have a vector.

    reading: how they were read, and queries are.
    vectors: of all words.
    rows: (n_words,) of the vectors of the passages' words, ascending.
    idf: (n_words,) of these words, eq. 6.
    absent: the idf of a word that no passage has.
    shares: (n_distinct, n_words), canonical CSR; each row adds up to 1, or is empty.
    which: (n_passages,) the row of `shares` that each passage is.
    """

    reading: Reading
    vectors: WordVectors
    rows: Positions
    idf: Weights
    absent: float
    shares: Matrix
    which: Positions

    def bag(self, text: str) -> Bag:
        """Return the words of a text that have a vector, whether passages have them or not."""
        rows = self.vectors.rows(self.reading.terms(text))
        found, counts = np.unique(rows[rows >= 0], return_counts=True)
        able = has_direction(self.of_rows(found))
        counts = counts[able]
        return Bag(found[able], counts / max(1, counts.sum()))

    def of_rows(self, rows: Positions) -> Vectors:
        """Return the vectors of these rows (n, width), as they were given."""
        return np.asarray(self.vectors.matrix[rows], dtype=np.float64)

    def columns(self, rows: Positions) -> tuple[Positions, Positions]:
        """Return which of these rows are words of the passages (n,), and the column of each."""
        at = np.minimum(np.searchsorted(self.rows, rows), len(self.rows) - 1)
        known = np.flatnonzero(self.rows[at] == rows)
        return known, at[known]


def read(
    ranker: rankers.Ranker, passages: Sequence[str], parameters: Mapping[str, object]
) -> tuple[Embedded, dict[str, Any]]:
    """Return the passages as a ranker's parameters ask, and these, complete.

    Raises:
        BadInput: a parameter is wrong or missing, there is no passage, or no word of any has a vector.
    """
    values = terms.complete(ranker, parameters, (VECTORS,))
    return embed(terms.read(passages, terms.reading(values)), values[VECTORS]), values


def embed(passages: Passages, vectors: WordVectors) -> Embedded:
    """Return counted passages as shares of words with a vector.

    Raises:
        BadInput: no word of the passages has one.
    """
    rows = vectors.rows(list(passages.vocabulary))
    having = np.flatnonzero(rows >= 0)
    having = having[np.argsort(rows[having], kind="stable")]
    having = having[has_direction(np.asarray(vectors.matrix[rows[having]], dtype=np.float64))]
    if not having.size:
        raise BadInput(
            f"None of the {len(rows):,} words of the passages has a vector; the word vectors must be of the "
            "passages' language, and of lemmas where words are lemmas."
        )
    counts = sparse.csr_array(passages.counts[:, having])
    counts.sort_indices()
    totals: Weights = np.repeat(counts.sum(axis=1), np.diff(counts.indptr))
    shares, which = _distinct(
        sparse.csr_array((counts.data / totals, counts.indices, counts.indptr), shape=counts.shape)
    )
    absent = float(np.log(counts.shape[0]))
    return Embedded(passages.reading, vectors, rows[having], passages.idf()[having], absent, shares, which)


def has_direction(vectors: Vectors) -> npt.NDArray[np.bool_]:
    """Return whether each vector (n, width) is more than zero (n,)."""
    return np.asarray(vectors.any(axis=1))


def unit(vectors: Vectors) -> Vectors:
    """Return the vectors (n, width) with length 1; those of length 0 stay."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1.0))


def _distinct(shares: Matrix) -> tuple[Matrix, Positions]:
    """Return the distinct rows, and (n_passages,) which of them each row is."""
    places: dict[tuple[bytes, bytes], int] = {}
    which = np.empty(shares.shape[0], dtype=np.int64)
    firsts: list[int] = []
    for row, (start, end) in enumerate(zip(shares.indptr[:-1], shares.indptr[1:], strict=True)):
        key = shares.indices[start:end].tobytes(), shares.data[start:end].tobytes()
        which[row] = places.setdefault(key, len(places))
        if which[row] == len(firsts):
            firsts.append(row)
    return sparse.csr_array(shares[firsts]), which
