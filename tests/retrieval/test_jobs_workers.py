"""Who is there, what the sweep does, and what a message may do."""

import threading
from datetime import timedelta

import pytest
from celery.app.utils import find_app
from django.db import connection
from django.db.models.functions import Now
from kombu.exceptions import OperationalError

from retrieval import tasks
from retrieval.candidates import submitting
from retrieval.jobs import notify, workers
from retrieval.jobs import queue as jobs
from retrieval.models import CandidateJob, Status, TrainingJob, Worker
from tests import builders
from variorum.celery import app

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def idle():
    tasks.busy.clear()
    tasks.stopping.clear()
    yield
    tasks.busy.clear()
    tasks.stopping.clear()


@pytest.fixture
def job():
    book = builders.book()
    builders.excerpt(book, builders.source())
    return submitting.submit(book, ranker="bm25", parameters={})


@pytest.fixture
def rung(monkeypatch):
    """What was rung for, instead of a broker; of other kinds than candidates also the kind."""
    calls = []

    def now(pk, queue, kind):
        calls.append((pk, queue) if kind == "candidates" else (pk, queue, kind))

    monkeypatch.setattr(notify, "now", now)
    return calls


def last_seen(name, seconds):
    Worker.objects.filter(name=name).update(seen=Now() - timedelta(seconds=seconds))


class TestPresence:
    def test_nobody_was_ever_there(self):
        assert workers.seconds_since_seen("cpu") is None
        assert workers.is_absent("cpu")

    def test_a_worker_is_there_for_its_queues_only(self):
        workers.report("one", ["gpu", "cpu"])
        workers.report("two", ["cpu"])
        assert Worker.objects.get(name="one").queues == ["cpu", "gpu"]
        last_seen("one", 100)
        assert 0 <= workers.seconds_since_seen("cpu") < 100 <= workers.seconds_since_seen("gpu")
        assert not workers.is_absent("cpu")
        assert workers.is_absent("gpu")

    def test_reporting_again_is_the_same_worker(self):
        workers.report("one", ["cpu"])
        last_seen("one", 100)
        workers.report("one", ["gpu"])
        assert Worker.objects.count() == 1
        assert workers.seconds_since_seen("gpu") < 100
        assert workers.seconds_since_seen("cpu") is None

    def test_J05_pages_know_within_half_a_minute(self):
        workers.report("one", ["cpu"])
        last_seen("one", workers.REPORT_SECONDS + 1)
        assert not workers.is_absent("cpu")
        last_seen("one", 30)
        assert workers.is_absent("cpu")

    def test_who_left_is_gone_at_once_and_who_is_long_gone_is_forgotten(self):
        for name in ("one", "two", "three"):
            workers.report(name, ["cpu"])
        workers.leave("one")
        last_seen("two", 2 * 86400)
        workers.report("three", ["cpu"])
        assert list(Worker.objects.values_list("name", flat=True)) == ["three"]


class TestSweep:
    def test_rings_for_what_waits_on_the_queue_of_its_row(self, job, rung):
        other = submitting.submit(job.book, ranker="bm25", parameters={})
        CandidateJob.objects.filter(pk=other.pk).update(queue="gpu")
        assert tasks.sweep(["cpu", "gpu"]) == 2
        assert rung == [(job.pk, "cpu"), (other.pk, "gpu")]
        assert tasks.sweep(["gpu"]) == 1

    def test_rings_for_a_job_whose_worker_was_killed(self, job, rung, settings):
        settings.JOB_LEASE_SECONDS = -1
        jobs.claim(job.pk, "killed")
        tasks.sweep(["cpu"])
        assert rung == [(job.pk, "cpu")]

    @pytest.mark.parametrize("state", ["busy", "stopping"])
    def test_a_worker_that_works_or_ends_asks_for_no_message(self, job, rung, state):
        getattr(tasks, state).set()
        assert tasks.sweep(["cpu"]) == 0
        assert rung == []

    def test_ends_what_fell_silent_for_good_even_while_working(self, job, rung, settings):
        settings.JOB_LEASE_SECONDS = -1
        for _ in range(3):
            jobs.claim(job.pk, "killed")
        tasks.busy.set()
        tasks.sweep(["cpu"])
        job.refresh_from_db()
        assert job.status == Status.FAILED
        assert rung == []

    def test_reports_and_sweeps_each_at_its_own_pace(self, job, rung, settings):
        settings.JOB_SWEEP_SECONDS = 30
        sweep = tasks.Sweep("one", ["cpu"])
        seen = []
        for now in (100.0, 105.0, 110.0, 129.0, 130.0):
            last_seen("one", 1000)
            sweep.step(now)
            seen.append((workers.seconds_since_seen("cpu") < 900, len(rung)))
        assert seen == [(True, 1), (False, 1), (True, 1), (True, 1), (False, 2)]


