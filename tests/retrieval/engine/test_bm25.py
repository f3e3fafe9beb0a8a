"""BM25 against rank_bm25, bit for bit."""

import os
import re
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from common.errors import BadInput
from retrieval.engine.ranking import order
from retrieval.engine.ranking.bm25 import BLOCK, Bm25, Bm25Ranker, count, windows
from retrieval.engine.text.tokens import words

DATA = os.environ.get("VARIORUM_TEST_DATA") or None
WORD = st.sampled_from(["the", "of", "and", "sea", "ship", "dawn", "letter", "house"])
PASSAGES = st.lists(st.lists(WORD, max_size=12), min_size=1, max_size=30).filter(any)
QUERY = st.lists(WORD | st.just("unknown"), max_size=40)
K1 = st.floats(0.01, 100)
B = st.floats(0, 0.99)  # at b = 1 rank_bm25 divides 0 by 0 for an empty passage


def joined(sentences: list, size: int) -> list:
    return [list(chain(*sentences[at : at + size])) for at in range(len(sentences) - size + 1)]


def same_bits(one: np.ndarray, other: np.ndarray) -> bool:
    return one.dtype == other.dtype and one.tobytes() == other.tobytes()


@given(PASSAGES, QUERY, K1, B)
def test_scores_equal_rank_bm25_in_every_bit(passages: list, query: list, k1: float, b: float) -> None:
    theirs, ours = BM25Okapi(passages, k1=k1, b=b), Bm25(passages, k1=k1, b=b)
    assert same_bits(ours.get_scores(query), np.asarray(theirs.get_scores(query), dtype=np.float64))
    assert (ours.idf, ours.average_idf, ours.avgdl) == (theirs.idf, theirs.average_idf, theirs.avgdl)
    assert list(ours.idf) == list(theirs.idf)
    assert (ours.doc_len, ours.corpus_size) == (theirs.doc_len, theirs.corpus_size)
    some = list(range(0, len(passages), 2))
    assert ours.get_batch_scores(query, some) == theirs.get_batch_scores(query, some)
    assert ours.get_top_n(query, passages, 3) == theirs.get_top_n(query, passages, 3)


@given(PASSAGES, st.lists(QUERY, max_size=5))
def test_the_batch_path_differs_in_the_last_bits_only(passages: list, queries: list) -> None:
    index = Bm25(passages)
    exact = np.array([index.get_scores(query) for query in queries]).reshape(len(queries), len(passages))
    batch = index.batch_scores(queries)
    size = np.abs(list(index.idf.values())).max() * (index.k1 + 1) * 40
    assert batch.shape == (len(queries), len(passages))
    np.testing.assert_allclose(batch.ravel(), exact.ravel(), rtol=1e-12, atol=1e-13 * size)


def test_more_queries_than_a_block_holds() -> None:
    index = Bm25([["sea", "ship"], ["dawn"], ["sea"]])
    queries = [["sea"], ["dawn", "dawn"], []] * BLOCK
    batch = index.batch_scores(queries)
    assert np.array_equal(batch[:3], batch[-3:])
    assert np.array_equal(batch[1], index.get_scores(["dawn", "dawn"]))
    assert order.tops(batch[-3:], 1).tolist() == [[2], [1], [0]]


@given(st.lists(st.lists(WORD, max_size=6), min_size=1, max_size=15).filter(any), QUERY)
def test_windows_count_what_rank_bm25_counts_on_joined_sentences(sentences: list, query: list) -> None:
    for size, counts in enumerate(windows(count(sentences), 5), start=1):
        theirs = BM25Okapi(joined(sentences, size), k1=0.5, b=0.9)
        ours = Bm25(counts)
        assert list(ours.idf.items()) == list(theirs.idf.items())
        assert same_bits(ours.get_scores(query), np.asarray(theirs.get_scores(query), dtype=np.float64))
    assert size == min(5, len(sentences))


def test_a_word_in_most_passages_gets_the_floor() -> None:
    passages = [["the", "sea"], ["the", "ship"], ["the", "dawn"], ["letter"]]
    index = Bm25(passages)
    assert index.idf["the"] == 0.25 * index.average_idf
    assert index.get_scores(["the"])[0] == BM25Okapi(passages, k1=0.5, b=0.9).get_scores(["the"])[0] > 0


@pytest.mark.parametrize(
    "passages",
    [[["sea"]], [["sea", "ship"]] * 4, [[], ["sea"], []], [["sea"], ["ship"]]],
    ids=["one passage", "all equal", "empty ones", "one word each"],
)
def test_corner_cases_equal_rank_bm25(passages: list) -> None:
    theirs, ours = BM25Okapi(passages, k1=0.5, b=0.9), Bm25(passages)
    for query in (["sea"], ["sea", "sea", "ship"], [], ["unknown"]):
        assert same_bits(ours.get_scores(query), np.asarray(theirs.get_scores(query), dtype=np.float64))


def test_an_empty_passage_scores_nothing_at_b_1() -> None:
    assert Bm25([[], ["sea"], ["ship"], ["dawn"]], b=1.0).get_scores(["sea"])[0] == 0.0


@pytest.mark.parametrize(("passages", "says"), [([], "no passage"), ([[], []], "No passage has a word")])
def test_nothing_to_rank_is_refused(passages: list, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        Bm25(passages)


def test_the_ranker_tokenises_and_scores_in_rank_bm25_s_bits() -> None:
    passages = ["The SHIP left at dawn.", "* * *", "Nobody saw the _ship_ leave.", "She read it twice."]
    queries = ["“Ship, ship!” the critic says.", "", "ἀρχή"]
    theirs = BM25Okapi([words(text) for text in passages], k1=1.2, b=0.75)
    index = Bm25Ranker().prepare(passages, {"k1": 1.2, "b": 0.75})
    expected = np.array([theirs.get_scores(words(query)) for query in queries])
    assert same_bits(index.scores(queries), expected)
    np.testing.assert_allclose(index.batch_scores(queries), expected, rtol=1e-12)
    assert not index.scores(queries)[1:].any()


def test_the_description_names_the_variant() -> None:
    said = Bm25Ranker().describe()
    assert (said["library"], said["version"], said["tokeniser"]) == ("rank_bm25", "0.2.2", "words-2")
    assert "floor" in said["variant"]


@pytest.mark.skipif(DATA is None, reason="VARIORUM_TEST_DATA names no folder of real texts")
@pytest.mark.parametrize("size", [1, 5])
def test_a_novel_and_its_critic_in_every_bit(size: int) -> None:
    novel = Path(DATA, "novels", "heart_of_darkness.txt").read_text(encoding="utf-8")
    critic = words(Path(DATA, "criticism", "helm_1909_country_house_comedy.txt").read_text(encoding="utf-8"))
    tokens = [words(sentence) for sentence in re.split(r"(?<=[.!?;:])\s+", novel)]
    *_, counts = windows(count(tokens), size)
    ours = Bm25(counts)
    theirs = BM25Okapi(joined(tokens, size), k1=0.5, b=0.9)
    assert min(ours.idf.values()) > 0
    for start in range(2000, 2000 + 160 * 6, 160):
        query = critic[start : start + 160]
        expected = np.asarray(theirs.get_scores(query))
        assert same_bits(ours.get_scores(query), expected)
        assert order.top(ours.batch_scores([query])[0], 2).tolist() == order.top(expected, 2).tolist()
