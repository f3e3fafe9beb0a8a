"""From rows to candidates: what is stored, and that being stopped leaves no trace in it."""

import numpy as np
import pytest
from rank_bm25 import BM25Okapi

from retrieval.candidates import pipeline, submitting
from retrieval.engine.ranking import bm25, indexing
from retrieval.engine.text.passages import texts
from retrieval.engine.text.tokens import GAP, words
from retrieval.jobs import attempts, queue
from retrieval.models import Candidate, CandidateJob, Status
from tests import builders

pytestmark = pytest.mark.django_db


@pytest.fixture
def boats():
    book = builders.book()
    for critic in (builders.source(), builders.source("second", "Second 1920")):
        for first in (3, 9, 15):
            builders.excerpt(book, critic, first=first)
        builders.excerpt(book, critic, first=6, size=2)
    return book


def claimed(book, **parameters):
    """A job of the ranker's best negatives, which are candidates as soon as their excerpt is ranked."""
    asked = {"matching": False, **parameters}
    return queue.claim(submitting.submit(book, ranker="bm25", parameters=asked).pk, "one")


def rows(job):
    """A job's candidates without their keys, in the order they were written."""
    fields = ("excerpt_id", "rank", "first", "size", "scores", "is_gold")
    return list(job.candidates.order_by("pk").values_list(*fields))


def outcome(job):
    return rows(job), CandidateJob.objects.values_list("done", "counts").get(pk=job.pk)


def stops(after, act=lambda job: False):
    """A `go_on` that says yes before the first `after` chunks, then does `act`."""
    calls = iter(range(1000))
    return lambda job: True if next(calls) < after else act(job)


def test_each_excerpt_gets_its_gold_at_its_rank_and_the_best_wrong_passages(boats):
    job = claimed(boats, negatives=3)
    pipeline.run(job)
    assert job.done == job.total == 8
    for excerpt in boats.excerpts.all():
        found = list(job.candidates.filter(excerpt=excerpt).order_by("rank"))
        passages = texts(boats.text, boats.bounds(), excerpt.size)
        scores = BM25Okapi([words(text) for text in passages], k1=0.5, b=0.9).get_scores(
            words(excerpt.context(4, 4))
        )
        ranking = np.lexsort((np.arange(scores.size), -scores)).tolist()
        assert [each.first for each in found if each.is_gold] == [excerpt.first]
        assert len(found) == 4
        for each in found:
            assert each.rank == ranking.index(each.first) + 1
            assert each.scores == {"bm25": scores[each.first]}
            assert each.size == excerpt.size
            assert each.is_gold or abs(each.first - excerpt.first) >= excerpt.size


def test_only_the_size_asked_for(boats):
    job = claimed(boats, size=2)
    pipeline.run(job)
    assert set(job.candidates.values_list("size", flat=True)) == {2}
    assert job.candidates.values("excerpt").distinct().count() == job.total == 2


def test_the_context_is_what_was_asked_for(boats, monkeypatch):
    seen = []
    scores = bm25.Bm25Index.scores
    monkeypatch.setattr(
        bm25.Bm25Index, "scores", lambda self, queries: seen.extend(queries) or scores(self, queries)
    )
    pipeline.run(claimed(boats, left=1, right=0))
    assert set(seen) == {f"He speaks of boats and of lamps. {GAP}"}


def test_the_size_of_a_chunk_changes_nothing(boats):
    first, second = claimed(boats), claimed(boats)
    pipeline.run(first, chunk=1)
    pipeline.run(second, chunk=100)
    assert outcome(first) == outcome(second)


def test_what_the_rules_left_out_is_counted(boats):
    job = claimed(boats, negatives=50)
    pipeline.run(job)
    assert job.counts["gold"] == 8
    assert job.counts["overlap"] == 4
    assert job.counts["too_few"] == 8
    assert list(job.counts) == sorted(job.counts)