@pytest.mark.django_db(transaction=True)
def test_the_sweep_goes_on_after_an_error_and_leaves_when_it_ends(monkeypatch, caplog, settings):
    if connection.vendor == "sqlite" and connection.is_in_memory_db():
        monkeypatch.setattr(tasks.connections, "close_all", lambda: None)
    settings.JOB_SWEEP_SECONDS = 0
    steps, three = [], threading.Event()

    def step(now):
        steps.append(now)
        if len(steps) == 1:
            raise RuntimeError("the database is away")
        three.set()

    sweep = tasks.Sweep("one", ["cpu"])
    workers.report("one", ["cpu"])
    monkeypatch.setattr(sweep, "step", step)
    sweep.start()
    assert three.wait(60)
    sweep.end()
    assert not sweep.is_alive()
    assert "The sweep failed; it goes on" in caplog.text
    assert not Worker.objects.exists()


class TestMessage:
    def test_J04_five_deliveries_are_one_run(self, job):
        for _ in range(5):
            tasks.work.apply((job.pk,), throw=True)
        job.refresh_from_db()
        assert (job.status, job.attempts, job.candidates.count()) == (Status.DONE, 1, 3)
        assert not tasks.busy.is_set()

    def test_a_message_about_no_job_does_nothing(self, job):
        tasks.work.apply((job.pk + 99,), throw=True)
        job.refresh_from_db()
        assert job.status == Status.QUEUED

    def test_a_worker_told_to_stop_gives_the_job_back(self, job):
        tasks.stopping.set()
        tasks.work.apply((job.pk,), throw=True)
        job.refresh_from_db()
        assert (job.status, job.attempts) == (Status.QUEUED, 0)

    def test_a_broker_that_is_away_loses_no_job_and_tells_no_password(self, job, monkeypatch, caplog):
        def refused(*args, **options):
            raise OperationalError("Error 111 connecting to redis://:hush@10.0.0.1")

        monkeypatch.setattr(app, "send_task", refused)
        notify.now(job.pk, "cpu")
        assert "waits for the sweep" in caplog.text
        assert "hush" not in caplog.text
        assert jobs.claimable(["cpu"]) == [job.pk]

    def test_J02_only_the_scaled_mode_rings_and_only_once_the_row_is_there(
        self, job, rung, settings, django_capture_on_commit_callbacks
    ):
        settings.EMBEDDED = True
        with django_capture_on_commit_callbacks(execute=True) as callbacks:
            submitting.submit(job.book, ranker="bm25", parameters={})
        assert callbacks == []
        settings.EMBEDDED = False
        with django_capture_on_commit_callbacks(execute=True):
            second = submitting.submit(job.book, ranker="bm25", parameters={})
            assert rung == []
        assert rung == [(second.pk, "cpu")]
        jobs.cancel(second.pk)
        with django_capture_on_commit_callbacks(execute=True):
            jobs.retry(second.pk)
        assert rung == 2 * [(second.pk, "cpu")]
        training = builders.finished_training(job.book)
        TrainingJob.objects.update(status=Status.FAILED)
        with django_capture_on_commit_callbacks(execute=True):
            assert jobs.retry(training.pk, TrainingJob)
        assert rung[2:] == [(training.pk, "cpu", "training")]


def test_the_app_is_found_by_the_name_the_documentation_gives():
    app = find_app("variorum")
    assert app.main == "variorum"
    app.loader.import_default_modules()
    assert "retrieval.work" in app.tasks
    assert app.conf.accept_content == ["json"]
