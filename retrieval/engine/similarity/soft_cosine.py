"""Soft cosine: the cosine of two bags of words where different words are similar, too.

    soft cos(s, t) = s S t^T / (√(s S s^T) · √(t S t^T))          s, t: tf-idf rows, S: `relations`

Sidorov, Gelbukh, Gómez-Adorno and Pinto 2014, "Soft similarity and soft cosine measure: similarity of
features in vector space model"; Charlet and Damnati 2017 for S from word vectors; eq. 8 of Manjavacas, Long
and Kestemont 2019, whose SCemb, SCwn and SCrnd are the three values of `relation`. With S = 1 it is TfIdf.

A word of a query that no passage has is left out, also where it has a vector: S is one matrix, of the words
of the passages, whatever the query. S need not be positive definite, as words are cut to their nearest and
weights may be negative: a text whose s S s^T is not above 0 scores 0, and a score may exceed 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy

from common.errors import BadInput
from retrieval.engine.ranking import rankers
from retrieval.engine.ranking.order import Scores
from retrieval.engine.similarity import relations, terms
from retrieval.engine.similarity.bags import inverse_roots, scaled
from retrieval.engine.similarity.terms import Matrix, Weights
from retrieval.engine.text.tokens import TOKENISER

BLOCK = 64
"""Queries compared at once: 8 B · vocabulary each."""
NEEDED = {"vectors": ("vectors",), "synonyms": ("synonyms",), "random": ()}


class SoftCosineIndex:
    """The passages as tf-idf rows of soft length 1.

    Args:
        passages: The counts.
        relation: S of their terms.
    """

    def __init__(self, passages: terms.Passages, relation: relations.Relation) -> None:
        self._passages, self._relation, self._idf = passages, relation, passages.idf()
        rows = terms.weighted(passages.counts, self._idf)
        self._rows = scaled(rows, relation.squares(rows))

    def scores(self, queries: Sequence[str]) -> Scores:
        """Return the soft cosines (n_queries, n_passages), the same bits in whatever company.

        S is multiplied with the queries, which are few and short, and not with the passages.
        """
        asked = terms.weighted(self._passages.queries(queries), self._idf)
        found = np.empty((len(queries), self._rows.shape[0]))
        for start in range(0, len(queries), BLOCK):
            some = asked[start : start + BLOCK]
            related = self._relation.times(some)
            related *= inverse_roots(_products(related, some))[:, None]
            # Two columns at least: scipy multiplies a single one by another routine.
            columns = np.zeros((related.shape[1], max(2, len(related))))
            columns[:, : len(related)] = related.T
            found[start : start + len(related)] = np.asarray(self._rows @ columns)[:, : len(related)].T
        return found


def _products(full: Scores, rows: Matrix) -> Weights:
    """Return the product of each two rows (n_rows,), one of them sparse."""
    which = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    products = full[which, rows.indices] * rows.data
    return np.asarray(np.bincount(which, products, minlength=rows.shape[0]), dtype=np.float64)


class SoftCosineRanker:
    """Soft cosine of tf-idf rows, with S from word vectors, synonyms, or at random."""

    slug = "soft-cosine"
    label = "Soft cosine"
    nothing = 0.0
    queue: rankers.Queue = "cpu"
    parameters: Mapping[str, rankers.AnyParameter] = {
        **terms.PARAMETERS,
        "relation": rankers.OneOf("vectors", tuple(NEEDED)),
        "vectors": rankers.Named("word vectors", when=("relation", "vectors")),
        "synonyms": rankers.Named("synonym table", when=("relation", "synonyms")),
        "power": rankers.Parameter(default=5, lowest=0.1, highest=100),
        "nearest": rankers.Parameter(default=50, lowest=1, highest=1000),
        "seed": rankers.Parameter(default=1, lowest=0, highest=1_000_000),
    }

    @property
    def defaults(self) -> Mapping[str, Any]:
        """Return the defaults: the 50 nearest words by word vectors, power 5."""
        return rankers.defaults(self.parameters)

    def prepare(self, passages: Sequence[str], parameters: Mapping[str, object]) -> SoftCosineIndex:
        """Count the terms of the passages, and find how similar they are.

        Raises:
            BadInput: a parameter is wrong; the vectors or synonyms of the relation are missing; there is no
                passage, or no word in any.
        """
        needed = NEEDED.get(str(parameters.get("relation", "vectors")), ())
        values = terms.complete(self, parameters, needed)
        nearest, seed = _whole("nearest", values["nearest"]), _whole("seed", values["seed"])
        found = terms.read(passages, terms.reading(values))
        words, power = list(found.vocabulary), values["power"]
        relation: relations.Relation
        if values["relation"] == "vectors":
            relation = relations.of_vectors(words, values["vectors"], nearest, power)
        elif values["relation"] == "synonyms":
            relation = relations.of_synonyms(words, values["synonyms"], power)
        else:
            relation = relations.Random(words, seed, power)
        return SoftCosineIndex(found, relation)

    def describe(self) -> Mapping[str, str]:
        """Return library, version, variant and tokeniser."""
        return {
            "library": "scipy",
            "version": scipy.__version__,
            "variant": "soft cosine of counts times ln(D / (1 + df))",
            "tokeniser": TOKENISER,
        }


def _whole(name: str, value: float) -> int:
    if not value.is_integer():
        raise BadInput(f"The parameter {name} is {value:g}; it must be a whole number.")
    return int(value)


rankers.register(SoftCosineRanker())