@pytest.mark.parametrize("stopped_after", range(9))
def test_a_resumed_job_has_the_same_rows_and_counts(boats, stopped_after):
    whole, parts = claimed(boats, negatives=4), claimed(boats, negatives=4)
    pipeline.run(whole, chunk=1)
    if stopped_after < 8:
        with pytest.raises(pipeline.Interrupted):
            pipeline.run(parts, go_on=stops(stopped_after), chunk=1)
        assert queue.release(parts)
        parts = queue.claim(parts.pk, "two")
        assert parts.done == stopped_after
    pipeline.run(parts, chunk=1)
    assert outcome(whole) == outcome(parts)


def test_an_error_inside_a_chunk_s_transaction_leaves_nothing_of_the_chunk(boats, monkeypatch):
    whole, parts = claimed(boats), claimed(boats)
    pipeline.run(whole, chunk=2)
    store = Candidate.objects.bulk_create
    calls = iter(range(10))

    def fails_at_second(rows, **options):
        if next(calls) == 1:
            store(rows[:1], **options)
            raise MemoryError("no room")
        return store(rows, **options)

    monkeypatch.setattr(Candidate.objects, "bulk_create", fails_at_second)
    with pytest.raises(MemoryError):
        pipeline.run(parts, chunk=2)
    stored = CandidateJob.objects.get(pk=parts.pk)
    assert stored.done == parts.candidates.values("excerpt").distinct().count() == 2
    queue.release(parts)
    pipeline.run(queue.claim(parts.pk, "two"), chunk=2)
    assert outcome(whole) == outcome(parts)


def test_running_what_is_complete_computes_nothing(boats, monkeypatch):
    job = claimed(boats)
    pipeline.run(job)
    before = outcome(job)
    monkeypatch.setattr(bm25.Bm25Ranker, "weigh", None)
    pipeline.run(job)
    assert outcome(job) == before


def test_a_cancelled_job_stops_at_its_next_chunk_and_keeps_what_it_has(boats):
    job = claimed(boats)
    with pytest.raises(attempts.LeaseLost):
        pipeline.run(job, go_on=stops(2, lambda job: queue.cancel(job.pk)), chunk=1)
    stored = CandidateJob.objects.get(pk=job.pk)
    assert (stored.status, stored.done) == (Status.CANCELLED, 2)
    assert job.candidates.values("excerpt").distinct().count() == 2


def test_a_job_cancelled_and_taken_up_again_is_finished_by_the_new_worker(boats):
    whole, job = claimed(boats), claimed(boats)
    pipeline.run(whole)
    with pytest.raises(attempts.LeaseLost):
        pipeline.run(job, go_on=stops(3, lambda job: queue.cancel(job.pk)), chunk=1)
    assert queue.retry(job.pk)
    assert pipeline.attempt(job.pk, "two")
    assert CandidateJob.objects.get(pk=job.pk).status == Status.DONE
    assert outcome(whole) == outcome(job)


def test_a_worker_whose_lease_was_taken_writes_nothing_more(boats, settings):
    settings.JOB_LEASE_SECONDS = -1
    whole, slow = claimed(boats), claimed(boats)
    pipeline.run(whole)

    def other_worker(job):
        assert pipeline.attempt(job.pk, "fast")
        return True

    with pytest.raises(attempts.LeaseLost):
        pipeline.run(slow, go_on=stops(1, other_worker), chunk=1)
    assert CandidateJob.objects.get(pk=slow.pk).status == Status.DONE
    assert outcome(whole) == outcome(slow)


def test_the_lease_is_renewed_while_a_long_book_is_indexed(boats, settings, monkeypatch):
    settings.JOB_LEASE_SECONDS = -1
    job, beats = claimed(boats, size=1), []
    beat = queue.renew_lease
    monkeypatch.setattr(queue, "renew_lease", lambda job, *rest: beats.append(rest[1]) or beat(job, *rest))
    pipeline.run(job)
    assert beats.count("Indexing passages of 1 sentence") > boats.n_sentences
    assert beats[-1] == "Ranking passages of 1 sentence"


