"""BOW and TfIdf against eq. 6 and 7 written out, and against scikit-learn."""

from collections import Counter
from functools import cache
from math import log, sqrt

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics.pairwise import cosine_similarity

from retrieval.engine.ranking import rankers
from tests.retrieval.engine.similarity.texts import LEMMAS, PASSAGES, QUERIES, as_query


@cache
def idf(word: str) -> float:
    """Eq. 6."""
    return log(len(PASSAGES) / (1 + sum(word in passage.split() for passage in PASSAGES)))


def weights(words: list[str], slug: str) -> dict[str, float]:
    return {word: tf * (idf(word) if slug == "tfidf" else 1) for word, tf in Counter(words).items()}


def cosine(one: dict[str, float], other: dict[str, float]) -> float:
    """Eq. 7."""
    product = sum(weight * other.get(word, 0) for word, weight in one.items())
    lengths = [sqrt(sum(weight**2 for weight in each.values())) for each in (one, other)]
    return product / (lengths[0] * lengths[1]) if all(lengths) else 0.0


@pytest.mark.parametrize("slug", ["bow", "tfidf"])
def test_scores_are_equations_6_and_7(slug: str) -> None:
    found = rankers.get(slug).prepare(PASSAGES, {}).scores(QUERIES)
    literal = [
        [cosine(weights(query, slug), weights(each.split(), slug)) for each in PASSAGES]
        for query in (as_query(query, PASSAGES) for query in QUERIES)
    ]
    assert found == pytest.approx(np.array(literal), abs=1e-12)
    assert (found > 0.3).any()
    assert not found[-2].any()


def test_bow_is_what_scikit_learn_says() -> None:
    counter = CountVectorizer(token_pattern=r"\S+")
    passages = counter.fit_transform(PASSAGES)
    expected = cosine_similarity(counter.transform(QUERIES), passages)
    assert rankers.get("bow").prepare(PASSAGES, {}).scores(QUERIES) == pytest.approx(expected, abs=1e-12)


def test_lemmas_are_compared_where_they_are_asked_for() -> None:
    given = {"words": "lemmas", "lemmas": LEMMAS}
    scores = rankers.get("bow").prepare(["word2 word9", "word8 word20"], given).scores(["word3", "word9"])
    assert scores == pytest.approx(np.array([[1, 0], [1, 1]]) * sqrt(0.5))


def test_passages_that_read_the_same_tie_in_every_bit() -> None:
    scores = rankers.get("tfidf").prepare(PASSAGES, {}).scores(QUERIES)
    assert np.array_equal(scores[:, 0], scores[:, -1])
    assert not scores[:, -2].any()


def test_equal_cosines_of_counts_are_equal_in_every_bit() -> None:
    # k words of the query among 3 k² different ones: cos² = k² / (7 · 3 k²), whatever k is.
    passages = [
        " ".join(f"a{n}" for n in range(k)) + " " + " ".join(f"b{n}" for n in range(3 * k * k - k))
        for k in (1, 2, 3, 5, 7)
    ]
    (found,) = rankers.get("bow").prepare(passages, {}).scores([" ".join(f"a{n}" for n in range(7))])
    assert len(set(found.tolist())) == 1
    assert found[0] == pytest.approx(1 / np.sqrt(3 * 7))


def test_a_word_of_every_passage_weighs_by_its_negative_idf() -> None:
    # ln(2/3) for `the` and ln(2/2) = 0 for the others: the only weight is negative on both sides.
    scores = rankers.get("tfidf").prepare(["the ship", "the sea"], {}).scores(["the", "ship"])
    assert scores == pytest.approx(np.array([[1, 1], [0, 0]]))
