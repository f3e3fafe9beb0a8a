"""Averaged word vectors, against loops that spell the definition out."""

from collections import Counter
from math import log, sqrt

import numpy as np
import pytest

from common.errors import BadInput
from retrieval.engine.ranking import order, rankers
from retrieval.engine.words.tables import AS_GIVEN, StopList
from retrieval.engine.words.vectors import WordVectors
from tests.retrieval.engine.similarity.texts import PASSAGES, QUERIES, VECTORS

HAVING = Counter(word for passage in PASSAGES for word in set(passage.split()))
"""How many passages have a word."""


def _average(text: str, weighted: bool) -> list[float]:
    """Of the words that have a vector, each as often as it stands there."""
    total = [0.0] * VECTORS.width
    for word in text.split():
        if word not in VECTORS.words:
            continue
        weight = log(len(PASSAGES) / (1 + HAVING[word])) if weighted else 1.0
        for at, value in enumerate(VECTORS.matrix[VECTORS.words.index(word)]):
            total[at] += weight * float(value)
    return total


def _cosine(one: list[float], other: list[float]) -> float:
    lengths = sqrt(sum(x * x for x in one)) * sqrt(sum(y * y for y in other))
    return sum(x * y for x, y in zip(one, other, strict=True)) / lengths if lengths else order.UNRANKED


@pytest.mark.parametrize("slug", ["bow-emb", "tfidf-emb"])
def test_scores_are_cosines_of_averages(slug: str) -> None:
    weighted = slug == "tfidf-emb"
    queries = [*QUERIES, "word3 elsewhere", "elsewhere", ""]
    found = rankers.get(slug).prepare(PASSAGES, {"vectors": VECTORS}).scores(queries)
    passages = [_average(passage, weighted) for passage in PASSAGES]
    expected = [[_cosine(_average(query, weighted), each) for each in passages] for query in queries]
    assert found == pytest.approx(np.array(expected), abs=1e-12)
    assert np.isfinite(found[queries.index("elsewhere")]).sum() > 70


@pytest.mark.parametrize("slug", ["bow-emb", "tfidf-emb"])
def test_a_text_without_an_average_is_not_ranked(slug: str) -> None:
    vectors = WordVectors(
        ["a", "b", "c", "nil"], np.array([[1, 0], [-1, 0], [0, 1], [0, 0]], dtype=np.float32)
    )
    passages = ["a b", "nil", "z", "", "c", "c nil z"]
    found = rankers.get(slug).prepare(passages, {"vectors": vectors}).scores(["c", "nil", "b a", "z", ""])
    assert found[0].tolist() == [order.UNRANKED] * 4 + [1.0, 1.0]
    assert (found[1:] == order.UNRANKED).all()


@pytest.mark.parametrize("slug", ["bow-emb", "tfidf-emb"])
def test_texts_with_the_same_shares_tie_wherever_they_stand(slug: str) -> None:
    passages = [*PASSAGES, *(f"{passage} {passage} {passage}" for passage in PASSAGES), *reversed(PASSAGES)]
    found = rankers.get(slug).prepare(passages, {"vectors": VECTORS}).scores(QUERIES)
    half = len(PASSAGES)
    assert np.array_equal(found[:, :half], found[:, half : 2 * half])
    assert np.array_equal(found[:, :half], found[:, : 2 * half - 1 : -1])
    alone = rankers.get(slug).prepare(passages, {"vectors": VECTORS})
    assert all(
        np.array_equal(alone.scores([query])[0], row) for query, row in zip(QUERIES, found, strict=True)
    )


def test_stop_words_and_lemmas_are_read_as_by_the_other_rankers() -> None:
    vectors = WordVectors(["sum", "amo"], np.array([[1, 0], [0, 1]], dtype=np.float32))
    given = {"vectors": vectors, "words": "lemmas", "lemmas": AS_GIVEN}
    ranker = rankers.get("bow-emb")
    assert ranker.prepare(["sum amo", "amo"], given).scores(["AMO"]).tolist() == [
        [pytest.approx(sqrt(0.5)), 1.0]
    ]
    given["stop_list"] = StopList(frozenset(["sum"]))
    assert ranker.prepare(["sum amo", "amo"], given).scores(["amo sum"]).tolist() == [[1.0, 1.0]]


@pytest.mark.parametrize("slug", ["bow-emb", "tfidf-emb", "wmd", "tesserae-wmd"])
@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, "needs word vectors here, and has none; add some word vectors with manage.py add_words vectors"),
        ({"vectors": "latin"}, "needs word vectors here"),
        (
            {"vectors": WordVectors(["elsewhere"], np.ones((1, 2), dtype=np.float32))},
            "None of the 60 words of the passages has a vector; .* language, and of lemmas",
        ),
    ],
)
def test_what_is_missing_is_said(slug: str, given: dict, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        rankers.get(slug).prepare([*PASSAGES, " ".join(f"word{n}" for n in range(60))], given)
