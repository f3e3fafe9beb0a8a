"""/jobs/<pk>/ranking/: a rank report as a page."""

import json

import pytest
from django.urls import reverse

from evaluation.ranking.formats import FORMATS
from evaluation.ranking.report import rank_report
from evaluation.values.wording import digits, percent
from retrieval.candidates import pipeline, submitting
from retrieval.models import Candidate
from tests import builders

pytestmark = pytest.mark.django_db


@pytest.fixture
def job(db):
    book, critic = builders.book(), builders.source()
    for first, size in ((3, 1), (9, 1), (15, 1), (18, 2)):
        builders.excerpt(book, critic, first, size)
    made = submitting.submit(book, ranker="bm25", parameters={})
    pipeline.attempt(made.pk, "one")
    made.refresh_from_db()
    return made


def url(job):
    return reverse("evaluation:ranking", args=[job.pk])


@pytest.mark.parametrize("name", ["dora", "stan"])
def test_scholars_see_every_number_with_its_definition(as_user, request, job, name):
    page = as_user(request.getfixturevalue(name)).get(url(job))
    text = " ".join(page.content.decode().split())
    report = rank_report(job)
    for line in report.of_kind("all")[0].lines:
        assert f'<tr id="{line.slug}">' in text
        assert line.definition.replace("'", "&#x27;") in text
    rows = page.context["numbers"].rows
    assert len(rows) == len(report.of_kind("all")[0].lines)
    for _, value, interval, random, excerpts in (row.cells for row in rows):
        assert f'<td class="num value">{value.words}</td>' in text
        for cell in (interval, random, excerpts):
            assert f'<td class="num">{cell.words}</td>' in text
    assert "By length of the quotation" in text
    assert "2 sentences" in text
    assert f"manage.py rank_report {job.pk} --contexts" in text
    assert "No right passage is ranked beyond 1,000." in text


def test_the_numbers_are_those_of_the_report(as_user, dora, job):
    page = as_user(dora).get(url(job))
    whole = rank_report(job).of_kind("all")[0]
    rows = {row.name: row.cells for row in page.context["numbers"].rows}
    assert rows["mean_rank"][1].words == digits(whole.line("mean_rank").estimate.value, 1)
    assert rows["recall_at_10"][1].words == f"{percent(whole.line('recall_at_10').estimate.value)} %"
    assert rows["recall_at_10"][1].value == whole.line("recall_at_10").estimate.value
    lengths = [row.cells for row in page.context["lengths"].rows]
    assert [(name.words + name.spoken, n.words) for name, n, *_ in lengths] == [
        ("1 sentence", "3"),
        ("random, 1 sentence", ""),
        ("2 sentences", "1"),
        ("random, 2 sentences", ""),
    ]


def test_golds_that_were_missed_by_far_link_to_their_excerpts(as_user, dora, job):
    book = job.book
    book.sentences = [[0, 1]] * 1500
    book.n_sentences = 1500
    book.save()
    golds = list(job.candidates.filter(is_gold=True).order_by("pk"))
    for rank, gold in zip((1000, 1001, 1400), golds, strict=False):
        Candidate.objects.filter(pk=gold.pk).update(rank=rank)
    page = as_user(dora).get(url(job))
    text = page.content.decode()
    assert [row.rank for row in page.context["page"]] == [1400, 1001]
    for gold in golds[1:3]:
        assert f'href="/excerpts/{gold.excerpt_id}/"' in text
        assert f"/books/boats/?at={gold.first}&amp;size={gold.size}#s{gold.first}" in text
    assert f'href="/excerpts/{golds[0].excerpt_id}/"' not in text


@pytest.mark.parametrize(
    ("form", "extension"),
    [("json", "json"), ("csv", "csv"), ("latex", "tex"), ("table", "txt"), ("markdown", "md")],
)
def test_downloads(as_user, dora, job, form, extension):
    assert f'href="?format={form}"' in as_user(dora).get(url(job)).content.decode()
    page = as_user(dora).get(url(job), {"format": form})
    assert page["Content-Type"] == FORMATS[form].content_type
    assert page["Content-Disposition"] == f'attachment; filename="job-{job.pk}-ranking.{extension}"'
    assert len(page.content) > 200
    if form == "json":
        assert json.loads(page.content)["n_excerpts"] == 4


def test_an_unknown_format_is_refused_in_a_sentence(as_user, dora, job):
    page = as_user(dora).get(url(job), {"format": "xlsx<script>"})
    assert (page.status_code, page["Content-Type"]) == (400, "text/plain; charset=utf-8")
    assert b"script" not in page.content


def test_a_job_without_candidates_says_so(as_user, dora, job):
    waiting = submitting.submit(job.book, ranker="bm25", parameters={})
    page = as_user(dora).get(url(waiting))
    assert page.status_code == 200
    assert "has no candidates yet: it is waiting." in page.content.decode()


def test_a_book_that_changed_since_is_said_and_not_counted(as_user, dora, job):
    job.book.sentences = job.book.sentences[:4]
    job.book.n_sentences = 4
    job.book.save()
    text = as_user(dora).get(url(job)).content.decode()
    assert "so run the job again" in text


def test_candidates_without_the_rankers_score_are_said(as_user, dora, job):
    job.candidates.update(scores={"other": 1.0})
    text = as_user(dora).get(url(job)).content.decode()
    assert f"Job {job.pk} stores no score by bm25 for excerpt" in text


def test_the_job_links_here_when_it_is_done(as_user, dora, job):
    browser = as_user(dora)
    assert url(job) in browser.get(job.get_absolute_url()).content.decode()
    waiting = submitting.submit(job.book, ranker="bm25", parameters={})
    assert url(waiting) not in browser.get(waiting.get_absolute_url()).content.decode()


@pytest.mark.parametrize("name", ["ada", "eve"])
def test_annotators_find_nothing(as_user, request, job, name):
    browser = as_user(request.getfixturevalue(name))
    assert browser.get(url(job)).status_code == 404
    assert browser.get(url(job), {"format": "json"}).status_code == 404


def test_signed_out_is_asked_to_sign_in_and_nothing_can_be_posted(client, as_user, job, dora):
    assert client.get(url(job))["Location"] == f"/login/?next={url(job)}"
    assert as_user(dora).post(url(job)).status_code == 405
    assert as_user(dora).get("/jobs/9876/ranking/").status_code == 404


def test_at_most_twelve_queries(as_user, dora, job, django_assert_max_num_queries):
    browser = as_user(dora)
    with django_assert_max_num_queries(12):
        browser.get(url(job))
