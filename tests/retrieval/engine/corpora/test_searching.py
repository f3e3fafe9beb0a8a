"""Search against bm25s, and against a reference that is written out."""

import math
from collections import Counter
from random import Random

import bm25s
import numpy as np
import pytest

from common.errors import BadInput
from retrieval.engine.corpora import searching
from retrieval.engine.corpora.index import subset
from retrieval.engine.corpora.searching import Searcher
from retrieval.engine.corpora.tokenising import TokenSettings
from retrieval.engine.corpora.weighting import VARIANTS, Bm25Settings
from tests.retrieval.engine.corpora.made import WORDS, indexed, texts

PARAMETERS = [(0.9, 0.4), (1.2, 0.75), (0.01, 1.0), (100.0, 0.0)]


def theirs(documents: list[str], settings: Bm25Settings) -> bm25s.BM25:
    retriever = bm25s.BM25(
        k1=settings.k1, b=settings.b, delta=settings.delta, method=settings.variant, dtype="float64"
    )
    retriever.index([text.split() for text in documents], show_progress=False)
    return retriever


def all_scores(searcher: Searcher, query: dict[str, float]) -> dict[int, float]:
    return dict(searcher.search(query, len(searcher.index)).run())


def by_hand(documents, query, settings, chosen=None):
    """BM25 of the five variants from their formulas; `chosen` are the numbers of a subset."""
    chosen = range(len(documents)) if chosen is None else chosen
    counts = {number: Counter(documents[number].split()) for number in chosen}
    n = len(counts)
    mean = sum(one.total() for one in counts.values()) / n
    k1, b, delta = settings.k1, settings.b, settings.delta
    found = {}
    for number, one in counts.items():
        norm = 1 - b + b * one.total() / mean
        if not any(one[term] for term in query):
            continue
        score = 0.0
        for term, weight in query.items():
            df = sum(term in other for other in counts.values())
            if not df:
                continue
            tf = one[term]
            part = {
                "lucene": math.log(1 + (n - df + 0.5) / (df + 0.5)) * tf / (tf + k1 * norm),
                "robertson": max(0.0, math.log((n - df + 0.5) / (df + 0.5))) * tf / (tf + k1 * norm),
                "atire": math.log(n / df) * tf * (k1 + 1) / (tf + k1 * norm),
                "bm25l": math.log((n + 1) / (df + 0.5))
                * (k1 + 1)
                * (tf / norm + delta)
                / (k1 + tf / norm + delta),
                "bm25+": math.log((n + 1) / df) * (tf * (k1 + 1) / (tf + k1 * norm) + delta),
            }[settings.variant]
            score += weight * part
        if score > 0:
            found[number] = score
    return found


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(("k1", "b"), PARAMETERS)
def test_scores_equal_bm25s(tmp_path, variant, k1, b):
    random = Random(k1)
    for seed, number in ((1, 4), (2, 90)):
        documents = [text or "w59" for text in texts(seed, number)]
        settings = Bm25Settings(variant, k1, b)
        searcher = Searcher(indexed(tmp_path, documents, name=f"n{number}", block_tokens=300), settings)
        retriever = theirs(documents, settings)
        for _ in range(20):
            words = random.choices(WORDS, k=random.randint(1, 12))
            known = [word for word in words if word in retriever.vocab_dict]
            if not known:
                continue
            expected = retriever.get_scores(known)
            ours = all_scores(searcher, dict(Counter(words)))
            held = [n for n, text in enumerate(documents) if set(text.split()) & set(known)]
            # Not found: what holds none of the words, and what they give nothing.
            assert set(ours) <= set(held)
            assert all(expected[n] < 1e-12 for n in held if n not in ours)
            np.testing.assert_allclose([ours[n] for n in ours], expected[list(ours)], rtol=1e-11)


