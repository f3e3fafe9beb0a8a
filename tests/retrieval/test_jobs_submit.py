"""Submitting: what is asked for is checked, completed and frozen."""

from dataclasses import asdict

import pytest

from common.errors import BadInput
from retrieval.candidates import submitting
from retrieval.engine.ranking.matching import Matching
from retrieval.jobs import queue
from retrieval.models import CandidateJob, Status
from tests import builders

pytestmark = pytest.mark.django_db


@pytest.fixture
def boats():
    book, critic = builders.book(), builders.source()
    for first, size in ((3, 1), (8, 1), (12, 2)):
        builders.excerpt(book, critic, first=first, size=size)
    return book


def test_a_job_says_all_that_is_needed_to_repeat_it(boats, stan):
    job = submitting.submit(boats, ranker="bm25", parameters={"k1": 0.9}, by=stan)
    assert (job.status, job.queue, job.total, job.done, job.created_by) == (Status.QUEUED, "cpu", 3, 0, stan)
    rules, matching = job.parameters.pop("rules"), job.parameters.pop("matching")
    assert job.parameters == {"negatives": 2, "size": None, "left": 4, "right": 4, "k1": 0.9, "b": 0.9}
    assert rules["overlap"] is True
    assert rules["run"] == 8
    assert matching == asdict(Matching())
    assert job.made_with["library"] == "rank_bm25"
    assert job.made_with["tokeniser"] == "words-2"
    release, _, heart = job.code_version.partition("+engine.")
    assert release.count(".") == 2
    assert len(heart) == 12


def test_the_total_counts_excerpts_of_the_size_that_have_a_place(boats):
    unplaced = boats.excerpts.get(first=8)
    unplaced.first = unplaced.size = None
    unplaced.save()
    assert submitting.submit(boats, ranker="bm25", parameters={}).total == 2
    assert submitting.submit(boats, ranker="bm25", parameters={"size": 2}).total == 1


def test_the_same_job_may_be_asked_for_twice(boats):
    first, second = (submitting.submit(boats, ranker="bm25", parameters={}) for _ in range(2))
    assert first.pk != second.pk


def test_excerpts_found_later_are_no_part_of_a_job(boats):
    job = submitting.submit(boats, ranker="bm25", parameters={})
    builders.excerpt(boats, builders.source("late"), first=5)
    assert [each.first for each in submitting.excerpts_to_rank(job)] == [3, 8, 12]


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"matching": 1}, "matching is 1; it must be true, false or an object of: length, case, mark"),
        ({"matching": {"colour": True}}, "cannot be matched in 'colour'; they can in: length, case, mark"),
        ({"matching": {"case": 1}}, "switch case of matching is 1; it must be true or false"),
        ({"matching": {"band": 1.0}}, "band of matching is 1.0; it must be a number from 1.05 to 3.0"),
        ({"matching": {"band": True}}, "band of matching is True"),
        ({"matching": True, "pool": 10}, "leave out matching, or pool"),
        ({"negatives": 0}, "negatives is 0; it must be a whole number from 1 to 50"),
        ({"negatives": 51}, "negatives is 51"),
        ({"negatives": 11}, r"are at most 10 for each excerpt, not 11: .* grows with the square"),
        (
            {"negatives": 11, "matching": {"length": False}},
            "Ask for at most 10, or switch length and context",
        ),
        ({"negatives": None}, "negatives is None"),
        ({"negatives": True}, "negatives is True"),
        ({"negatives": 2.0}, "negatives is 2.0"),
        ({"negatives": "2"}, "negatives is '2'"),
        ({"size": 0}, "size is 0; it must be a whole number from 1 to 20, a range such as 1-5, or left out"),
        ({"size": 21}, "size is 21"),
        ({"left": 5}, "left is 5; it must be a whole number from 0 to 4"),
        ({"right": -1}, "right is -1"),
        ({"left": 0, "right": 0}, "left and right are both 0"),
        ({"k1": -1}, "parameter k1 is -1; it must be a number from"),
        ({"k1": float("nan")}, "parameter k1 is nan"),
        ({"k2": 1}, "no parameter 'k2'; it takes: negatives, size, left, right, rules, matching, b, k1"),
        ({"rules": []}, r"rules is \[\]; it must be an object"),
        ({"rules": {"overlaps": True}}, "no rule 'overlaps'; the rules are: gold, overlap"),
        ({"rules": {"overlap": 1}}, "rule overlap is 1; it must be true or false"),
        ({"rules": {"run": 0}}, "rule run is 0; it must be a whole number"),
        ({"rules": {"gold": False}}, "gold cannot be switched off"),
        ({"size": 7}, "book 'boats' has no excerpt with a passage of 7 sentence"),
    ],
)
def test_a_wrong_parameter_is_named_and_leaves_nothing(boats, parameters, says):
    with pytest.raises(BadInput, match=says):
        submitting.submit(boats, ranker="bm25", parameters=parameters)
    assert not CandidateJob.objects.exists()


@pytest.mark.parametrize(
    ("number", "matching"), [(10, True), (50, {"length": False, "context": False}), (50, False)]
)
def test_so_many_negatives_are_as_many_as_their_matching_can_bear(boats, number, matching):
    asked = {"negatives": number, "matching": matching}
    assert submitting.submit(boats, ranker="bm25", parameters=asked).parameters["negatives"] == number


def test_an_unknown_ranker_is_answered_with_the_known_ones(boats):
    with pytest.raises(BadInput, match=r"no ranker called 'bm52'; choose one of: .*bm25"):
        submitting.submit(boats, ranker="bm52", parameters={})


def test_a_book_without_excerpts_is_refused():
    with pytest.raises(BadInput, match="'empty' has no excerpt with a passage: import a source"):
        submitting.submit(builders.book("empty"), ranker="bm25", parameters={})


def test_a_ranker_chooses_its_queue(boats, monkeypatch, settings):
    from retrieval.engine.ranking import rankers

    monkeypatch.setattr(type(rankers.get("bm25")), "queue", "gpu")
    assert submitting.submit(boats, ranker="bm25", parameters={}).queue == "cpu"
    settings.DEVICE = "cuda"
    CandidateJob.objects.all().delete()
    job = submitting.submit(boats, ranker="bm25", parameters={})
    assert job.queue == "gpu"
    assert queue.claimable(["cpu"]) == []
    assert queue.claimable(["cpu", "gpu"]) == [job.pk]
