"""A new study: a draft from a finished job or without items yet, and every way in which it can go wrong."""

from __future__ import annotations

import pytest
from django.urls import reverse

from annotation.manage.forms.studies import free_slug
from annotation.models import Item, Study
from retrieval.models import Candidate, CandidateJob, Status
from tests import builders


@pytest.fixture
def job(db):
    novel, critic = builders.book(), builders.source()
    return builders.finished_job(novel, [builders.excerpt(novel, critic, first) for first in (3, 8, 14)])


def fields(job, /, **changes):
    return {"title": "Boats & their critics", "slug": "", "task": "choice", "job": job.pk, **changes}


def build(browser, data):
    return browser.post(reverse("annotation:build"), data)


def test_a_study_is_built_as_a_draft(job, dora, as_user):
    response = build(as_user(dora), fields(job))
    study = Study.objects.get()
    assert response["Location"] == reverse("annotation:setup", args=["boats-their-critics"])
    assert (study.state, study.overlap, study.job) == ("draft", 3, job)
    assert (study.items.count(), study.assignments.count()) == (3, 0)
    assert study.enrolments.get().user == dora
    said = as_user(dora).get(response["Location"]).content.decode()
    assert "The draft is made: 3 items." in said


def test_without_a_job_the_draft_has_no_items_yet(job, dora, as_user):
    response = build(as_user(dora), fields(job, job="", task="span"))
    study = Study.objects.get()
    assert (study.task, study.items.count(), study.job) == ("span", 0, None)
    assert "Its items come next." in as_user(dora).get(response["Location"]).text


def test_a_job_makes_no_items_of_a_task_that_needs_a_file(job, dora, as_user):
    response = build(as_user(dora), fields(job, task="span"))
    assert "loaded from a file" in str(response.context["form"].errors["job"])
    assert not Study.objects.exists()


def test_the_form_names_the_jobs(job, dora, as_user):
    shown = as_user(dora).get(reverse("annotation:build"), {"job": job.pk})
    page = shown.content.decode()
    assert "BM25 on The Boats, 3 excerpts, 2 negatives, " in page
    assert f'<option value="{job.pk}" selected>' in page


def test_only_finished_jobs_are_offered(job, dora, as_user):
    CandidateJob.objects.update(status=Status.RUNNING)
    page = as_user(dora).get(reverse("annotation:build")).content.decode()
    assert "BM25 on The Boats" not in page


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("title", "", "required"),
        ("title", "x" * 201, "at most 200"),
        ("title", "a\x00b", "Null characters"),
        ("slug", "two words", "letters, numbers, underscores or hyphens"),
        ("slug", "new", "is the address of a page"),
        ("task", "rubric-of-nobody", "not one of the available choices"),
        ("job", "1000000000", "There is no finished job of that number"),
        ("job", "' OR 1=1", "There is no finished job of that number"),
    ],
)
def test_a_wrong_field_is_named_and_nothing_is_built(field, value, sentence, job, dora, as_user):
    response = build(as_user(dora), fields(job, **{field: value}))
    assert response.status_code == 422
    assert list(response.context["form"].errors) == [field]
    assert sentence in str(response.context["form"].errors[field])
    assert not Study.objects.exists()


def test_a_taken_short_name_is_said_at_its_field(job, dora, as_user):
    builders.study("fleet")
    response = build(as_user(dora), fields(job, slug="fleet"))
    assert "There is a study “fleet” already" in str(response.context["form"].errors["slug"])


def test_a_job_that_yields_no_item_is_said_and_leaves_nothing(job, dora, as_user):
    Candidate.objects.filter(is_gold=True).delete()
    response = build(as_user(dora), fields(job))
    assert response.status_code == 422
    assert "No item can be made of job" in response.content.decode()
    assert not Study.objects.exists()
    assert not Item.objects.exists()


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Boats & their critics", "boats-their-critics"),
        ("Fleet", "fleet-2"),
        ("New", "new-2"),
        ("Où est l’été ?", "ou-est-lete"),
        ("x" * 200, "x" * 74),
        ("Тихий Дон", ""),
    ],
)
def test_a_short_name_is_made_from_the_title(title, slug, db):
    builders.study("fleet")
    assert free_slug(title) == slug


def test_a_title_that_gives_no_short_name_asks_for_one(job, dora, as_user):
    response = build(as_user(dora), fields(job, title="Тихий Дон"))
    assert "No short name can be made from this title" in str(response.context["form"].errors["slug"])


def test_only_passages_that_the_ranker_missed_are_taken_where_that_is_asked(job, dora, as_user):
    far = job.excerpts.order_by("pk").last()
    Candidate.objects.filter(job=job, excerpt=far, is_gold=True).update(rank=1200)
    browser = as_user(dora)
    response = build(browser, fields(job, beyond="1000"))
    assert [item.excerpt for item in Study.objects.get().items.all()] == [far]
    said = browser.get(response["Location"]).text
    assert "Left out: the ranker found its passage within rank 1000 (2)." in said
    more = browser.post(
        reverse("annotation:setup_items", args=["boats-their-critics"]), {"job": job.pk, "beyond": ""}
    )
    assert more.status_code == 302
    assert Study.objects.get().items.count() == 3


def test_a_rank_without_a_job_and_one_that_leaves_nothing_are_refused_at_their_field(job, dora, as_user):
    response = build(as_user(dora), fields(job, job="", beyond="1000"))
    assert "A rank needs the job that ranked" in str(response.context["form"].errors["beyond"])
    response = build(as_user(dora), fields(job, beyond="1000"))
    assert "the ranker found its passage within rank 1000 (3)" in str(response.context["form"].errors)
    assert not Study.objects.exists()
