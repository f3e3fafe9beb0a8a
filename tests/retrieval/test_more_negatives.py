"""The candidates that come next: kept ones first, ranked again where no model is needed, else other jobs'."""

from __future__ import annotations

import pytest

from retrieval.candidates.more_negatives import more_negatives
from retrieval.models import CandidateJob
from tests import builders

pytestmark = pytest.mark.django_db


@pytest.fixture
def excerpt():
    return builders.excerpt(builders.book(), builders.source())


def dense_job(excerpt, negatives, **parameters):
    """As a worker with a model left it."""
    job = builders.finished_job(excerpt.book, [excerpt], negatives)
    job.ranker, job.parameters = "dense", {**job.parameters, "checkpoint": "toy", **parameters}
    CandidateJob.objects.filter(pk=job.pk).update(ranker="dense", parameters=job.parameters)
    return CandidateJob.objects.get(pk=job.pk)


def places(found):
    return [each.first for each in found.candidates]


def test_what_was_kept_is_enough(excerpt):
    job = dense_job(excerpt, 4)
    found = more_negatives(job, excerpt, 3)
    assert len(found.candidates) == 3
    assert found.reason == ""
    assert [each.rank for each in found.candidates] == sorted(each.rank for each in found.candidates)
    assert not any(each.is_gold for each in found.candidates)


def test_a_ranker_with_a_model_is_not_run_here_but_other_jobs_help(excerpt):
    job = dense_job(excerpt, 2)
    alone = more_negatives(job, excerpt, 4)
    assert len(alone.candidates) == 2
    assert "run a job with the same settings and more negatives" in alone.reason
    dense_job(excerpt, 6, checkpoint="another")
    assert places(more_negatives(job, excerpt, 4)) == places(alone), "ranked by another model"
    more = dense_job(excerpt, 5)
    found = more_negatives(job, excerpt, 4)
    assert places(found) == places(more_negatives(more, excerpt, 4))
    assert found.reason == ""


def test_a_pool_is_all_there_is(excerpt):
    job = builders.finished_job(excerpt.book, [excerpt], 3)
    job.parameters["pool"] = {"size": 10, "method": "rrf", "with": []}
    found = more_negatives(job, excerpt, 9)
    assert (len(found.candidates), found.reason) == (3, "The job kept a pool, and all of it is here.")


def test_an_excerpt_that_lost_its_place_gets_no_more(excerpt):
    job = builders.finished_job(excerpt.book, [excerpt], 2)
    excerpt.first = excerpt.size = None
    found = more_negatives(job, excerpt, 5)
    assert len(found.candidates) == 2
    assert "no place in the book" in found.reason
