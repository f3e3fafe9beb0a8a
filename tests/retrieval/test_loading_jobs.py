"""Finding quotations and reading files in a job: submitted, run, ended in every way there is."""

import os
import stat
from types import SimpleNamespace

import pytest
from django.db import IntegrityError, transaction

from common.errors import BadInput
from retrieval import loading, tasks
from retrieval.engine.quotations import finding
from retrieval.engine.text import sentences
from retrieval.jobs import child_process, queue
from retrieval.loading import jobs as loadings
from retrieval.loading import uploads
from retrieval.models import Book, Comparison, Excerpt, LoadingJob, LoadingTask, Source, Status
from tests import builders
from tests.retrieval import hanging
from tests.retrieval.quay import ESSAY, NOVEL

pytestmark = pytest.mark.django_db
FACTS = {"slug": "quay", "title": "The Quay", "author": "A. Author", "year": 1891, "language": "en"}
OTHER = {"slug": "other", "citation": "Other 1912", "language": "en"}


@pytest.fixture(autouse=True)
def data(settings, tmp_path, children):
    settings.DATA_DIR = tmp_path
    return tmp_path / "uploads"


@pytest.fixture
def job(quay, critic):
    return loadings.submit_search(quay, critic)


@pytest.fixture
def upload():
    return loadings.submit_import(LoadingTask.BOOK, NOVEL.encode(), "quay.txt", {**FACTS, "licence": ""})


def attempted(job, **options):
    assert loadings.attempt(job.pk, "w", **options)
    job.refresh_from_db()
    return job


def waiting(folder):
    return sorted(path.name for path in folder.glob("*"))


class TestSearch:
    def test_what_it_stores_is_what_the_command_stores(self, job, quay, critic):
        job = attempted(job)
        assert (job.status, job.counts["new"], job.counts["known"]) == (Status.DONE, 2, 0)
        assert job.done == job.total > 2
        assert sum(job.counts["dropped"].values()) == len(Comparison.objects.get().dropped) > 0
        fields = ("left", "right", "printed", "start", "end", "first", "size", "score", "why")
        found = list(Excerpt.objects.order_by("start").values(*fields))
        Excerpt.objects.all().delete()
        loading.find_excerpts(quay, critic)
        assert found == list(Excerpt.objects.order_by("start").values(*fields))

    def test_again_adds_nothing(self, job, quay, critic):
        attempted(job)
        again = attempted(loadings.submit_search(quay, critic))
        assert again.pk != job.pk
        assert (again.counts["new"], again.counts["known"]) == (0, 2)
        assert Excerpt.objects.count() == 2

    def test_a_source_that_quotes_nothing_is_no_failure(self, quay):
        job = attempted(
            loadings.submit_search(quay, builders.source("dull", "Dull 1900", "It quotes nobody."))
        )
        assert (job.status, job.counts["new"], job.error) == (Status.DONE, 0, "")

    def test_what_cannot_be_compared_is_refused_at_once(self, quay):
        with pytest.raises(BadInput, match="no text"):
            loadings.submit_search(quay, builders.source(text=""))
        assert not LoadingJob.objects.exists()

    def test_one_at_a_time_of_a_source_and_a_book(self, job, quay, critic):
        assert loadings.submit_search(quay, critic) == job
        queue.claim(job.pk, "w", LoadingJob)
        assert loadings.submit_search(quay, critic) == job
        copy = {"work": LoadingTask.FIND, "book": quay, "source": critic, "code_version": "t"}
        with pytest.raises(IntegrityError), transaction.atomic():
            LoadingJob.objects.create(**copy)
        assert loadings.submit_search(builders.book(), critic) != job

    def test_of_two_presses_at_one_moment_both_lead_to_one_job(self, quay, critic, monkeypatch):
        """Both looked before either had written."""
        version = queue.code_version

        def another_first():
            monkeypatch.setattr(queue, "code_version", version)
            loadings.submit_search(quay, critic)
            return version()

        monkeypatch.setattr(queue, "code_version", another_first)
        assert loadings.submit_search(quay, critic) == LoadingJob.objects.get()

    def test_it_says_how_far_it_is(self, job, monkeypatch):
        monkeypatch.setattr(loadings, "BEAT", 0.0)
        seen = []

        def go_on(at):
            row = LoadingJob.objects.get()
            seen.append((row.stage, row.done, row.total))
            return True

        attempted(job, go_on=go_on)
        stages = list(dict.fromkeys(stage for stage, _, _ in seen if stage))
        assert stages == ["Reading the two texts", "Comparing the texts", "Looking at the places found"]
        assert seen[-1][1] == seen[-1][2] == LoadingJob.objects.get().total

    def test_a_source_that_is_deleted_meanwhile_ends_it(self, job, critic):
        def go_on(_):
            Source.objects.all().delete()
            return True

        assert loadings.attempt(job.pk, "w", go_on=go_on)
        assert not LoadingJob.objects.exists()
        assert not Excerpt.objects.exists()


