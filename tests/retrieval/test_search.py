"""A claim in, passages out."""

import os
from pathlib import Path

import numpy as np
import pytest

from common.errors import BadInput
from retrieval.engine.ranking import order, rankers
from retrieval.engine.text.passages import texts
from retrieval.loading import import_book
from retrieval.models import Book
from retrieval.search import patience
from retrieval.search.evidence import search
from tests import builders

pytestmark = pytest.mark.django_db
DATA = os.environ.get("VARIORUM_TEST_DATA") or None


@pytest.fixture(autouse=True)
def nothing_prepared():
    patience.index_cache.clear()


@pytest.fixture
def boats():
    return builders.book()


def test_best_passage_first_with_its_words_and_place(boats):
    hits = search(boats, "The TARRED boats", k=3)
    assert hits[0].first == 6
    assert hits[0].text == boats.passage(6, 1)
    assert (hits[0].rank, hits[0].size, hits[0].heading) == (1, 1, "")
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


@pytest.mark.parametrize("size", [1, 3])
def test_hits_are_the_rankers_own_order(boats, size):
    claim = "silent lamps before the crooked morning"
    hits = search(boats, claim, size=size, k=8, overlapping=True)
    index = rankers.get("bm25").prepare(texts(boats.text, boats.bounds(), size), {})
    scores = index.scores([claim])[0]
    assert [hit.first for hit in hits] == order.top(scores, 8).tolist()
    assert [hit.rank for hit in hits] == list(range(1, 9))
    assert [hit.score for hit in hits] == scores[[hit.first for hit in hits]].tolist()


def test_overlapping_passages_are_shown_once_and_ranks_stay_true(boats):
    hits = search(boats, "the crooked fleet", size=3, k=5)
    assert hits[0].rank == 1
    assert hits[1].rank > 2
    spans = [set(range(hit.first, hit.first + 3)) for hit in hits]
    assert sum(map(len, spans)) == len(set.union(*spans))


def test_passages_without_a_word_in_common_are_no_hits():
    book = builders.book(sentences=["A whale rose.", "The sea was calm.", "Nobody spoke.", "It rained."])
    assert [hit.first for hit in search(book, "calm seas, one calm sea")] == [1]


def test_the_heading_above_is_told():
    sentences = ["CHAPTER I", "The whale rose.", "CHAPTER  II", "The gull sang.", "It sang again."]
    book = builders.book(sentences=sentences)
    book.headings, book.sentences = (
        [book.sentences[0], book.sentences[2]],
        book.sentences[1:2] + book.sentences[3:],
    )
    book.n_sentences = 3
    assert search(book, "whale")[0].heading == "CHAPTER I"
    assert search(book, "gull")[0].heading == "CHAPTER II"


def test_an_index_is_prepared_once_for_each_book_length_and_parameters(boats, monkeypatch):
    made = []
    ranker = type(rankers.get("bm25"))
    prepare = ranker.prepare
    monkeypatch.setattr(ranker, "prepare", lambda *given: made.append(1) or prepare(*given))
    for _ in range(2):
        search(boats, "tarred")
        search(boats, "tarred", size=2)
        search(boats, "tarred", parameters={"k1": 1.2})
        search(boats, "tarred", parameters={"b": 0.9, "k1": 0.5})
    assert len(made) == 3


def test_a_book_whose_sentences_changed_is_not_taken_from_memory(boats):
    search(boats, "tarred")
    boats.sentences, boats.n_sentences = boats.sentences[6:], boats.n_sentences - 6
    assert search(boats, "tarred")[0].first == 0


@pytest.mark.parametrize(
    ("claim", "options", "sentence"),
    [
        ("", {}, "The claim has no word"),
        ("… — !", {}, "The claim has no word"),
        ("xylophone zebra", {}, "No word of the claim occurs in The Boats"),
        ("boats " * 2000, {}, "12,000 characters; at most 10,000"),
        ("boats", {"size": 0}, "The size is 0"),
        ("boats", {"size": 21}, "1 to 20"),
        ("boats", {"k": 0}, "from 1 to 200"),
        ("boats", {"ranker": "bm52"}, "choose one of: bm25"),
        ("boats", {"parameters": {"k1": -1}}, "The parameter k1 is -1"),
        ("boats", {"parameters": {"k2": 1}}, "no parameter 'k2'"),
    ],
)
def test_refused_in_one_sentence(boats, claim, options, sentence):
    with pytest.raises(BadInput, match=sentence):
        search(boats, claim, **options)


def test_a_book_of_one_sentence():
    book = builders.book(sentences=["The whale rose."])
    assert [hit.first for hit in search(book, "whale")] == [0]
    with pytest.raises(BadInput, match=r"The Boats has 1 sentence, so there is no passage of 3"):
        search(book, "whale", size=3)


@pytest.mark.skipif(DATA is None, reason="VARIORUM_TEST_DATA names no folder of real texts")
def test_a_novel_is_indexed_by_its_first_search_alone(monkeypatch):
    path = Path(DATA) / "novels" / "pride_and_prejudice.txt"
    facts = {"title": "Pride and Prejudice", "author": "Jane Austen", "year": 1813}
    import_book(path.read_bytes(), name=path.name, slug="pride", **facts)
    claim = "Elizabeth is ashamed of her family at the ball"
    book = Book.objects.get(slug="pride")
    first = search(book, claim, size=3)
    monkeypatch.setattr(type(rankers.get("bm25")), "prepare", None)
    hits = search(book, claim, size=3)
    assert hits == first
    assert len(hits) == 20
    assert all(hit.heading for hit in hits)
    assert np.all(np.diff([hit.rank for hit in hits]) > 0)
