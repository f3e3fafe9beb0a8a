"""Jobs on pages: launch, follow, cancel, retry."""

import re
from datetime import timedelta

import pytest
from django.db.models.functions import Now
from django.urls import reverse

from retrieval.candidates import pipeline, submitting
from retrieval.engine.ranking import rankers
from retrieval.engine.ranking.matching import SWITCHES
from retrieval.jobs import queue, workers
from retrieval.models import CandidateJob, Excerpt, Status, Worker
from tests import builders

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


@pytest.fixture
def staff(as_user, stan):
    return as_user(stan)


@pytest.fixture
def book(db):
    book, source = builders.book(), builders.source()
    for first in (3, 7, 12):
        builders.excerpt(book, source, first)
    return book


@pytest.fixture
def job(book):
    return submitting.submit(book, ranker="bm25", parameters={})


def page(browser, job):
    return browser.get(job.get_absolute_url()).content.decode()


def poll(browser, job, seen=0, **headers):
    url = reverse("retrieval:job_progress", args=[job.pk])
    return browser.get(f"{url}?seen={seen}", headers={**HTMX, **headers})


class TestLaunch:
    URL = "/books/boats/generate/"
    ASKED = {
        "ranker": "bm25",
        "negatives": "3",
        "size": "",
        "left": "2",
        "right": "1",
        "bm25-k1": "0.9",
        "bm25-b": "",
    }

    def test_a_job_as_asked(self, staff, book, stan):
        response = staff.post(self.URL, self.ASKED)
        job = CandidateJob.objects.get()
        assert response["Location"] == job.get_absolute_url()
        asked = {name: job.parameters[name] for name in ("negatives", "size", "left", "right", "k1", "b")}
        assert asked == {"negatives": 3, "size": None, "left": 2, "right": 1, "k1": 0.9, "b": 0.9}
        assert (job.created_by, job.total, job.status) == (stan, 3, Status.QUEUED)

    def test_the_form_begins_with_the_defaults(self, staff, book):
        form = staff.get(self.URL).context["form"]
        of_others = tuple(f"{each.slug}-" for each in rankers.all() if each.slug != "bm25")
        names = [name for name in form.fields if name != "ranker" and not name.startswith(of_others)]
        values = {name: form[name].value() for name in names}
        ours = {"negatives": 2, "size": None, "left": 4, "right": 4, "bm25-k1": 0.5, "bm25-b": 0.9}
        rules = ["overlap", "no_words", "gold_words", "context_words", "near_duplicate"]
        like = {"matching": list(SWITCHES), "band": 1.2}
        assert 0 <= values.pop("seed") < 1_000_000
        rest = {"rules": rules, "run": 8, "pool": None, "fuse": None, "method": "rrf"}
        assert values == {**ours, **like, **rest}

    def test_it_says_when_nobody_is_there_to_work(self, staff, book):
        words = "No worker has been seen yet. A job that needs it waits until one is started."
        page = staff.get(self.URL).content.decode()
        assert words in page
        assert "celery -A variorum worker -P solo -Q cpu" in page
        workers.report("one", ["cpu"])
        assert "No worker" not in staff.get(self.URL).content.decode()

    def test_with_a_gpu_configured_its_queue_needs_a_worker_too(self, staff, book, settings):
        settings.DEVICE = "cuda"
        workers.report("one", ["cpu"])
        page = staff.get(self.URL).content.decode()
        assert "No worker with a GPU" in page
        assert "No worker has been seen" not in page

    def test_rules_switched_off_are_kept_in_sight_and_in_the_job(self, staff, book):
        page = staff.post(self.URL, {**self.ASKED, "rules": ["overlap"], "left": "9"}).content.decode()
        assert re.search(r'value="overlap"[^>]* checked', page)
        assert not re.search(r'value="no_words"[^>]* checked', page)
        staff.post(self.URL, {**self.ASKED, "rules": ["overlap", "no_words"], "run": "6"})
        rules = CandidateJob.objects.get().parameters["rules"]
        assert (rules["overlap"], rules["context_words"], rules["run"]) == (True, False, 6)

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("negatives", "0"),
            ("negatives", "x"),
            ("size", "21"),
            ("left", "5"),
            ("ranker", "magic"),
            ("bm25-k1", "-1"),
            ("bm25-b", "nan"),
        ],
    )
    def test_bad_input_is_said_beside_its_field(self, staff, book, name, value):
        response = staff.post(self.URL, {**self.ASKED, name: value})
        assert response.status_code == 422
        assert list(response.context["form"].errors) == [name]
        assert f'href="#id_{name}"' in response.content.decode()
        assert not CandidateJob.objects.exists()

    @pytest.mark.parametrize(
        ("changes", "sentence"),
        [
            ({"left": "0", "right": "0"}, "The context is empty"),
            ({"size": "9"}, "has no excerpt with a passage"),
        ],
    )
    def test_what_no_field_can_tell_is_said_above_the_form(self, staff, book, changes, sentence):
        response = staff.post(self.URL, {**self.ASKED, **changes})
        assert sentence in response.context["form"].non_field_errors()[0]
        assert not CandidateJob.objects.exists()

    def test_a_book_without_excerpts(self, staff):
        builders.book("bare")
        assert "no excerpt yet" in staff.get("/books/bare/generate/").content.decode()
        assert staff.post("/books/bare/generate/", self.ASKED).status_code == 422

    def test_an_unknown_book(self, staff):
        assert staff.post("/books/none/generate/", self.ASKED).status_code == 404


