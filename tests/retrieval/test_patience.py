"""Rankings that would hold a page for longer than one should wait."""

import json

import pytest

from common.errors import BadInput
from retrieval.candidates import pipeline, submitting
from retrieval.candidates.more_negatives import more_negatives
from retrieval.models import CandidateJob
from retrieval.search import patience
from retrieval.search.evidence import search
from tests import builders

pytestmark = pytest.mark.django_db
VECTORS = "boats 1 0 .2\nfleet 1 .1 .2\nlamps 0 1 .3\nmorning .3 .3 1\ntown .1 .2 .9\n"
URL = "/books/boats/search/?claim=boats+in+the+morning&ranker=wmd+vectors%3Dsea"


@pytest.fixture(autouse=True)
def nothing_prepared():
    patience.index_cache.clear()
    yield
    patience.index_cache.clear()


@pytest.fixture
def boats(settings, tmp_path):
    from retrieval.engine.words.kinds import KINDS
    from retrieval.words import tables

    settings.DATA_DIR, settings.DEVICE = tmp_path / "data", "cpu"
    (tmp_path / "sea.txt").write_text(VECTORS)
    tables.add(tmp_path / "sea.txt", KINDS["vectors"], "sea")
    return builders.excerpt(builders.book(), builders.source()).book


@pytest.fixture
def no_time(monkeypatch):
    """Every ranking that reads a passage has taken too long."""
    monkeypatch.setattr(patience, "LONGEST_RANKING", -1.0)


def test_a_search_that_takes_too_long_is_refused_in_a_sentence(boats, no_time):
    with pytest.raises(BadInput, match=r"Word Mover's Distance takes longer than .* have a job do it"):
        search(boats, "boats in the morning", ranker="wmd")
    assert search(boats, "boats in the morning", ranker="tfidf"), "answers at once, and reads no passage"


def test_the_index_is_kept_and_the_next_query_has_its_own_time(boats, monkeypatch):
    monkeypatch.setattr(patience, "LONGEST_RANKING", -1.0)
    with pytest.raises(patience.TooLong):
        search(boats, "boats in the morning", ranker="wmd")
    assert len(patience.index_cache) == 1
    monkeypatch.setattr(patience, "LONGEST_RANKING", 60.0)
    assert search(boats, "boats in the morning", ranker="wmd")


def test_the_page_and_the_api_say_so(boats, no_time, as_user, stan):
    shown = as_user(stan).get(URL)
    assert shown.status_code == 422
    assert "take fewer words, shorter passages or another ranker" in shown.text
    answer = as_user(stan).get("/api/v1" + URL)
    assert answer.status_code == 400
    assert "too long for a page to wait" in json.dumps(answer.json())


def test_more_negatives_are_those_of_another_job_where_ranking_takes_too_long(boats, no_time):
    jobs = [
        submitting.submit(boats, ranker="wmd", parameters={"negatives": n, "matching": False}) for n in (1, 3)
    ]
    for job in jobs:
        assert pipeline.attempt(job.pk, "one")
    few, many = (CandidateJob.objects.get(pk=job.pk) for job in jobs)
    excerpt = few.excerpts.get()
    assert len(more_negatives(few, excerpt, 3).candidates) == 3
    CandidateJob.objects.filter(pk=many.pk).update(words={"vectors/sea": "of another file"})
    alone = more_negatives(few, excerpt, 3)
    assert len(alone.candidates) == 1
    assert "run a job with the same settings and more negatives" in alone.reason
