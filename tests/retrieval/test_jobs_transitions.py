"""Every transition of a job, and everyone who comes too late for one."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import OperationalError
from django.db.models import DateTimeField, ExpressionWrapper, F
from django.db.models.functions import Now

from retrieval.candidates import submitting
from retrieval.jobs import attempts, queue
from retrieval.models import CandidateJob, Status
from tests import builders

pytestmark = pytest.mark.django_db


@pytest.fixture
def job():
    book, critic = builders.book(), builders.source()
    for first in range(3, 9):
        builders.excerpt(book, critic, first=first)
    return submitting.submit(book, ranker="bm25", parameters={})


def move(job, **seconds):
    """Set times of the row to so many seconds from now, by the database's clock."""
    moved = {
        name: ExpressionWrapper(Now() + timedelta(seconds=value), output_field=DateTimeField())
        for name, value in seconds.items()
    }
    CandidateJob.objects.filter(pk=job.pk).update(**moved)


def row(job):
    return CandidateJob.objects.get(pk=job.pk)


def now():
    """By the database's clock."""
    return CandidateJob.objects.annotate(at=Now()).values_list("at", flat=True)[0]


def from_now(job, field):
    """Seconds from now to a time of the row, by the database's clock."""
    found = CandidateJob.objects.annotate(gap=F(field) - Now()).get(pk=job.pk)
    return found.gap.total_seconds()


def test_claim_takes_a_waiting_job_for_a_lease(job):
    mine = queue.claim(job.pk, "one")
    assert (mine.status, mine.worker, mine.attempts) == (Status.RUNNING, "one", 1)
    assert from_now(job, "started") <= 0
    assert mine.lease_until - mine.started == timedelta(seconds=60)
    assert queue.claimable(["cpu"]) == []


def test_of_two_claimers_one_wins(job):
    assert queue.claim(job.pk, "one")
    assert queue.claim(job.pk, "two") is None
    assert (row(job).worker, row(job).attempts) == ("one", 1)


def test_there_is_nothing_to_claim_where_there_is_no_job(job):
    assert queue.claim(job.pk + 1, "one") is None


@pytest.mark.parametrize("microsecond", [0, 1, 123456, 999999])
@pytest.mark.parametrize(("seconds", "due"), [(-60, True), (60, False), (-86400, True), (86400, False)])
def test_stored_times_and_the_database_s_now_compare_as_times(job, microsecond, seconds, due):
    """SQLite compares them as text, whose fractions have three digits, six or none."""
    then = (datetime.now(UTC) + timedelta(seconds=seconds)).replace(microsecond=microsecond)
    CandidateJob.objects.filter(pk=job.pk).update(not_before=then)
    assert (queue.claimable(["cpu"]) == [job.pk]) is due
    assert (queue.claim(job.pk, "one") is not None) is due


def test_beat_renews_the_lease_and_writes_the_progress(job):
    mine = queue.claim(job.pk, "one")
    move(job, lease_until=5)
    assert queue.renew_lease(mine, 4, "Ranking", {"gold": 3})
    assert (row(job).done, row(job).stage, row(job).counts) == (4, "Ranking", {"gold": 3})
    assert (mine.done, mine.stage, mine.counts) == (4, "Ranking", {"gold": 3})
    assert row(job).lease_until - row(job).heartbeat == timedelta(seconds=60)
    assert queue.renew_lease(mine, 5)
    assert (row(job).done, row(job).stage, row(job).counts) == (5, "Ranking", {"gold": 3})


def test_a_late_beat_holds_as_long_as_nobody_else_claimed(job):
    mine = queue.claim(job.pk, "one")
    move(job, lease_until=-5)
    assert queue.renew_lease(mine, 1)
    assert queue.claim(job.pk, "two") is None


def test_a_lapsed_lease_can_be_claimed_and_the_first_holder_can_do_nothing_more(job):
    first = queue.claim(job.pk, "one")
    queue.renew_lease(first, 2, "Ranking", {"gold": 2})
    move(job, lease_until=-1)
    assert queue.claimable(["cpu"]) == [job.pk]
    second = queue.claim(job.pk, "two")
    assert (second.attempts, second.done, second.counts) == (2, 2, {"gold": 2})
    assert not queue.renew_lease(first, 6)
    assert not queue.finish(first)
    assert not queue.fail(first, "too late")
    assert not queue.release(first)
    assert (row(job).status, row(job).worker, row(job).done, row(job).error) == ("running", "two", 2, "")


def test_a_worker_that_claims_its_own_lapsed_job_again_is_another_holder(job):
    before = queue.claim(job.pk, "one")
    move(job, lease_until=-1)
    after = queue.claim(job.pk, "one")
    assert not queue.renew_lease(before, 1)
    assert queue.renew_lease(after, 1)


def test_finish(job):
    mine = queue.claim(job.pk, "one")
    assert queue.finish(mine)
    assert (row(job).status, row(job).worker, row(job).lease_until) == (Status.DONE, "", None)
    assert row(job).finished >= row(job).started
    assert not queue.finish(mine)
    assert queue.claim(job.pk, "two") is None