@pytest.mark.parametrize("variant", ["lucene", "robertson", "atire"])
def test_scores_equal_bm25s_in_every_bit_where_words_come_once_and_in_order(tmp_path, variant):
    documents = [text or "w59" for text in texts(3, 200)]
    settings = Bm25Settings(variant)
    searcher, retriever = Searcher(indexed(tmp_path, documents), settings), theirs(documents, settings)
    for size in (1, 3, 20):
        query = sorted(Random(size).sample(WORDS[:50], size))
        expected = retriever.get_scores(query)
        found = searcher.search(dict.fromkeys(query, 1.0), 200)
        assert found.scores.tolist() == expected[found.numbers].tolist()
        assert np.flatnonzero(expected > 0).tolist() == sorted(found.numbers.tolist())


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("few", [0, 10**9])
def test_weighted_queries_equal_the_formulas_in_the_whole_and_in_subsets(tmp_path, variant, few, monkeypatch):
    monkeypatch.setattr(searching, "_FEW", few)  # few or many postings for the number of documents
    monkeypatch.setattr(searching, "_AT_A_TIME", 7)
    documents, random = texts(4, 60), Random(variant)
    index = indexed(tmp_path, documents)
    settings = Bm25Settings(variant, 1.3, 0.6, 0.7)
    mask = np.array([random.random() < 0.4 for _ in documents])
    for chosen, part in ((None, None), (np.flatnonzero(mask).tolist(), subset(index, mask, "some"))):
        searcher = Searcher(index, settings, part)
        for _ in range(25):
            query = {word: random.random() * 3 for word in random.sample([*WORDS, "nowhere"], 6)}
            expected = by_hand(documents, query, settings, chosen)
            found = searcher.search(query, 60)
            assert sorted(found.numbers.tolist()) == sorted(expected)
            assert found.matched == len(expected)
            for number, score in found.run():
                assert score == pytest.approx(expected[number], rel=1e-12)


def test_equal_scores_are_ordered_by_number_at_the_cut_too(tmp_path):
    documents = [["sea ship", "sea"][number % 2] for number in range(400)]
    searcher = Searcher(indexed(tmp_path, documents))
    for k in (1, 7, 100, 200, 201, 399, 400, 500):
        found = searcher.search({"sea": 1.0}, k)
        assert found.numbers.tolist() == [*range(1, 400, 2), *range(0, 400, 2)][:k]
        assert found.matched == 400


def test_the_order_of_a_query_changes_no_bit(tmp_path):
    searcher, random = Searcher(indexed(tmp_path, texts(5, 300))), Random(5)
    query = {word: random.random() for word in WORDS[:40]}
    expected = searcher.search(query, 300)
    for _ in range(5):
        shuffled = dict(random.sample(list(query.items()), len(query)))
        found = searcher.search(shuffled, 300)
        assert found.run() == expected.run()


def test_repeated_words_count_and_unknown_ones_are_told(tmp_path):
    index = indexed(tmp_path, ["sea ship", "ship dawn", "dawn"])
    searcher = Searcher(index)
    once = searcher.search(index.tokeniser.query("Sea"), 3)
    twice = searcher.search(index.tokeniser.query("sea SEA gin, gin craze"), 3)
    assert twice.scores.tolist() == [2 * once.scores[0]]
    assert list(twice.unknown.items()) == [("craze", 1.0), ("gin", 2.0)]
    assert once.unknown == {}


def test_a_term_outside_the_subset_is_unknown_there(tmp_path):
    index = indexed(tmp_path, ["sea ship", "ship dawn"])
    searcher = Searcher(index, subset=subset(index, [False, True], "second"))
    found = searcher.search({"sea": 1.0, "dawn": 1.0}, 5)
    assert (found.numbers.tolist(), found.unknown) == ([1], {"sea": 1.0})
    assert [searcher.frequency(term) for term in ("sea", "ship", "nowhere")] == [0, 1, 0]


@pytest.mark.parametrize("query", [{}, {"nowhere": 1.0}, {"sea": 0.0}])
def test_a_query_that_says_nothing_finds_nothing(tmp_path, query):
    found = Searcher(indexed(tmp_path, ["sea ship", "ship"])).search(query, 3)
    assert (found.run(), found.matched) == ([], 0)


