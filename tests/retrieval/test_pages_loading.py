"""Searches for quotations and imports of large files on pages: launch, follow, cancel, what came of it."""

import json
import re
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models import F
from django.urls import reverse

from retrieval.candidates import submitting
from retrieval.forms import imports
from retrieval.jobs import queue, workers
from retrieval.loading import jobs as loadings
from retrieval.loading import uploads
from retrieval.models import Book, Excerpt, LoadingJob, LoadingTask, Source, Status
from tests import builders
from tests.retrieval.quay import ESSAY, NOVEL

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}
BOOK = {"slug": "quay", "title": "The Quay", "author": "A", "year": "1891", "language": "en", "short": "on"}
CRITIC = {"slug": "critic", "citation": "Critic 1911", "language": "en"}


@pytest.fixture(autouse=True)
def data(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    return tmp_path / "uploads"


@pytest.fixture
def staff(as_user, stan):
    return as_user(stan)


@pytest.fixture
def job(quay, critic):
    return loadings.submit_search(quay, critic)


@pytest.fixture
def large(monkeypatch):
    monkeypatch.setattr(imports, "AT_ONCE", 100)


def page(browser, job):
    return browser.get(job.get_absolute_url()).text


def words(text):
    return re.sub(r"\s+", " ", re.sub("<[^>]+>", "", text))


def poll(browser, job, **headers):
    url = reverse("retrieval:loading_progress", args=[job.pk])
    return browser.get(url, headers={**HTMX, **headers})


def act(browser, name, job):
    return browser.post(reverse(f"retrieval:loading_{name}", args=[job.pk]), follow=True).text


def done(job):
    assert loadings.attempt(job.pk, "w")
    job.refresh_from_db()
    return job


class TestFollow:
    def test_counts_rate_and_time_left(self, staff, job):
        workers.report("w", ["cpu"])
        assert "not begun" in page(staff, job)
        claimed = queue.claim(job.pk, "w", LoadingJob)
        assert "getting ready" in page(staff, job)
        queue.renew_lease(claimed, 20, "Comparing the texts", total=100)
        assert "20 of 100 sentences" in page(staff, job)
        LoadingJob.objects.update(started=F("heartbeat") - timedelta(seconds=10))
        text = page(staff, job)
        assert "20 of 100 sentences · 2.0 a second · about 40 s left" in text
        assert "Comparing the texts · try 1 · needs no GPU" in text

    def test_304_until_the_row_changes(self, staff, job):
        workers.report("w", ["cpu"])
        claimed = queue.claim(job.pk, "w", LoadingJob)
        first = poll(staff, job)
        assert first["Cache-Control"] == "private, no-cache"
        again = poll(staff, job, **{"If-None-Match": first["ETag"]})
        assert (again.status_code, again.content) == (304, b"")
        queue.renew_lease(claimed, 1, "Comparing the texts", total=9)
        assert "1 of 9 sentences" in poll(staff, job, **{"If-None-Match": first["ETag"]}).text

    def test_nobody_there_is_said_with_what_to_do(self, staff, job):
        text = page(staff, job)
        assert "No worker has been seen yet" in text
        assert "celery -A variorum worker -P solo -Q cpu" in text

    def test_the_last_answer_is_the_whole_page_and_polls_no_more(self, staff, job):
        assert "hx-trigger" in page(staff, job)
        response = poll(staff, done(job))
        assert (response["HX-Retarget"], response["HX-Reswap"]) == ("#job", "innerHTML")
        assert "hx-trigger" not in response.text
        assert f"Search {job.pk} has ended: done" in response.text

    def test_without_scripts_the_address_leads_to_the_page_which_can_be_asked_again(self, staff, job):
        response = staff.get(reverse("retrieval:loading_progress", args=[job.pk]))
        assert response["Location"] == job.get_absolute_url()
        assert f'<a class="button" href="{job.get_absolute_url()}">Look again</a>' in page(staff, job)

    def test_seldom_asks_and_reads_no_text(self, staff, job, django_assert_max_num_queries):
        with django_assert_max_num_queries(8) as asked:
            poll(staff, job)
        assert not any('"text"' in each["sql"] for each in asked.captured_queries)


class TestSearch:
    def test_what_was_found_and_what_was_dropped_and_why(self, staff, job):
        text = page(staff, done(job))
        assert "2 excerpts of The Quay 2 new, 0 known before." in words(text)
        assert 'href="/excerpts/?source=critic&amp;book=quay"' in text
        assert 'href="/sources/critic/matches/?book=quay#dropped"' in text
        rows = re.findall(r'<tr><th scope="row">([^<]+)</th><td class="num">(\d+)</td></tr>', text)
        assert sum(int(count) for _, count in rows) == sum(job.counts["dropped"].values()) > 0
        assert "Fewer than 10 words and punctuation marks" in dict(rows)

    def test_again_finds_what_is_known_and_says_what_staff_rejected(self, staff, job, quay, critic):
        done(job)
        Excerpt.objects.filter(pk=Excerpt.objects.first().pk).update(standing="rejected")
        text = page(staff, done(loadings.submit_search(quay, critic)))
        assert "0 new, 2 known before, of which staff rejected 1." in words(text)
        assert Excerpt.objects.count() == 2

    def test_a_source_that_quotes_nothing(self, staff, quay):
        job = done(loadings.submit_search(quay, builders.source("dull", "Dull 1900", "It quotes nobody.")))
        assert "Dull 1900 quotes nothing that was found in The Quay" in words(page(staff, job))

    def test_failed_it_says_why_and_offers_another_try(self, staff, job):
        queue.fail(queue.claim(job.pk, "w", LoadingJob), "It took <too> long.", final=True)
        text = page(staff, job)
        assert "It failed: It took &lt;too&gt; long." in words(text)
        assert reverse("retrieval:loading_retry", args=[job.pk]) in text

    def test_cancel_then_try_again(self, staff, job):
        assert f"Search {job.pk} is cancelled. Nothing of it is stored." in act(staff, "cancel", job)
        assert f"Search {job.pk} had ended before: cancelled." in act(staff, "cancel", job)
        assert f"Search {job.pk} waits for a worker again." in act(staff, "retry", job)
        assert "cannot be tried again: waiting." in act(staff, "retry", job)

    def test_not_again_beside_another_search_for_the_same(self, staff, job, quay, critic):
        queue.cancel(job.pk, LoadingJob)
        loadings.submit_search(quay, critic)
        assert "cannot be tried again: another search has begun." in act(staff, "retry", job)

    def test_a_researcher_reads_and_changes_nothing(self, as_user, dora, job):
        browser = as_user(dora)
        assert "Cancel the search" not in page(browser, job)
        assert browser.post(reverse("retrieval:loading_cancel", args=[job.pk])).status_code == 404
        text = page(browser, done(job))
        assert "2 excerpts of" in text
        for name in ("find_excerpts", "generate"):
            assert (
                reverse(f"retrieval:{name}", args=["critic" if name == "find_excerpts" else "quay"])
                not in text
            )


class TestImport:
    def upload(self, staff, url, data, name, **fields):
        data = data if isinstance(data, bytes) else data.encode()
        return staff.post(url, {**fields, "file": SimpleUploadedFile(name, data)})

    def test_two_megabytes_are_read_at_once(self):
        assert imports.AT_ONCE == 2 * 1024 * 1024

    @pytest.mark.services
    @pytest.mark.sqlite
    def test_a_large_book(self, staff, stan, large, data):
        response = self.upload(staff, "/books/import/", NOVEL, "quay.txt", **BOOK)
        job = LoadingJob.objects.get()
        assert response["Location"] == job.get_absolute_url()
        assert (job.work, job.name, job.created_by) == (LoadingTask.BOOK, "quay.txt", stan)
        assert not Book.objects.exists()
        assert "Import of a book" in page(staff, job)
        text = page(staff, done(job))
        assert f"The Quay, {Book.objects.get().n_sentences} sentences." in words(text)
        assert "Set aside 2 pieces as heading, the longest of 10 characters: CHAPTER II" in words(text)
        assert list(data.iterdir()) == []

    @pytest.mark.services
    @pytest.mark.sqlite
    def test_a_large_text_that_is_pasted(self, staff, large):
        staff.post("/sources/import/", {**CRITIC, "pasted": ESSAY})
        job = done(LoadingJob.objects.get())
        assert (job.name, job.source.citation) == ("The pasted text", "Critic 1911")
        assert "Critic 1911: find what it quotes" in words(page(staff, job))

    def test_there_is_no_preview_of_it_and_the_page_says_so(self, staff, large):
        response = self.upload(staff, "/books/import/", NOVEL, "quay.txt", **BOOK, preview="1")
        assert "No preview of a text this long" in response.text
        assert not LoadingJob.objects.exists()

    def test_fields_that_are_wrong_are_said_beside_them(self, staff, large):
        response = self.upload(staff, "/sources/import/", ESSAY, "e.txt", **{**CRITIC, "language": "?"})
        assert response.status_code == 422
        assert list(response.context["form"].errors) == ["language"]
        assert not LoadingJob.objects.exists()

    def test_a_large_relic_file(self, staff, large):
        sentences = [f"Sentence {number} of the book." for number in range(8)]
        starts = {f"{size}_sentence": [*range(9 - size)] for size in range(1, 6)}
        book = {"quotes": {"q1": [["He says."], 3, 1, []]}, "sentences": sentences, "candidates": starts}
        self.upload(staff, "/relic/import/", json.dumps({"ethan_frome": book}), "relic.json", author="E. W.")
        job = done(LoadingJob.objects.get())
        assert Book.objects.get().author == "E. W."
        text = page(staff, job)
        assert '<a href="/books/ethan-frome/"><cite>Ethan Frome</cite></a>' in text
        assert re.findall(r'<td class="num">(\d+)</td>', text) == ["8", "1", "0"]

    def test_what_is_refused_is_said_with_the_way_back_to_the_form(self, staff, large):
        self.upload(staff, "/sources/import/", b"\0" * 200, "e.txt", **CRITIC)
        job = done(LoadingJob.objects.get())
        text = page(staff, job)
        assert "It failed: e.txt is a binary file" in words(text)
        assert 'The uploaded file is no longer kept. <a href="/sources/import/">Upload it again</a>' in text
        assert "its file is gone; upload it again." in act(staff, "retry", job)
        assert not Source.objects.exists()

    def test_a_cancelled_one_keeps_no_file(self, staff, large, data):
        self.upload(staff, "/sources/import/", ESSAY, "e.txt", **CRITIC)
        job = LoadingJob.objects.get()
        assert uploads.read(job.pk) == ESSAY.encode()
        act(staff, "cancel", job)
        assert list(data.iterdir()) == []


class TestList:
    def test_all_kinds_by_when_they_were_launched(self, staff, job, quay, critic):
        builders.excerpt(quay, critic)
        ranked = submitting.submit(quay, ranker="bm25", parameters={})
        read = loadings.submit_import(LoadingTask.RELIC, b"{}", "relic.json", {"author": ""})
        text = staff.get("/jobs/").text
        found = re.findall(r'<th scope="row"><a href="([^"]+)">([^<]+)</a></th>\s*<td>([^<]+)</td>', text)
        assert found == [
            (read.get_absolute_url(), f"Import {read.pk}", "Import of a RELiC file"),
            (ranked.get_absolute_url(), f"Job {ranked.pk}", "BM25"),
            (job.get_absolute_url(), f"Search {job.pk}", "Quotations"),
        ]
        assert "relic.json" in text
        assert [row.job.status for row in staff.get("/jobs/?book=quay").context["rows"]] == 2 * [
            Status.QUEUED
        ]

    def test_it_has_pages(self, staff, quay):
        for number in range(30):
            loadings.submit_search(quay, builders.source(f"s{number}", f"Critic {number}"))
        first, second = (staff.get(f"/jobs/?page={number}").context["rows"] for number in (1, 2))
        assert (len(first), len(second)) == (25, 5)
        keys = [row.job.pk for row in (*first, *second)]
        assert keys == sorted(keys, reverse=True)
