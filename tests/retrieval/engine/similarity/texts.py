"""A small collection, word vectors and synonyms of its words, made from seeds."""

from random import Random

import numpy as np

from retrieval.engine.words.tables import LemmaTable, SynonymTable
from retrieval.engine.words.vectors import WordVectors

WORDS = [f"word{number}" for number in range(60)]


def texts(seed: int, number: int, longest: int = 14) -> list[str]:
    """Texts of some words each, the low numbers often, one of them empty and two the same."""
    draw = Random(seed)
    made = [
        " ".join(WORDS[int(60 * draw.random() ** 2)] for _ in range(draw.randint(1, longest)))
        for _ in range(number - 2)
    ]
    return [*made, "", made[0]]


PASSAGES = texts(1, 80)
QUERIES = [*texts(2, 20), "nobody knows these", "nobody knows word1 word2"]
LEMMAS = LemmaTable({f"word{number}": f"word{number // 2}" for number in range(60)})
VECTORS = WordVectors(
    [*WORDS[:50], "elsewhere"], np.random.default_rng(3).normal(size=(51, 8)).astype(np.float32)
)
SYNONYMS = SynonymTable(
    {
        **{f"word{number}": frozenset({number // 3, 100 + number // 7}) for number in range(40)},
        "elsewhere": frozenset({1, 100}),
    }
)


def as_query(query: str, passages: list[str]) -> list[str]:
    """The words of the query that the passages have: the others are left out."""
    known = {word for passage in passages for word in passage.split()}
    return [word for word in query.split() if word in known]