def test_a_word_of_every_document_adds_nothing_in_robertson_and_atire(tmp_path):
    index = indexed(tmp_path, ["the sea", "the ship", "the the"])
    for variant, matched in (("robertson", 0), ("atire", 0), ("lucene", 3), ("bm25l", 3), ("bm25+", 3)):
        assert Searcher(index, Bm25Settings(variant)).search({"the": 1.0}, 3).matched == matched


def test_a_search_leaves_nothing_behind(tmp_path):
    documents = texts(6, 200)
    index = indexed(tmp_path, documents)
    searcher, random = Searcher(index), Random(6)
    for number in range(40):
        query = dict.fromkeys(random.sample(WORDS, random.choice([1, 30])), 1.0)
        if number % 5 == 0:
            with pytest.raises(BadInput):
                searcher.search({**query, "w00": -1.0}, 10)
        assert searcher.search(query, 10).run() == Searcher(index).search(query, 10).run()
        assert not searcher._scores.any()


def test_an_interrupted_search_leaves_nothing_behind(tmp_path, monkeypatch):
    searcher = Searcher(indexed(tmp_path, ["sea ship", "ship"]))

    def interrupted(*given):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Searcher, "_best", interrupted)
        with pytest.raises(KeyboardInterrupt):
            searcher.search({"sea": 1.0}, 1)
    assert searcher.search({"ship": 1.0}, 2).numbers.tolist() == [1, 0]


def test_a_batch_tells_its_progress_and_can_be_stopped(tmp_path):
    searcher, told = Searcher(indexed(tmp_path, ["sea ship", "ship"])), []
    queries = [{"sea": 1.0}, {}, {"ship": 2.0}]
    found = list(searcher.search_all(queries, 2, lambda *how: told.append(how)))
    assert [one.numbers.tolist() for one in found] == [[0], [], [1, 0]]
    assert told == [(1, 3, "Searching"), (2, 3, "Searching"), (3, 3, "Searching")]

    def stop(done: int, total: int, stage: str) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        list(searcher.search_all(queries, 2, stop))


def test_what_a_run_stores_of_a_search(tmp_path):
    index = indexed(tmp_path, ["sea ship", "ship"], settings=TokenSettings(stemmer="plural"))
    said = Searcher(index, Bm25Settings("atire", 1.2, 0.75)).describe()
    assert said["bm25"] == {"variant": "atire", "k1": 1.2, "b": 0.75, "delta": None}
    assert said["tokens"]["stemmer"] == "plural"
    assert said["index"] == index.manifest.digest
    assert said["subset"] == {"name": "all", "documents": 2, "mean_length": 1.5, "mask_sha256": None}
    assert said["ties"] == "score descending, then document number ascending"
    assert Bm25Settings("bm25+").as_json()["delta"] == 0.5


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"variant": "okapi"}, "There is no variant 'okapi' of BM25; choose one of: atire, bm25"),
        ({"k1": 0}, "k1 is 0; it must be a number from 0.01 to 100"),
        ({"k1": math.nan}, "k1 is nan"),
        ({"b": 1.1}, "b is 1.1; it must be a number from 0 to 1"),
        ({"b": True}, "b is True"),
        ({"delta": "much"}, "delta is 'much'"),
    ],
)
def test_wrong_parameters_are_refused(given, sentence):
    with pytest.raises(BadInput, match=sentence):
        Bm25Settings(**given)


@pytest.mark.parametrize(
    ("query", "k", "sentence"),
    [
        ({"sea": 1.0}, 0, "asked for is 0; it must be 1 or more"),
        ({"sea": -0.5}, 1, "The weight of 'sea' is -0.5"),
        ({"sea": math.inf}, 1, "The weight of 'sea' is inf"),
        ({"nowhere": math.nan}, 1, "The weight of 'nowhere' is nan"),
    ],
)
def test_wrong_queries_are_refused(tmp_path, query, k, sentence):
    with pytest.raises(BadInput, match=sentence):
        Searcher(indexed(tmp_path, ["sea"])).search(query, k)