class TestList:
    def test_states_in_words_filtered_by_book(self, staff, job):
        other = builders.book("other", title="Other")
        builders.finished_job(other, [builders.excerpt(other, builders.source("s2"))])
        text = staff.get("/jobs/").content.decode()
        assert re.findall(r'<span class="badge"[^>]*>(\w+)</span>', text) == ["Done", "Waiting"]
        assert len(staff.get("/jobs/?book=other").context["rows"]) == 1

    def test_a_worker_is_missed_in_the_queues_in_which_a_job_waits(self, staff, job):
        assert "No worker has been seen yet" in staff.get("/jobs/").text
        workers.report("one", ["gpu"])
        assert "No worker has been seen yet" in staff.get("/jobs/").text
        CandidateJob.objects.update(queue="gpu")
        assert "No worker" not in staff.get("/jobs/").text
        workers.leave("one")
        assert "No worker with a GPU has been seen yet" in staff.get("/jobs/").text
        queue.cancel(job.pk)
        assert "No worker" not in staff.get("/jobs/").text

    def test_a_job_is_launched_from_the_list(self, staff, book):
        assert 'href="/jobs/new/"' in staff.get("/jobs/").text
        builders.book("bare", title="Bare")
        gone = builders.book("gone", title="Gone")
        rejected = builders.excerpt(gone, builders.source("s3"))
        Excerpt.objects.filter(pk=rejected.pk).update(standing="rejected")
        text = staff.get("/jobs/new/").text
        assert re.findall(r'<option value="(\w+)">', text) == [book.slug]
        assert f"({Excerpt.objects.filter(book=book).count()} excerpt" in text
        assert staff.get(f"/jobs/new/?book={book.slug}")["Location"] == f"/books/{book.slug}/generate/"
        assert staff.get("/jobs/new/?book=none").status_code == 200
        assert 'href="/jobs/new/?book=no%20slug"' in staff.get("/jobs/?book=no slug").text

    def test_where_nothing_was_found_the_launch_says_what_comes_first(self, staff):
        assert "No book has an excerpt yet" in staff.get("/jobs/new/").text

    def test_a_ranker_that_is_gone_is_called_by_its_slug(self, staff, job):
        CandidateJob.objects.update(ranker="dense-9")
        assert "dense-9" in staff.get("/jobs/").content.decode()
        assert "dense-9" in page(staff, job)