def test_fail_waits_longer_each_time_and_then_says_why(job):
    for attempt, wait in ((1, 5), (2, 20)):
        mine = queue.claim(job.pk, "one")
        move(job, heartbeat=wait)
        assert queue.fail(mine, f"cause {attempt}")
        after = row(job)
        assert (after.status, after.error) == (Status.QUEUED, f"cause {attempt}")
        # So long after the moment of the failure, which was between these two.
        assert after.heartbeat <= after.not_before <= now() + timedelta(seconds=wait)
        move(job, not_before=60)
        assert queue.claimable(["cpu"]) == []
        assert queue.claim(job.pk, "two") is None
        move(job, not_before=-1)
        assert queue.claimable(["cpu"]) == [job.pk]
    assert queue.fail(queue.claim(job.pk, "one"), "cause 3")
    assert (row(job).status, row(job).attempts, row(job).error) == (Status.FAILED, 3, "cause 3")
    assert row(job).finished
    assert queue.claimable(["cpu"]) == []


def test_J03_a_job_that_kills_its_worker_ends_after_three_attempts_with_a_cause(job):
    for attempt in (1, 2, 3):
        assert queue.claim(job.pk, f"worker {attempt}").attempts == attempt
        assert queue.fail_silent_jobs() == 0
        move(job, lease_until=-1)
    assert queue.claim(job.pk, "worker 4") is None
    assert queue.claimable(["cpu"]) == []
    assert queue.fail_silent_jobs() == 1
    assert row(job).status == Status.FAILED
    assert "fell silent for 60 s in each of 3 attempts" in row(job).error
    assert queue.fail_silent_jobs() == 0


def test_give_back_counts_no_attempt(job):
    mine = queue.claim(job.pk, "one")
    queue.renew_lease(mine, 3)
    assert queue.release(mine)
    assert (row(job).status, row(job).attempts, row(job).done, row(job).worker) == ("queued", 0, 3, "")
    assert not queue.renew_lease(mine, 4)
    assert queue.claim(job.pk, "two").attempts == 1


@pytest.mark.parametrize(
    ("said", "attempts_counted"), [("database is locked: others write", 0), ("disk I/O error", 1)]
)
def test_R08_a_job_that_could_not_write_for_others_waits_and_no_attempt_is_counted(
    job, said, attempts_counted, caplog
):
    def run(claimed, *, go_on):
        raise OperationalError(said)

    assert attempts.attempt(CandidateJob, job.pk, "one", run)
    assert (row(job).status, row(job).attempts) == (Status.QUEUED, attempts_counted)
    assert ("Others wrote" in row(job).error) is (attempts_counted == 0)


def test_cancel_a_waiting_job(job):
    assert queue.cancel(job.pk)
    assert row(job).status == Status.CANCELLED
    assert row(job).finished
    assert queue.claimable(["cpu"]) == []
    assert queue.claim(job.pk, "one") is None
    assert not queue.cancel(job.pk)


def test_cancel_a_running_job_tells_its_worker_at_the_next_beat(job):
    mine = queue.claim(job.pk, "one")
    assert queue.cancel(job.pk)
    assert not queue.renew_lease(mine, 1)
    assert not queue.finish(mine)
    assert not queue.fail(mine, "x")
    assert (row(job).status, row(job).done, row(job).error) == (Status.CANCELLED, 0, "")


def test_retry_a_cancelled_job_goes_on_from_what_it_has(job):
    mine = queue.claim(job.pk, "one")
    queue.renew_lease(mine, 4, counts={"gold": 1})
    queue.cancel(job.pk)
    assert queue.retry(job.pk)
    again = row(job)
    assert (again.status, again.attempts, again.done, again.finished) == (Status.QUEUED, 0, 4, None)
    assert again.counts == {"gold": 1}
    assert queue.claim(job.pk, "two")
    assert not queue.renew_lease(mine, 5)


def test_retry_a_failed_job_has_all_attempts_before_it(job):
    CandidateJob.objects.filter(pk=job.pk).update(status=Status.FAILED, attempts=3, error="x")
    assert queue.retry(job.pk)
    assert row(job).error == ""
    assert queue.claim(job.pk, "one").attempts == 1


@pytest.mark.parametrize("status", [Status.QUEUED, Status.RUNNING, Status.DONE])
def test_nothing_else_can_be_retried(job, status):
    CandidateJob.objects.filter(pk=job.pk).update(status=status, attempts=2)
    assert not queue.retry(job.pk)
    assert row(job).attempts == 2


@pytest.mark.parametrize("status", [Status.DONE, Status.FAILED])
def test_what_has_ended_cannot_be_cancelled(job, status):
    CandidateJob.objects.filter(pk=job.pk).update(status=status)
    assert not queue.cancel(job.pk)
    assert row(job).status == status


def test_waiting_lists_the_oldest_first_and_only_the_queues_asked_for(job):
    second = submitting.submit(job.book, ranker="bm25", parameters={})
    other = submitting.submit(job.book, ranker="bm25", parameters={})
    CandidateJob.objects.filter(pk=other.pk).update(queue="gpu")
    assert queue.claimable(["cpu"]) == [job.pk, second.pk]
    assert queue.claimable(["gpu"]) == [other.pk]
    assert queue.claimable([]) == []


def test_each_transition_is_one_statement(job, django_assert_num_queries):
    with django_assert_num_queries(2):  # the update, and the row it took
        mine = queue.claim(job.pk, "one")
    with django_assert_num_queries(1):
        queue.renew_lease(mine, 1)
    with django_assert_num_queries(1):
        queue.fail(mine, "x")
    with django_assert_num_queries(1):
        queue.cancel(job.pk)
