"""The builder: a study from a finished job, and every way in which it can go wrong."""

from __future__ import annotations

import pytest
from django.urls import reverse

from annotation.manage_forms import GREATEST_SEED, free_slug
from annotation.models import Item, Study
from retrieval.models import Candidate, CandidateJob, Status
from tests import builders


@pytest.fixture
def job(db):
    novel, critic = builders.book(), builders.source()
    return builders.finished_job(novel, [builders.excerpt(novel, critic, first) for first in (3, 8, 14)])


def fields(job, /, **changes):
    return {
        "title": "Boats & their critics",
        "slug": "",
        "task": "choice",
        "job": job.pk,
        "overlap": 3,
        "option_order": "per_annotator",
        "lease_minutes": 45,
        "seed": 1889,
        "contact": "Dora",
        "guidelines": "Read.\r\n\r\nThen choose.",
        **changes,
    }


def build(browser, data):
    return browser.post(reverse("annotation:build"), data)


def test_a_study_is_built_as_a_draft(job, dora, as_user):
    response = build(as_user(dora), fields(job))
    study = Study.objects.get()
    assert response["Location"] == reverse("annotation:study", args=["boats-their-critics"])
    assert (study.state, study.overlap, study.seed, study.lease_minutes) == ("draft", 3, 1889, 45)
    assert (study.items.count(), study.assignments.count(), study.contact) == (3, 0, "Dora")
    assert study.guidelines.get().version == 1
    assert study.enrolments.get().user == dora
    said = as_user(dora).get(response["Location"]).content.decode()
    assert "The study is built: 3 items." in said


def test_job_and_seed_give_the_same_items(job, dora, as_user):
    for slug in ("one", "two"):
        build(as_user(dora), fields(job, slug=slug))
    one, two = (
        list(Item.objects.filter(study__slug=s).values_list("digest", flat=True)) for s in ("one", "two")
    )
    assert one == two


def test_the_form_suggests_a_seed_and_names_the_jobs(job, dora, as_user):
    shown = as_user(dora).get(reverse("annotation:build"), {"job": job.pk})
    assert 0 <= shown.context["form"]["seed"].value() < 1_000_000
    page = shown.content.decode()
    assert "BM25 on The Boats, 3 excerpts, 2 negatives, " in page
    assert f'<option value="{job.pk}" selected>' in page


def test_only_finished_jobs_are_offered(job, dora, as_user):
    CandidateJob.objects.update(status=Status.RUNNING)
    page = as_user(dora).get(reverse("annotation:build")).content.decode()
    assert "No candidate job is finished yet." in page
    assert "<textarea" not in page


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("title", "", "required"),
        ("title", "x" * 201, "at most 200"),
        ("title", "a\x00b", "Null characters"),
        ("slug", "two words", "letters, numbers, underscores or hyphens"),
        ("slug", "new", "is the address of a page"),
        ("task", "rubric-of-nobody", "not one of the available choices"),
        ("job", "999", "There is no finished job of that number"),
        ("job", "' OR 1=1", "There is no finished job of that number"),
        ("overlap", "0", "greater than or equal to 1"),
        ("overlap", "51", "less than or equal to 50"),
        ("seed", "", "required"),
        ("seed", "-1", "greater than or equal to 0"),
        ("seed", str(GREATEST_SEED + 1), "less than or equal to"),
        ("lease_minutes", "0", "greater than or equal to 1"),
        ("option_order", "alphabetical", "not one of the available choices"),
        ("guidelines", "x" * 100_001, "at most 100000"),
    ],
)
def test_a_wrong_field_is_named_and_nothing_is_built(field, value, sentence, job, dora, as_user):
    response = build(as_user(dora), fields(job, **{field: value}))
    assert response.status_code == 422
    assert list(response.context["form"].errors) == [field]
    assert sentence in str(response.context["form"].errors[field])
    assert "Then choose." in response.content.decode() or field == "guidelines"
    assert not Study.objects.exists()


def test_the_greatest_seed_is_stored_whole(job, dora, as_user):
    build(as_user(dora), fields(job, seed=GREATEST_SEED))
    assert Study.objects.get().seed == GREATEST_SEED


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
