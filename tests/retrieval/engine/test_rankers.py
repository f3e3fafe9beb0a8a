"""The registry, and what every registered ranker must do."""

import numpy as np
import pytest

from common.errors import BadInput
from retrieval.engine.ranking import order, rankers
from retrieval.engine.words.tables import LemmaTable, StopList, SynonymTable
from retrieval.engine.words.vectors import WordVectors

PASSAGES = ["The ship left at dawn.", "Nobody saw the ship leave.", "", "She read the letter twice."]
QUERIES = ["a ship at dawn", "the letter", "zzz"]
WORDS = ["ship", "dawn", "letter", "leave", "boat", "zzz"]
THINGS = {
    "word vectors": WordVectors(WORDS, np.random.default_rng(1).normal(size=(6, 4)).astype(np.float32)),
    "lemma table": LemmaTable({"left": "leave"}),
    "synonym table": SynonymTable({"ship": frozenset({1}), "letter": frozenset({1})}),
    "stop list": StopList(frozenset({"the"})),
}


@pytest.fixture(params=[ranker.slug for ranker in rankers.all() if "checkpoint" not in ranker.parameters])
def ranker(request: pytest.FixtureRequest) -> rankers.Ranker:
    return rankers.get(request.param)


@pytest.fixture
def index(ranker: rankers.Ranker) -> rankers.Index:
    """The passages, prepared with a thing in place of every name that the ranker takes."""
    named = {name: each.kind for name, each in ranker.parameters.items() if isinstance(each, rankers.Named)}
    return ranker.prepare(PASSAGES, {name: THINGS[kind] for name, kind in named.items()})


def test_scores_are_numbers_or_unranked_one_row_a_query(index: rankers.Index) -> None:
    scores = index.scores(QUERIES)
    assert scores.shape == (3, 4)
    assert scores.dtype == np.float64
    assert (np.isfinite(scores) | (scores == order.UNRANKED)).all()
    assert scores[0].argmax() == 0


def test_the_same_query_scores_the_same_alone_and_among_others(index: rankers.Index) -> None:
    assert np.array_equal(index.scores(QUERIES)[1], index.scores(QUERIES[1:2])[0])
    assert index.scores([]).shape == (0, 4)


def test_a_ranker_names_its_queue_and_what_a_job_stores(ranker: rankers.Ranker) -> None:
    assert ranker.queue in ("cpu", "gpu")
    assert set(ranker.describe()) == {"library", "version", "variant", "tokeniser"}
    assert all(ranker.describe().values())


def test_defaults_are_valid_and_complete(ranker: rankers.Ranker) -> None:
    assert rankers.complete(ranker, {}) == dict(ranker.defaults) == rankers.complete(ranker, ranker.defaults)


def test_bm25_is_there_with_the_study_s_parameters() -> None:
    assert dict(rankers.get("bm25").defaults) == {"k1": 0.5, "b": 0.9}
    assert rankers.complete(rankers.get("bm25"), {"k1": 2}) == {"k1": 2.0, "b": 0.9}


def test_an_unknown_ranker_is_answered_with_the_known_ones() -> None:
    with pytest.raises(BadInput, match=r"no ranker called 'bm52'; choose one of: .*bm25"):
        rankers.get("bm52")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"k2": 1.0}, r"bm25 has no parameter 'k2'; it takes: b, k1"),
        ({"k1": "0.5"}, r"parameter k1 is '0.5'; it must be a number from 0.01 to 100"),
        ({"k1": True}, r"parameter k1 is True"),
        ({"b": None}, r"parameter b is None"),
        ({"b": float("nan")}, r"parameter b is nan"),
        ({"b": 1.1}, r"parameter b is 1.1; it must be a number from 0 to 1"),
        ({"k1": 0}, r"parameter k1 is 0;"),
        ({"k1": float("inf")}, r"parameter k1 is inf"),
        ({"k1": 10**400}, r"parameter k1 is"),
    ],
)
def test_a_wrong_parameter_is_named(given: dict, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        rankers.get("bm25").prepare(PASSAGES, given)


def test_two_rankers_cannot_share_a_slug() -> None:
    class Impostor:
        slug = "bm25"

    with pytest.raises(ValueError, match="Two rankers are called 'bm25'"):
        rankers.register(Impostor())
    rankers.register(rankers.get("bm25"))
    assert rankers.get("bm25").label == "BM25"