class TestSilence:
    def test_no_worker_was_ever_there(self, staff, job):
        text = page(staff, job)
        assert "No worker has been seen yet. The job waits until one is started." in text
        assert "celery -A variorum worker -P solo -Q cpu" in text

    def test_gone_for_half_a_minute(self, staff, job):
        workers.report("w", ["cpu"])
        Worker.objects.update(seen=Now() - timedelta(seconds=31))
        assert re.search(r"No worker has been seen for [3-9]\d s\.", page(staff, job))
        assert "No worker" in poll(staff, job).content.decode()

    def test_there_but_for_another_queue(self, staff, job):
        workers.report("w", ["gpu"])
        assert "No worker has been seen yet" in page(staff, job)

    def test_there_and_jobs_before(self, staff, job, book):
        workers.report("w", ["cpu"])
        assert "it begins within a minute" in page(staff, job)
        later = submitting.submit(book, ranker="bm25", parameters={})
        assert "one job is before this one" in page(staff, later)

    def test_gone_in_the_middle_of_the_job(self, staff, job):
        queue.claim(job.pk, "w")
        # As a command does that works by itself where there is no worker.
        assert "No worker" not in page(staff, job)
        CandidateJob.objects.update(heartbeat=Now() - timedelta(seconds=31))
        assert "The job stands still; nothing it has computed is lost" in page(staff, job)

    def test_an_ended_job_misses_nobody(self, staff, job):
        queue.cancel(job.pk)
        assert "No worker" not in page(staff, job)

    def test_waiting_for_the_next_attempt_says_why(self, staff, job):
        workers.report("w", ["cpu"])
        queue.fail(queue.claim(job.pk, "w"), "The lamp went out.")
        text = page(staff, job)
        assert "The lamp went out." in text
        assert re.search(r"Try 1 failed\. The next one begins in about \d s\.", text)

    def test_what_was_postponed_has_failed_no_try(self, staff, job):
        workers.report("w", ["cpu"])
        queue.postpone(queue.claim(job.pk, "w"), 90, "The model is away.")
        text = page(staff, job)
        assert "The model is away." in text
        assert "Try 0" not in text
        assert re.search(r"It is tried again: that begins in about \d+ (s|min)", text)


class TestPolling:
    def test_304_until_the_row_changes(self, staff, job):
        workers.report("w", ["cpu"])
        first = poll(staff, job)
        assert first.status_code == 200
        assert first["Cache-Control"] == "private, no-cache"
        same = poll(staff, job, **{"If-None-Match": first["ETag"]})
        assert (same.status_code, same.content) == (304, b"")
        claimed = queue.claim(job.pk, "w")
        queue.renew_lease(claimed, 2, "Ranking passages")
        changed = poll(staff, job, **{"If-None-Match": first["ETag"]})
        assert changed.status_code == 200
        assert "2 of 3 excerpts" in changed.content.decode()
        assert "Ranking passages" in changed.content.decode()

    def test_rate_and_time_left(self, staff, job):
        claimed = queue.claim(job.pk, "w")
        queue.renew_lease(claimed, 2)
        CandidateJob.objects.update(started=Now() - timedelta(seconds=60), heartbeat=Now())
        assert "2 of 3 excerpts · 2 a minute · about 30 s left" in poll(staff, job).content.decode()

    def test_the_preview_comes_once(self, staff, job):
        pipeline.attempt(job.pk, "w")
        CandidateJob.objects.update(status=Status.RUNNING, lease_until=Now() + timedelta(seconds=60))
        assert 'id="preview" hx-swap-oob' in poll(staff, job, seen=0).content.decode()
        text = poll(staff, job, seen=3).content.decode()
        assert "preview" not in text
        assert "?seen=3" in text

    def test_ends_with_the_final_state_and_polls_no_more(self, staff, job):
        assert "hx-trigger" in page(staff, job)
        pipeline.attempt(job.pk, "w")
        response = poll(staff, job)
        text = response.content.decode()
        assert (response["HX-Retarget"], response["HX-Reswap"]) == ("#job", "innerHTML")
        assert "hx-trigger" not in text
        assert f"Job {job.pk} has ended: done, 3 of 3 excerpts" in text
        assert "hx-trigger" not in page(staff, job)

    def test_without_scripts_the_address_leads_to_the_job(self, staff, job):
        response = staff.get(reverse("retrieval:job_progress", args=[job.pk]))
        assert response["Location"] == job.get_absolute_url()

    def test_seldom_asks(self, staff, job, django_assert_max_num_queries):
        with django_assert_max_num_queries(8):
            poll(staff, job)