class TestEnds:
    @pytest.fixture
    def hung(self, monkeypatch):
        monkeypatch.setattr(finding, "find", hanging.on_a_pattern)
        monkeypatch.setattr(loadings, "BEAT", 0.0)

    @pytest.mark.services
    @pytest.mark.sqlite
    def test_a_pattern_that_never_ends_fails_the_job_and_the_worker_goes_on(
        self, hung, job, quay, monkeypatch
    ):
        """The clock moves on when the child has said where it stands; the child hangs for real."""
        stood = LoadingJob.objects.filter(done=hanging.TOLD[0])
        monkeypatch.setattr(
            child_process, "time", SimpleNamespace(monotonic=lambda: 1e9 if stood.exists() else 0.0)
        )
        other = loadings.submit_import(LoadingTask.SOURCE, ESSAY.encode(), "essay.txt", OTHER)
        tasks.work.apply((job.pk, job.kind), throw=True)
        job.refresh_from_db()
        assert (job.status, job.attempts) == (Status.FAILED, 1)
        assert job.error.startswith(
            "Quotations of The Quay in Critic 1911: ended after 10 min, the longest this may take. "
            "It stood at: comparing the texts, 3 of 10 sentences. Nothing was stored."
        )
        assert not Excerpt.objects.exists()
        tasks.work.apply((other.pk, other.kind), throw=True)
        other.refresh_from_db()
        assert other.status == Status.DONE

    @pytest.mark.services
    @pytest.mark.sqlite
    def test_an_import_that_hangs_fails_too(self, upload, data, monkeypatch):
        monkeypatch.setattr(sentences, "segment", hanging.on_a_text)
        monkeypatch.setattr(loadings, "BEAT", 0.0)
        stood = LoadingJob.objects.filter(stage="Splitting into sentences")
        monkeypatch.setattr(
            child_process, "time", SimpleNamespace(monotonic=lambda: 1e9 if stood.exists() else 0.0)
        )
        job = attempted(upload)
        assert job.status == Status.FAILED
        assert job.error.startswith(
            "Import of a book, quay.txt: ended after 10 min, the longest this may take. "
            "It stood at: splitting into sentences, 1 of 3 steps. Nothing was stored."
        )
        assert not Book.objects.exists()
        assert waiting(data) == []

    def test_cancelled_while_a_pattern_hangs(self, hung, job):
        def go_on(at):
            if at.done == hanging.TOLD[0]:
                assert queue.cancel(job.pk, LoadingJob)
            return True

        assert attempted(job, go_on=go_on).status == Status.CANCELLED
        assert not Excerpt.objects.exists()

    def test_cancelled_while_it_is_stored_nothing_is(self, job, monkeypatch):
        """One connection here, so that what takes the rows back takes back the cancel too."""
        store = Excerpt.objects.bulk_create

        def bulk_create(rows, **options):
            store(rows, **options)
            assert queue.cancel(job.pk, LoadingJob)

        monkeypatch.setattr(Excerpt.objects, "bulk_create", bulk_create)
        assert attempted(job).status == Status.RUNNING
        assert not Excerpt.objects.exists()
        assert not Comparison.objects.exists()

    def test_a_worker_told_to_stop_gives_it_back(self, hung, job):
        job = attempted(job, go_on=lambda at: at.done != hanging.TOLD[0])
        assert (job.status, job.attempts) == (Status.QUEUED, 0)

    def test_a_child_that_is_killed_is_tried_again_then_given_up(self, job, monkeypatch, settings):
        monkeypatch.setattr(finding, "find", hanging.killed)
        assert attempted(job).status == Status.QUEUED
        settings.JOB_MAX_ATTEMPTS = 2
        LoadingJob.objects.update(not_before=None)
        job = attempted(job)
        assert job.status == Status.FAILED
        assert job.error.startswith("The process that computed it was killed")

    def test_a_worker_that_dies_with_it_every_time_is_given_up(self, job, upload, data, settings):
        settings.JOB_LEASE_SECONDS = -1
        for _ in range(settings.JOB_MAX_ATTEMPTS):
            assert queue.claim(upload.pk, "killed", LoadingJob)
        tasks.sweep(["cpu"])
        upload.refresh_from_db()
        assert (upload.status, waiting(data)) == (Status.FAILED, [])
        assert "fell silent" in upload.error