def test_the_lease_is_renewed_and_a_job_stops_within_a_chunk_that_takes_long(boats, settings, monkeypatch):
    """A ranker that takes long over one query reads a passage now and then."""
    settings.JOB_LEASE_SECONDS = -1
    job, beats, beat = claimed(boats, size=1), [], queue.renew_lease
    monkeypatch.setattr(queue, "renew_lease", lambda job, *rest: beats.append(rest[1]) or beat(job, *rest))
    prepare = bm25.Bm25Ranker.prepare

    def slow(ranker, passages, parameters):
        index = prepare(ranker, passages, parameters)
        ready = index.scores
        index.scores = lambda queries: [passages[0] for _ in range(40)] and ready(queries)
        return index

    monkeypatch.setattr(indexing, "Counting", ())
    monkeypatch.setattr(bm25.Bm25Ranker, "prepare", slow)
    with pytest.raises(attempts.Interrupted):
        pipeline.run(job, go_on=stops(30))
    assert beats.count("Ranking passages of 1 sentence") == 30
    assert not job.candidates.exists()
    pipeline.run(job)
    assert job.done == 6


def test_a_job_cancelled_while_indexing_stops_there(boats, settings, monkeypatch):
    settings.JOB_LEASE_SECONDS = -1
    job = claimed(boats, size=1)

    def cancelled(text):
        queue.cancel(job.pk)
        return words(text)

    monkeypatch.setattr(bm25, "words", cancelled)
    with pytest.raises(attempts.LeaseLost):
        pipeline.run(job)
    assert not job.candidates.exists()


class TestAttempt:
    def test_runs_and_finishes(self, boats):
        job = submitting.submit(boats, ranker="bm25", parameters={})
        assert pipeline.attempt(job.pk, "one")
        job.refresh_from_db()
        assert (job.status, job.done, job.stage, job.worker) == (Status.DONE, 8, "", "")

    def test_J04_the_same_message_five_times_is_one_run(self, boats):
        job = submitting.submit(boats, ranker="bm25", parameters={})
        assert [pipeline.attempt(job.pk, f"worker {n}") for n in range(5)] == [True] + 4 * [False]
        job.refresh_from_db()
        assert (job.attempts, job.candidates.count()) == (1, 24)

    def test_an_error_is_recorded_with_its_kind_and_waits(self, boats, monkeypatch, caplog):
        def broken(*_):
            raise ZeroDivisionError("division by zero")

        monkeypatch.setattr(bm25.Bm25Ranker, "weigh", broken)
        job = submitting.submit(boats, ranker="bm25", parameters={})
        assert pipeline.attempt(job.pk, "one")
        job.refresh_from_db()
        assert (job.status, job.error) == (Status.QUEUED, "ZeroDivisionError: division by zero")
        assert job.not_before is not None
        assert "failed in attempt 1" in caplog.text

    def test_bad_input_is_recorded_in_its_own_words(self, boats):
        boats.sentences, boats.text = [[0, 1]] * 24, "." * 24
        boats.save()
        job = submitting.submit(boats, ranker="bm25", parameters={})
        pipeline.attempt(job.pk, "one")
        job.refresh_from_db()
        assert job.error == "No passage has a word; a book needs at least one letter or digit."

    @pytest.mark.parametrize("signal", [KeyboardInterrupt, SystemExit])
    def test_a_process_told_to_end_gives_the_job_back(self, boats, signal):
        job = submitting.submit(boats, ranker="bm25", parameters={})

        def ends(job):
            raise signal

        with pytest.raises(signal):
            pipeline.attempt(job.pk, "one", go_on=ends)
        job.refresh_from_db()
        assert (job.status, job.attempts) == (Status.QUEUED, 0)
