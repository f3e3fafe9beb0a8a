"""BM25 with the same scores as `rank_bm25` to the last bit, computed from postings.

    score(q, d) = Σ over the words w of q, each as often as q repeats it, of
                  idf(w) · tf(k1 + 1) / (tf + k1(1 − b + b·|d| / avg|d|))
    idf(w)      = ln(N − df + ½) − ln(df + ½); a negative one becomes
                  ¼ of the mean idf of the vocabulary

This is `rank_bm25.BM25Okapi` 0.2.2 (Trotman et al. 2014, "Improvements to BM25
and Language Models Examined", ATIRE with a floor). The floor matters: other
libraries' BM25 shares half to three quarters of its top 50 at the same k1 and
b, so the variant is written into every job. The statistics and the idf are
BM25Okapi's own; only counting and the scoring loop are replaced.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from importlib.metadata import version
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from rank_bm25 import BM25Okapi
from scipy import sparse

from common.errors import BadInput
from retrieval.engine.ranking import rankers
from retrieval.engine.ranking.order import Scores
from retrieval.engine.text.tokens import TOKENISER, words

BLOCK = 128
"""Queries scored in one sparse product: wide enough for the cache, 8 B · vocabulary each."""


class Counts(NamedTuple):
    """How often each word occurs in each passage.

    vocabulary: each word's column, by first occurrence: the order `rank_bm25` adds up its mean idf in.
    matrix: (n_passages, n_words), canonical CSR of int32.
    """

    vocabulary: Mapping[str, int]
    matrix: sparse.csr_array[np.int32]


def count(passages: Iterable[Sequence[str]]) -> Counts:
    """Count the words of tokenised passages, in O(words)."""
    vocabulary: defaultdict[str, int] = defaultdict()
    vocabulary.default_factory = vocabulary.__len__
    rows = [[vocabulary[word] for word in passage] for passage in passages]
    starts = np.zeros(len(rows) + 1, dtype=np.int32)
    np.cumsum([len(row) for row in rows], out=starts[1:])
    columns = np.fromiter(chain.from_iterable(rows), dtype=np.int32, count=int(starts[-1]))
    matrix = sparse.csr_array(
        (np.ones(columns.size, dtype=np.int32), columns, starts), shape=(len(rows), len(vocabulary))
    )
    matrix.sum_duplicates()
    return Counts(dict(vocabulary), matrix)


def windows(sentences: Counts, largest: int) -> Iterator[Counts]:
    """Return the counts of all passages of 1, 2, … `largest` consecutive sentences.

    Passages of n sentences are those of n − 1 plus the sentence that follows:
    C(n) = C(n−1)[:-1] + C(1)[n−1:], so nothing is tokenised twice. The order of
    first occurrence is the same for every size. Sizes longer than the book are
    not given.
    """
    matrix = sentences.matrix
    for size in range(1, min(largest, sentences.matrix.shape[0]) + 1):
        if size > 1:
            matrix = (matrix[:-1] + sentences.matrix[size - 1 :]).tocsr()
        yield Counts(sentences.vocabulary, matrix)


class Bm25(BM25Okapi):  # type: ignore[misc]  # the library has no types
    """`rank_bm25.BM25Okapi` with the same scores in every bit, some hundred times faster.

    Takes tokenised passages, or `Counts` of them. The index holds 12 bytes a
    posting (float64 weight, int32 passage); the batch path makes as much again.
    `doc_freqs`, which only the replaced loops read, stays empty. Where rank_bm25
    divides 0 by 0 (an empty passage at b = 1, every absent word at k1 = 0) the
    score is 0 here and NaN there.

    Raises:
        BadInput: there is no passage, or no word in any (rank_bm25 divides by zero).
    """

    def __init__(
        self,
        corpus: Iterable[Sequence[str]] | Counts,
        tokenizer: None = None,
        k1: float = 0.5,
        b: float = 0.9,
        epsilon: float = 0.25,
    ) -> None:
        super().__init__(corpus, tokenizer, k1, b, epsilon)
        self._weigh()

    def _initialize(self, corpus: Iterable[Sequence[str]] | Counts) -> dict[str, int]:
        counts = corpus if isinstance(corpus, Counts) else count(corpus)
        n_passages, n_words = counts.matrix.shape
        if not n_passages:
            raise BadInput("There is no passage to rank; a book needs at least one sentence.")
        if not n_words:
            raise BadInput("No passage has a word; a book needs at least one letter or digit.")
        self._vocabulary = counts.vocabulary
        self._counts = counts.matrix.tocsc()
        self.corpus_size = n_passages
        self.doc_len = counts.matrix.sum(axis=1, dtype=np.int64).tolist()
        self.avgdl = sum(self.doc_len) / n_passages
        return dict(zip(counts.vocabulary, np.diff(self._counts.indptr).tolist(), strict=True))

    def _weigh(self) -> None:
        """Turn counts into weights, each operation in rank_bm25's order: floats do not associate."""
        frequency = self._counts.data.astype(np.float64)
        passages = self._counts.indices.astype(np.int32, copy=False)
        length = self.k1 * (1 - self.b + self.b * np.array(self.doc_len) / self.avgdl)
        part = frequency * (self.k1 + 1) / (frequency + length[passages])
        idf = np.fromiter(self.idf.values(), dtype=np.float64, count=len(self.idf))
        starts = self._counts.indptr
        self._passages = passages
        self._weights: Scores = np.repeat(idf, np.diff(starts)) * part
        self._starts: list[int] = starts.tolist()
        del self._counts

    def get_scores(self, query: Sequence[str]) -> Scores:
        """Return scores (n_passages,) of the words of a query, equal to rank_bm25's in every bit."""
        scores = np.zeros(self.corpus_size)
        for word in query:
            column = self._vocabulary.get(word)
            if column is not None:
                part = slice(self._starts[column], self._starts[column + 1])
                # Added word by word in the query's order, as rank_bm25 does; add.at avoids two copies.
                np.add.at(scores, self._passages[part], self._weights[part])
        return scores

    def get_batch_scores(self, query: Sequence[str], doc_ids: Sequence[int]) -> list[float]:
        """Return scores of some passages, as in rank_bm25."""
        scores: list[float] = self.get_scores(query)[np.asarray(doc_ids, dtype=np.int64)].tolist()
        return scores

    def batch_scores(self, queries: Sequence[Sequence[str]]) -> Scores:
        """Return scores (n_queries, n_passages) by one sparse product a block of queries.

        Float64 and exact but for the order of additions: repeated words are
        multiplied and words are added in the order of the vocabulary, so the last
        bits (relative 1e-14) and with them a near-tie may differ from `get_scores`.
        """
        scores = np.empty((len(queries), self.corpus_size))
        for start in range(0, len(queries), BLOCK):
            block = queries[start : start + BLOCK]
            scores[start : start + len(block)] = self._product(block).T
        return scores

    def _product(self, block: Sequence[Sequence[str]]) -> Scores:
        column, width = self._vocabulary.get, len(block)
        cells = np.array(
            [column(word, -1) * width + place for place, query in enumerate(block) for word in query],
            dtype=np.int64,
        )
        counts = np.zeros(len(self._vocabulary) * width)
        np.add.at(counts, cells[cells >= 0], 1.0)
        return np.asarray(self._matrix @ counts.reshape(-1, width), dtype=np.float64)

    @cached_property
    def _matrix(self) -> sparse.csr_array[np.float64]:
        shape = (self.corpus_size, len(self._vocabulary))
        return sparse.csc_array((self._weights, self._passages, self._starts), shape=shape).tocsr()


