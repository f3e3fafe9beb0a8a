"""Texts as terms: how they are read, their sparse counts, and the idf that these rankers share.

A term is a token, or the lemma of one. The vocabulary is that of the passages: a word of a query that no
passage has is left out, as scikit-learn and gensim leave it out, unless a ranker says otherwise.

    idf(w) = ln(D / (1 + df(w)))        D passages, df(w) of which have the word

Manjavacas, Long and Kestemont 2019, "On the Feasibility of Automated Detection of Allusive Text Reuse",
eq. 6. It is 0 for a word that all passages but one have, and negative for one that all have; it is taken as
it is. Such a word is negative in the query and in the passage, so the product still counts for them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from unicodedata import normalize

import numpy as np
import numpy.typing as npt
from scipy import sparse

from common.errors import BadInput
from retrieval.engine.ranking import bm25, rankers
from retrieval.engine.similarity import given
from retrieval.engine.text import tokens
from retrieval.engine.words import tables

Matrix = sparse.csr_array[np.float64]
Weights = npt.NDArray[np.float64]

TOKENS, LEMMAS = "tokens", "lemmas"
PARAMETERS: Mapping[str, rankers.AnyParameter] = {
    "words": rankers.OneOf(TOKENS, (TOKENS, LEMMAS)),
    "lemmas": rankers.Named("lemma table", when=("words", LEMMAS)),
    "stop_list": rankers.Named("stop list", optional=True),
}
"""What every ranker of this folder takes."""


@dataclass(frozen=True)
class Reading:
    """How a text becomes terms.

    lemmas: the lemma of each token; None leaves tokens as they are, `tables.AS_GIVEN` splits a text at white
        space, since its words are lemmas already.
    stops: terms that are left out.
    """

    lemmas: tables.LemmaTable | None = None
    stops: frozenset[str] = frozenset()

    def words(self, text: str) -> list[str]:
        """Return every word of the text as a term, in lower case and in order, stop words among them.

        Letters are composed (Unicode's NFC), as books are stored: documents of a corpus come as they are.
        """
        text = normalize("NFC", text)
        if self.lemmas is tables.AS_GIVEN:
            return text.lower().split()
        found = tokens.words(text)
        return found if self.lemmas is None else [self.lemmas.lemma(word) for word in found]

    def terms(self, text: str) -> list[str]:
        """Return the terms of the text in order, without the stop words."""
        return [word for word in self.words(text) if word not in self.stops]


@dataclass(frozen=True)
class Passages:
    """The passages of a collection as counts of terms.

    reading: how they were read, and queries are.
    vocabulary: the column of each term.
    counts: (n_passages, n_terms), canonical CSR.
    """

    reading: Reading
    vocabulary: Mapping[str, int]
    counts: Matrix

    def queries(self, texts: Sequence[str]) -> Matrix:
        """Return the counts of queries (n_queries, n_terms), canonical CSR, without words no passage has."""
        columns = [
            [self.vocabulary[term] for term in self.reading.terms(text) if term in self.vocabulary]
            for text in texts
        ]
        return counted(columns, len(self.vocabulary))

    def idf(self) -> Weights:
        """Return the inverse document frequency of every term (n_terms,), eq. 6: it may be 0 or below."""
        n_passages = self.counts.shape[0]
        having = np.bincount(self.counts.indices, minlength=self.counts.shape[1])
        return np.asarray(np.log(n_passages / (1 + having)), dtype=np.float64)


def counted(columns: Sequence[Sequence[int]], width: int) -> Matrix:
    """Return how often each row has each column (n_rows, width), canonical CSR of float64."""
    starts = np.cumsum([0, *map(len, columns)])
    flat = np.array([column for row in columns for column in row], dtype=np.int64)
    matrix = sparse.csr_array((np.ones(flat.size), flat, starts), shape=(len(columns), width))
    matrix.sum_duplicates()
    return matrix


def complete(
    ranker: rankers.Ranker, parameters: Mapping[str, object], needed: Sequence[str] = ()
) -> dict[str, Any]:
    """Return all parameters of a ranker, checked, with things in place of their names.

    needed: parameters that must be given beside the lemma table, which `words=lemmas` needs.

    Raises:
        BadInput: as `given.complete`.
    """
    lemmas = ("lemmas",) if parameters.get("words") == LEMMAS else ()
    return given.complete(ranker, parameters, (*needed, *lemmas))


def reading(values: Mapping[str, Any]) -> Reading:
    """Return how texts are read by the complete parameters of a ranker."""
    stops = values["stop_list"]
    return Reading(
        values["lemmas"] if values["words"] == LEMMAS else None,
        stops.words if stops is not None else frozenset(),
    )


def read(passages: Sequence[str], how: Reading) -> Passages:
    """Count the terms of the passages, reading each once and in order.

    Raises:
        BadInput: there is no passage, or no term in any.
    """
    found = bm25.count(map(how.terms, passages))
    check_rankable(*found.matrix.shape)
    return Passages(how, found.vocabulary, found.matrix.astype(np.float64))


def check_rankable(n_passages: int, n_terms: int) -> None:
    """Check that there is something to rank. Raises `BadInput` where there is no passage, or no term."""
    if not n_passages:
        raise BadInput("There is no passage to rank; at least one is needed.")
    if not n_terms:
        raise BadInput("No passage has a word to rank it by; at least one must have one.")


def weighted(counts: Matrix, weights: Weights) -> Matrix:
    """Return counts with every column multiplied by its weight (n_terms,), such as its idf."""
    data = counts.data * weights[counts.indices]
    return sparse.csr_array((data, counts.indices, counts.indptr), shape=counts.shape)
