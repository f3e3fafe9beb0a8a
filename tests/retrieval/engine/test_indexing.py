"""Sentences counted once for all lengths: not a bit of any score may change."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.errors import BadInput
from retrieval.engine.ranking import indexing, rankers
from retrieval.engine.ranking.indexing import Ranking, adds_up
from retrieval.engine.text import passages
from retrieval.engine.text.passages import texts
from retrieval.engine.text.sentences import segment

DATA = os.environ.get("VARIORUM_TEST_DATA") or None
BM25 = rankers.get("bm25")
SETTINGS = [Ranking("one", BM25, {}), Ranking("two", BM25, {"k1": 1.2, "b": 0.3})]
QUERIES = ["the grey lamp, the lamp", "boats", "nothing known", ""]


def joined(sentences, gap=" "):
    text, bounds = "", []
    for sentence in sentences:
        bounds.append((len(text), len(text) + len(sentence)))
        text += sentence + gap
    return text, bounds


def alike(text, bounds, sizes, queries=QUERIES):
    """Compare with an index prepared for each length alone; how many were compared."""
    compared = 0
    for size, read, indices in indexing.by_size(text, bounds, sizes, SETTINGS):
        assert list(read) == list(texts(text, bounds, size))
        for ranking, index in zip(SETTINGS, indices, strict=True):
            alone = BM25.prepare(texts(text, bounds, size), ranking.parameters)
            assert index.scores(queries).tobytes() == alone.scores(queries).tobytes()
            compared += 1
    return compared


WORDS = st.sampled_from(["grey", "lamp", "boats", "don't", "'tis", "the", "*", "İ", "naïve", "x'", "ΟΔΟΣ"])


@given(
    st.lists(st.lists(WORDS, min_size=1, max_size=6).map(" ".join), min_size=4, max_size=12),
    st.sets(st.integers(1, 4), min_size=1, max_size=3),
    st.sampled_from([" ", "\n", "", "\n\nCHAPTER\n\n"]),
)
def test_every_bit_is_the_same(sentences, sizes, gap):
    text, bounds = joined(["The grey lamp.", *sentences], gap)
    assert alike(text, bounds, sizes) == 2 * len(sizes)


@pytest.mark.parametrize(
    ("text", "bounds", "sums"),
    [
        ("One. Two.", [(0, 4), (5, 9)], True),
        ("One.Two.", [(0, 4), (4, 8)], True),
        ("onetwo", [(0, 3), (3, 6)], False),
        ("one'two", [(0, 3), (3, 7)], False),
        ("one — two", [(0, 5), (5, 9)], True),
        ("ΟΔΟΣ. One.", [(0, 5), (6, 10)], False),
        ("one", [(0, 3)], True),
    ],
)
def test_where_words_do_not_add_up_is_known(text, bounds, sums):
    assert adds_up(text, bounds) == sums


def test_sentences_are_read_once_for_all_lengths_and_settings():
    text, bounds = joined([f"Lamp {n} of the boats." for n in range(30)])
    read = []

    class Read(list):
        def __iter__(self):
            read.append(len(self))
            return super().__iter__()

    seen = []

    def watch(given, size):
        seen.append(size)
        return Read(given)

    assert [each.size for each in indexing.by_size(text, bounds, [5, 1, 3], SETTINGS, watch)] == [1, 3, 5]
    assert (read, seen) == ([30], [indexing.ALL])
    read.clear()
    list(indexing.by_size(text, bounds, [2], SETTINGS, watch))
    assert read == [29]


def test_a_length_beyond_the_book_is_refused_by_the_ranker():
    text, bounds = joined(["One lamp.", "Two lamps."])
    with pytest.raises(BadInput, match="no passage"):
        list(indexing.by_size(text, bounds, [1, 3], SETTINGS))


def test_a_ranker_that_does_not_count_prepares_each_length():
    class Plain:
        slug, label, queue, parameters = "plain", "Plain", "cpu", {}

        def prepare(self, passages, parameters):
            return (len(passages), dict(parameters))

    text, bounds = joined(["One lamp.", "Two lamps.", "Three."])
    mixed = [Ranking("plain", Plain(), {"x": 1}), *SETTINGS]
    found = list(indexing.by_size(text, bounds, [1, 2], mixed))
    assert [each.indices[0] for each in found] == [(3, {"x": 1}), (2, {"x": 1})]


@pytest.mark.skipif(not DATA, reason="VARIORUM_TEST_DATA names no folder of real texts")
def test_a_novel_at_five_lengths():
    text = (Path(DATA) / "novels" / "heart_of_darkness.txt").read_text(encoding="utf-8")
    bounds = segment(text).sentences
    assert adds_up(text, bounds)
    queries = [passages.slice_text(text, bounds, passages.Passage(n, 6)) for n in range(0, 600, 60)]
    assert alike(text, bounds, [1, 2, 3, 4, 5], queries) == 10
