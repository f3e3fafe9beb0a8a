"""How similar words are: the matrix S of soft cosine, from word vectors, from synonyms, or at random.

    vectors:   S_ij = max(0, cos(w_i, w_j))^p, kept where j is one of the n words nearest to i, or i to j
    synonyms:  S_ij = (1 / |T_i ∩ T_j|)^p where i and j share a group, T_i: all words of the groups of i
    random:    S_ij = r_ij^p, r_ij = r_ji ~ N(0.5, 0.05)
    S_ii = 1, and 0 where nothing is said

Manjavacas, Long and Kestemont 2019, section 5.3 and eq. 10; p = 5 for all of them by their footnote 7. S is
symmetric, as eq. 8 needs it to give a text the cosine 1 with itself.

The paper's 1 / |T_i ∩ T_j| is not defined for words without a common synonym, and is 1 for two words that
are no synonyms and have one in common. So it is taken for words of one group only, where T_i ∩ T_j has both
of them at least: the more words mean the same, the less any two of them do. A word counts among its own
synonyms. A pair is then at most ½, and its fifth power 0.03.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import ndtri

from common.errors import BadInput
from retrieval.engine.ranking import order
from retrieval.engine.similarity.terms import Matrix, Weights
from retrieval.engine.words.tables import SynonymTable
from retrieval.engine.words.vectors import WordVectors

BLOCK = 512
"""Rows of S made at once."""
DRAWN = 64
"""Rows of a random S drawn at once: as many for whatever query, or its last bits would change."""
MEAN, DEVIATION = 0.5, 0.05


class Relation(Protocol):
    """A matrix S (n_terms, n_terms) of similarities of words, that need not be in memory."""

    def times(self, rows: Matrix) -> npt.NDArray[np.float64]:
        """Return `rows` S (n_rows, n_terms); each row is computed by itself."""
        ...

    def squares(self, rows: Matrix) -> Weights:
        """Return r S r^T of every row r (n_rows,)."""
        ...


class Stored:
    """A matrix S in memory, sparse and symmetric."""

    def __init__(self, matrix: Matrix) -> None:
        self.matrix = matrix

    def times(self, rows: Matrix) -> npt.NDArray[np.float64]:
        """Return `rows` S (n_rows, n_terms)."""
        return np.asarray((rows @ self.matrix).toarray())

    def squares(self, rows: Matrix) -> Weights:
        """Return r S r^T of every row r (n_rows,)."""
        parts = (rows[start : start + BLOCK] for start in range(0, rows.shape[0], BLOCK))
        found = [self._squares(part) for part in parts]
        return np.concatenate(found) if found else np.zeros(0)

    def _squares(self, rows: Matrix) -> Weights:
        product = rows @ self.matrix
        # A product's columns are in any order, and sums of floats would follow it.
        product.sort_indices()
        return np.asarray(product.multiply(rows).sum(axis=1), dtype=np.float64)


class Random:
    """A random S that is never stored: each number follows from the two words and the seed.

    Two words have the same number in every collection, and whichever of them comes first.
    """

    def __init__(self, words: Sequence[str], seed: int, power: float) -> None:
        key = seed.to_bytes(8, "big")
        digests = (hashlib.blake2b(word.encode(), digest_size=8, key=key).digest() for word in words)
        self._keys = np.frombuffer(b"".join(digests), dtype=">u8").astype(np.uint64)
        self._power = power

    def times(self, rows: Matrix) -> npt.NDArray[np.float64]:
        """Return `rows` S (n_rows, n_terms), drawing S for the words of the rows only."""
        found = np.zeros(rows.shape)
        for at in range(rows.shape[0]):
            for start in range(rows.indptr[at], rows.indptr[at + 1], DRAWN):
                part = slice(start, min(start + DRAWN, rows.indptr[at + 1]))
                words = rows.indices[part]
                drawn = self.between(self._keys[words, None], self._keys[None, :])
                drawn[np.arange(words.size), words] = 1
                found[at] += rows.data[part] @ drawn
        return found

    def squares(self, rows: Matrix) -> Weights:
        """Return r S r^T of every row r (n_rows,), from the pairs of words of each."""
        found = np.zeros(rows.shape[0])
        for at in range(rows.shape[0]):
            part = slice(rows.indptr[at], rows.indptr[at + 1])
            keys, weights = self._keys[rows.indices[part]], rows.data[part]
            one, other = np.triu_indices(weights.size, 1)
            pairs = weights[one] * weights[other] * self.between(keys[one], keys[other])
            found[at] = (weights * weights).sum() + 2 * pairs.sum()
        return found

    def between(self, one: npt.NDArray[np.uint64], other: npt.NDArray[np.uint64]) -> npt.NDArray[np.float64]:
        """Return S of different words by their keys, in the shape that the two make together."""
        mixed = one + other
        # The finaliser of SplitMix64 (Steele, Lea and Flood 2014): every bit depends on every other.
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed = mixed ^ (mixed >> np.uint64(31))
        uniform = ((mixed >> np.uint64(11)).astype(np.float64) + 0.5) / 2**53
        return np.asarray((MEAN + DEVIATION * ndtri(uniform)) ** self._power, dtype=np.float64)


def of_vectors(words: Sequence[str], vectors: WordVectors, nearest: int, power: float) -> Stored:
    """Return S of the words, each with the `nearest` others; one without a vector is like itself only.

    Raises:
        BadInput: none of them has a vector.
    """
    rows = vectors.rows(words)
    known = np.flatnonzero(rows >= 0)
    exact = np.array(vectors.matrix[rows[known]], dtype=np.float64)
    # In float32 the square of a very long or very short vector would be infinity or 0.
    lengths = np.linalg.norm(exact, axis=1)
    known = known[lengths > 0]
    directions = (exact[lengths > 0] / lengths[lengths > 0, None]).astype(np.float32)
    if not known.size:
        raise BadInput(_unknown(words, "vector"))
    most = min(nearest, max(known.size - 1, 0))
    cells: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.float64]]] = []
    for start in range(0, known.size, BLOCK):
        cosines = directions[start : start + BLOCK] @ directions.T
        here = np.arange(cosines.shape[0])
        cosines[here, start + here] = order.UNRANKED
        best = order.tops(cosines, most)
        values = np.maximum(np.take_along_axis(cosines, best, axis=1), 0).astype(np.float64) ** power
        cells.append((np.repeat(known[start + here], most), known[best].ravel(), values.ravel()))
    row, column, value = map(np.concatenate, zip(*cells, strict=True))
    return _symmetric(sparse.coo_array((value, (row, column)), shape=(len(words), len(words))))


def of_synonyms(words: Sequence[str], synonyms: SynonymTable, power: float) -> Stored:
    """Return S of the words; one that the table does not have is like itself only.

    Raises:
        BadInput: it has none of them.
    """
    if synonyms.groups.keys().isdisjoint(words):
        raise BadInput(_unknown(words, "synonym"))
    everyone = sorted({*words, *synonyms.groups})
    number = {word: at for at, word in enumerate(everyone)}
    groups = {group: at for at, group in enumerate(sorted(set().union(*synonyms.groups.values())))}
    pairs = [(number[word], groups[group]) for word, found in synonyms.groups.items() for group in found]
    member, group = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    shape = (len(everyone), len(groups))
    belongs = sparse.csr_array((np.ones(member.size), (member, group)), shape=shape)
    alike = ((belongs @ belongs.T) > 0).astype(np.float64).tocsr()
    own = np.array([number[word] for word in words], dtype=np.int64)
    mine = alike[own]
    parts = (mine[start : start + BLOCK] for start in range(0, len(words), BLOCK))
    in_common = sparse.vstack([(part @ mine.T).multiply(part[:, own]) for part in parts], format="coo")
    in_common.data = (1 / in_common.data) ** power
    return _symmetric(in_common)


def _unknown(words: Sequence[str], what: str) -> str:
    return (
        f"None of the {len(words):,} words of the passages, such as {words[0]!r:.40}, has a {what}; "
        f"give {what}s of their language, and words=lemmas where these are of lemmas."
    )


def _symmetric(matrix: sparse.coo_array[np.float64]) -> Stored:
    """Return S with the greater of S_ij and S_ji for both, and the diagonal 1."""
    beside = matrix.row != matrix.col
    cells = (matrix.data[beside], (matrix.row[beside], matrix.col[beside]))
    half = sparse.csr_array(cells, shape=matrix.shape)
    found = sparse.csr_array(half.maximum(half.T) + sparse.eye_array(matrix.shape[0]))
    found.eliminate_zeros()
    found.sort_indices()
    return Stored(found)