class Bm25Index:
    """The passages of a book as `Bm25`, searched by text."""

    def __init__(self, passages: Iterable[Sequence[str]] | Counts, k1: float, b: float) -> None:
        self.bm25 = Bm25(passages, k1=k1, b=b)

    def scores(self, queries: Sequence[str]) -> Scores:
        """Return scores (n_queries, n_passages), each row bit-equal to rank_bm25: what jobs store."""
        rows = [self.bm25.get_scores(words(query)) for query in queries]
        return np.stack(rows) if rows else np.empty((0, self.bm25.corpus_size))

    def batch_scores(self, queries: Sequence[str]) -> Scores:
        """Return the same by sparse products: faster, equal but for the last bits (see `Bm25`)."""
        return self.bm25.batch_scores([words(query) for query in queries])


class Bm25Ranker:
    """BM25 in the variant of rank_bm25, with the k1 and b of the RELiC study."""

    slug = "bm25"
    label = "BM25"
    nothing = 0.0
    queue: rankers.Queue = "cpu"
    # At k1 = 0 an absent word is 0 / 0; b is a share by definition.
    parameters: Mapping[str, rankers.AnyParameter] = {
        "k1": rankers.Parameter(default=0.5, lowest=0.01, highest=100.0),
        "b": rankers.Parameter(default=0.9, lowest=0.0, highest=1.0),
    }

    @property
    def defaults(self) -> Mapping[str, Any]:
        """Return the defaults: k1 0.5 and b 0.9."""
        return rankers.defaults(self.parameters)

    def prepare(self, passages: Sequence[str], parameters: Mapping[str, object]) -> Bm25Index:
        """Tokenise and count the passages.

        Raises:
            BadInput: a parameter is wrong, or there is no passage or no word.
        """
        return self.weigh(self.count(passages), parameters)

    def count(self, passages: Iterable[str]) -> Counts:
        """Tokenise and count, which no parameter changes."""
        return count(map(words, passages))

    def windows(self, sentences: Counts, largest: int) -> Iterator[Counts]:
        """Return the counts of passages of 1, 2, … `largest` sentences, from those of the sentences."""
        return windows(sentences, largest)

    def weigh(self, counts: Counts, parameters: Mapping[str, object]) -> Bm25Index:
        """Return an index of what was counted.

        Raises:
            BadInput: a parameter is wrong, or there is no passage or no word.
        """
        values = rankers.complete(self, parameters)
        return Bm25Index(counts, values["k1"], values["b"])

    def describe(self) -> Mapping[str, str]:
        """Return library, version, variant and tokeniser."""
        return {
            "library": "rank_bm25",
            "version": version("rank_bm25"),
            "variant": "BM25Okapi (ATIRE, idf floor 0.25 × mean idf)",
            "tokeniser": TOKENISER,
        }


rankers.register(Bm25Ranker())