class TestRetry:
    def test_a_search_begins_again_and_an_import_cannot(self, job, upload):
        for each in (job, upload):
            assert queue.cancel(each.pk, LoadingJob)
            each.refresh_from_db()
        assert (loadings.retry(job), loadings.retry(upload)) == (True, False)
        assert attempted(job).status == Status.DONE

    def test_not_beside_another_for_the_same(self, job, quay, critic):
        queue.cancel(job.pk, LoadingJob)
        loadings.submit_search(quay, critic)
        job.refresh_from_db()
        assert not loadings.retry(job)
        job.refresh_from_db()
        assert job.status == Status.CANCELLED


class TestImport:
    def test_a_book(self, upload, data):
        assert waiting(data) == [str(upload.pk)]
        job = attempted(upload)
        book = Book.objects.get()
        assert (job.status, job.book, job.counts["created"]) == (Status.DONE, book, True)
        kept = (book.text, book.sentences, book.headings, book.left_out, book.notes, book.sha256)
        book.delete()
        read = loading.import_book(NOVEL.encode(), name="quay.txt", **FACTS).book
        assert kept == (read.text, read.sentences, read.headings, read.left_out, read.notes, read.sha256)
        assert waiting(data) == []

    @pytest.mark.services
    @pytest.mark.sqlite
    def test_a_source_and_again(self):
        first = attempted(loadings.submit_import(LoadingTask.SOURCE, ESSAY.encode(), "essay.txt", OTHER))
        assert (first.status, first.source) == (Status.DONE, Source.objects.get())
        again = attempted(loadings.submit_import(LoadingTask.SOURCE, ESSAY.encode(), "essay.txt", OTHER))
        assert (again.status, again.counts["created"]) == (Status.DONE, False)
        assert "already imported with this text" in again.counts["remarks"][0]

    def test_what_the_import_refuses_is_the_cause_and_is_not_tried_again(self, data):
        job = attempted(loadings.submit_import(LoadingTask.SOURCE, b"\0", "essay.txt", OTHER))
        assert (job.status, job.attempts) == (Status.FAILED, 1)
        assert job.error.startswith("essay.txt is a binary file")
        assert waiting(data) == []

    def test_facts_that_are_wrong_are_refused_at_once(self, data):
        with pytest.raises(BadInput, match="not a tag"):
            loadings.submit_import(LoadingTask.SOURCE, b"words", "e.txt", {**OTHER, "language": "?"})
        assert not LoadingJob.objects.exists()
        assert waiting(data) == []

    def test_nobody_else_reads_the_file(self, upload, data):
        assert stat.S_IMODE(os.stat(data).st_mode) == 0o700
        assert stat.S_IMODE(os.stat(data / str(upload.pk)).st_mode) == 0o600

    def test_a_worker_without_the_file_says_so(self, upload):
        uploads.remove(upload.pk)
        assert "must be that of the site" in attempted(upload).error

    def test_the_same_file_twice_is_one_import(self, upload, data):
        again = loadings.submit_import(LoadingTask.BOOK, NOVEL.encode(), "quay.txt", {**FACTS, "licence": ""})
        assert (again, waiting(data)) == (upload, [str(upload.pk)])
        with pytest.raises(BadInput, match=rf"imported already with other details \(Import {upload.pk}\)"):
            loadings.submit_import(LoadingTask.BOOK, NOVEL.encode(), "quay.txt", {**FACTS, "slug": "pier"})

    def test_no_more_than_ten_files_wait(self, data):
        for number in range(uploads.MOST):
            loadings.submit_import(LoadingTask.SOURCE, b"%d" % number, "n", {**OTHER, "slug": f"s{number}"})
        with pytest.raises(BadInput, match="10 files wait for a worker already"):
            loadings.submit_import(LoadingTask.SOURCE, b"more", "n", OTHER)
        assert LoadingJob.objects.count() == len(waiting(data)) == uploads.MOST

    def test_O03_a_disk_without_room_stores_no_row(self, data, monkeypatch):
        def full(*_):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(uploads.os, "open", full)
        with pytest.raises(BadInput, match="cannot be kept until a worker reads it: No space left"):
            loadings.submit_import(LoadingTask.SOURCE, b"words", "n", OTHER)
        assert not LoadingJob.objects.exists()

    def test_only_files_of_pending_jobs_stay(self, upload, data, monkeypatch):
        (data / "987654").write_bytes(b"its row is being written, or never came")
        uploads.remove_stale()
        assert waiting(data) == sorted([str(upload.pk), "987654"])
        monkeypatch.setattr(uploads, "_UNKNOWN_FOR", -1)
        uploads.remove_stale()
        assert waiting(data) == [str(upload.pk)]
        queue.cancel(upload.pk, LoadingJob)
        uploads.remove_stale()
        assert waiting(data) == []
