"""RELiC's second study: excerpts whose gold a job ranked too low."""

import pytest

from common.errors import BadInput
from retrieval.candidates.missed_gold import missed_gold
from retrieval.models import Candidate
from tests import builders

pytestmark = pytest.mark.django_db


@pytest.fixture
def job():
    book, critic = builders.book(), builders.source()
    job = builders.finished_job(book, [builders.excerpt(book, critic, first) for first in (3, 9, 15)])
    for excerpt, rank in zip(book.excerpts.order_by("pk"), (1000, 1001, 4000), strict=True):
        Candidate.objects.filter(job=job, excerpt=excerpt, is_gold=True).update(rank=rank)
    return job


def test_only_golds_beyond_the_cutoff(job):
    assert [excerpt.first for excerpt in missed_gold(job)] == [9, 15]
    assert [excerpt.first for excerpt in missed_gold(job, beyond=1001)] == [15]
    assert missed_gold(job, beyond=999).count() == 3


def test_other_jobs_do_not_count(job):
    other = builders.finished_job(job.book, list(job.book.excerpts.all()))
    assert not missed_gold(other).exists()


def test_refused(job):
    with pytest.raises(BadInput, match="it must be 1 or more"):
        missed_gold(job, beyond=0)