class TestPage:
    def test_candidates_with_rank_score_and_place(self, staff, job):
        pipeline.attempt(job.pk, "w")
        shown = staff.get(job.get_absolute_url()).context["preview"]
        assert [each.excerpt.first for each in shown] == [3, 7, 12]
        for each in shown:
            assert [option.candidate.rank for option in each.options] == sorted(
                o.candidate.rank for o in each.options
            )
            [gold] = [option for option in each.options if option.candidate.is_gold]
            assert gold.text == job.book.passage(each.excerpt.first, 1)
            assert len(each.options) == 3
        text = page(staff, job)
        assert "/books/boats/?at=3&amp;size=1#s3" in text
        assert '<span class="gap">gap</span>' in text

    def test_frozen_parameters_and_what_it_was_made_with(self, staff, job):
        text = page(staff, job)
        for words in (
            "4 sentences before, 4 after",
            "of every length that occurs",
            "rank_bm25",
            job.code_version,
        ):
            assert words in text

    def test_a_job_from_a_script_with_few_parameters(self, staff, book):
        job = builders.finished_job(book, list(book.excerpts.all()))
        assert "Done" in page(staff, job)

    def test_whoever_may_makes_a_study_of_a_finished_one(self, job, as_user, dora, stan):
        link = f'href="/manage/new/?job={job.pk}"'
        assert link not in page(as_user(dora), job)
        pipeline.attempt(job.pk, "test")
        assert link in page(as_user(dora), job)
        assert link not in page(as_user(stan), job)

    def test_exclusions_by_rule(self, staff, job):
        pipeline.attempt(job.pk, "w")
        CandidateJob.objects.update(counts={"gold": 3, "overlap": 0, "gold_words": 12, "too_few": 1})
        text = page(staff, job)
        assert '<th scope="row">Is the right passage</th><td class="num">3</td>' in text
        assert '<th scope="row">Repeats the right passage’s words</th><td class="num">12</td>' in text
        assert "Overlaps the right passage" not in text
        assert "1 excerpt has fewer candidates than asked for" in text

    def test_failed_for_good_shows_the_cause_and_the_way_on(self, staff, job, settings):
        settings.JOB_MAX_ATTEMPTS = 1
        queue.fail(queue.claim(job.pk, "w"), "The lamp <went> out.")
        text = page(staff, job)
        assert "The lamp &lt;went&gt; out." in text
        assert reverse("retrieval:job_retry", args=[job.pk]) in text


class TestCancelAndRetry:
    def act(self, browser, name, job):
        return browser.post(reverse(f"retrieval:{name}", args=[job.pk]), follow=True).content.decode()

    def test_cancel_then_retry(self, staff, job):
        assert "is cancelled" in self.act(staff, "job_cancel", job)
        job.refresh_from_db()
        assert job.status == Status.CANCELLED
        assert "waits for a worker again" in self.act(staff, "job_retry", job)
        job.refresh_from_db()
        assert job.status == Status.QUEUED

    def test_too_late(self, staff, job):
        pipeline.attempt(job.pk, "w")
        assert "had ended before: done" in self.act(staff, "job_cancel", job)
        assert "cannot be retried: done" in self.act(staff, "job_retry", job)
        job.refresh_from_db()
        assert job.status == Status.DONE

    @pytest.mark.parametrize("name", ["job_cancel", "job_retry"])
    def test_unknown(self, staff, name):
        assert staff.post(reverse(f"retrieval:{name}", args=[99])).status_code == 404
