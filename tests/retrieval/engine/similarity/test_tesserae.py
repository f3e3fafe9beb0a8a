"""Tesserae against eq. 5 written out."""

from collections import Counter
from math import inf, log

import numpy as np
import pytest

from retrieval.engine.ranking import rankers
from retrieval.engine.words.tables import StopList
from tests.retrieval.engine.similarity.texts import LEMMAS, PASSAGES, QUERIES, texts


def literal(query: list[str], passage: list[str], frequency: Counter[str]) -> float:
    """Eq. 5 with the frequencies of the passages for both texts."""
    shared = sorted(set(query) & set(passage), key=lambda word: (frequency[word], word))
    if len(shared) < 2:
        return -inf

    def distance(words: list[str]) -> int:
        one, other = ([at for at, word in enumerate(words) if word == rare] for rare in shared[:2])
        return min(abs(left - right) for left in one for right in other)

    total = sum(1 / frequency[word] + 1 / frequency[word] for word in shared)
    return log(total / (distance(query) + distance(passage)))


@pytest.mark.parametrize("longest", [4, 14, 60])
def test_scores_are_equation_5(longest: int) -> None:
    passages, queries = texts(4, 60, longest), [*texts(5, 20, longest), "nobody word0 knows word1"]
    frequency = Counter(word for passage in passages for word in passage.split())
    expected = [[literal(query.split(), each.split(), frequency) for each in passages] for query in queries]
    found = rankers.get("tesserae").prepare(passages, {}).scores(queries)
    assert found == pytest.approx(np.array(expected), abs=1e-12)
    assert np.isfinite(found).any()
    assert (found == -inf).any()


def test_a_passage_that_shares_fewer_than_two_words_is_not_ranked() -> None:
    index = rankers.get("tesserae").prepare(["ship ship sea", "ship dawn", "sand"], {})
    assert np.isfinite(index.scores(["the sea and a ship", "ship ship", ""])).tolist() == [
        [True, False, False],
        [False] * 3,
        [False] * 3,
    ]


def test_an_unknown_word_stands_between_two_others() -> None:
    index = rankers.get("tesserae").prepare(["ship sea"], {})
    near, far = index.scores(["ship sea", "ship nobody knows sea"])[:, 0]
    # 1/1 + 1/1 for each of the two words; distances 1 + 1 and 3 + 1.
    assert (near, far) == pytest.approx((log(4 / 2), log(4 / 4)))


def test_the_two_rarest_shared_words_say_how_far_not_the_first() -> None:
    index = rankers.get("tesserae").prepare(["a b x x c", "a", "a"], {})
    # b and c occur once and stand 3 apart; a, the neighbour of b, occurs three times.
    assert index.scores(["a b c"])[0, 0] == pytest.approx(log((2 / 3 + 2 + 2) / (1 + 3)))


def test_stop_words_are_not_shared_and_still_stand_between() -> None:
    stops = StopList(frozenset(["the"]))
    index = rankers.get("tesserae").prepare(["ship the sea", "the ship"], {"stop_list": stops})
    found = index.scores(["ship the sea", "the ship"])
    assert found[0, 0] == pytest.approx(log((2 / 2 + 2 / 1) / 4))
    assert found[1].tolist() == [-inf, -inf]


def test_lemmas_are_compared_where_they_are_asked_for() -> None:
    index = rankers.get("tesserae").prepare(["word2 word9"], {"words": "lemmas", "lemmas": LEMMAS})
    assert index.scores(["word3 word8"])[0, 0] == pytest.approx(log(4 / 2))


def test_the_words_of_a_query_are_found_in_whatever_company() -> None:
    index = rankers.get("tesserae").prepare(PASSAGES, {})
    together = index.scores(QUERIES)
    assert all(
        np.array_equal(index.scores([each])[0], row) for each, row in zip(QUERIES, together, strict=True)
    )
