"""The demonstration: whole after one start, unchanged after a second."""

import subprocess
import sys

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from annotation.models import Assignment, Enrolment, Guideline, Item, Judgment, Study
from annotation.studies import leaks
from common.errors import BadInput
from evaluation.bundle.reports import Asked
from evaluation.bundle.write import write_bundle
from evaluation.cues.audit import audit_of
from evaluation.metrics.common.intervals import RESAMPLES
from evaluation.runs import judgments
from retrieval.corpora.models import Corpus, Pool, Run, TopicVersion
from retrieval.jobs import queue
from retrieval.models import (
    Book,
    Candidate,
    CandidateJob,
    Checkpoint,
    Excerpt,
    Source,
    TrainingBook,
    TrainingJob,
)
from tests import builders
from variorum.demo import load, relevance, rubric, shelf, validated

pytestmark = pytest.mark.django_db
TABLES = (
    User, Book, Source, Excerpt, CandidateJob, Candidate, TrainingJob, TrainingBook, Checkpoint, Study, Item,
    Enrolment, Assignment, Guideline, Corpus, TopicVersion, Run, Pool,
)  # fmt: skip


def rows():
    return {table.__name__: list(table.objects.order_by("pk").values()) for table in TABLES}


@pytest.fixture(scope="module")
def said():
    return []


@pytest.fixture(scope="module")
def loaded(ground, said):
    found = load.load(now=timezone.now(), say=said.append)
    builders.analyse()
    return found


def test_at_least_24_quotations_of_the_sample_are_found(loaded):
    assert Excerpt.objects.count() >= 24
    assert Excerpt.objects.values("source").distinct().count() == 4


def test_the_open_study_waits_for_its_readers(loaded):
    study = Study.objects.get(slug=load.OPEN_STUDY)
    assert study.is_open
    assert not Judgment.objects.filter(assignment__study=study).exists()
    assert study.assignments.count() == study.items.count() * 3
    assert [each.user.username for each in study.enrolments.filter(role="annotator")] == [
        "ada",
        "ben",
        "cleo",
    ]


def test_the_simulated_study_is_finished_and_says_what_it_is(loaded):
    study = Study.objects.get(slug=load.SIMULATED_STUDY)
    assert study.state == "closed"
    assert study.opened < study.closed
    assert Judgment.objects.filter(assignment__study=study).count() == study.items.count() * 3
    assert set(study.enrolments.filter(role="annotator").values_list("simulated", flat=True)) == {True}


def test_no_answer_of_the_studies_is_printed_in_them(loaded):
    """The critics quote one passage after another: what one item asks for stood in another's context."""
    for slug in (load.OPEN_STUDY, load.SIMULATED_STUDY):
        study = Study.objects.get(slug=slug)
        assert leaks.check(study).cautions == []
        events = study.events.filter(verb="cover").values_list("data", flat=True)
        covered = study.items.filter(pk__in=[each["item"] for each in events])
        assert covered.count() >= 4
        assert all("[…]" in " ".join((*each.payload["left"], *each.payload["right"])) for each in covered)


def test_nobody_finds_the_answers_of_the_studies_who_does_not_read(loaded):
    """Words that were covered are no cue either: the studies are audited as readers get them."""
    for slug in (load.OPEN_STUDY, load.SIMULATED_STUDY):
        found = audit_of(Study.objects.get(slug=slug)).audit
        assert found.n_items == 53
        assert len(found.results) == 18
        assert found.telling == found.avoided == ()
        assert all(each.low is None or each.low < found.chance < each.high for each in found.results)


def test_three_runs_search_the_novel_and_what_they_find_first_is_graded(loaded):
    pool = Pool.objects.get()
    assert set(pool.runs.values_list("name", flat=True)) == {"bm25", "rm3-fiction", "rm3-criticism"}
    assert set(pool.corpus.documents.values_list("genre", flat=True)) == {"fiction", "criticism"}
    assert set(pool.entries.values_list("document__genre", flat=True)) == {"fiction"}
    assert pool.entries.values("topic").distinct().count() == 5
    assert all(gave["alone"] for gave in pool.counts.values())
    opened, begun = (
        Study.objects.get(slug=each) for each in (relevance.OPEN_STUDY, relevance.SIMULATED_STUDY)
    )
    assert opened.items.count() == begun.items.count() == pool.entries.count()
    assert (opened.state, begun.state) == ("open", "open")
    assert not Judgment.objects.filter(assignment__study=opened).exists()
    readers = opened.enrolments.filter(role="annotator")
    assert set(readers.values_list("user__username", flat=True)) == {"ada", "ben", "cleo"}


def test_what_programs_graded_in_part_can_be_measured_on(loaded, as_user):
    study, pool = Study.objects.get(slug=relevance.SIMULATED_STUDY), Pool.objects.get()
    n = pool.entries.count()
    assert (study.assignments.count(), study.assignments.filter(status="done").count()) == (3 * n, 2 * n)
    found = judgments.of_study(study, "median", pool.corpus, pool.topics)
    assert sum(map(len, found.qrels.values())) == n
    assert (found.highest, len(found.qrels)) == (4, 5)
    address = reverse("evaluation:runs", args=[shelf.CORPUS, shelf.NEEDS])
    page = as_user(loaded.researcher).get(
        address, {"qrels": f"study:{study.slug}", "run": ["bm25", "rm3-criticism"]}
    )
    assert "2 readers of the study are programs, not people" in page.text
    assert "rm3-criticism" in page.text


def test_what_critics_do_with_a_quotation_is_asked_and_finished_by_programs(loaded):
    opened, done = (Study.objects.get(slug=each) for each in (rubric.OPEN_STUDY, rubric.SIMULATED_STUDY))
    assert (opened.state, done.state) == ("open", "closed")
    assert opened.items.count() == done.items.count() == len(rubric.TYPES)
    assert not Judgment.objects.filter(assignment__study=opened).exists()
    assert Judgment.objects.filter(assignment__study=done).count() == 3 * len(rubric.TYPES)
    assert {each.gold["type"] for each in done.items.all()} == {"claim", "paraphrase", "other"}


def test_what_the_simulated_readers_left_open_can_be_settled(loaded, as_user):
    browser = as_user(loaded.adjudicator)
    for slug in (load.SIMULATED_STUDY, "sermon-simulated", rubric.SIMULATED_STUDY):
        assert f'href="/adjudicate/{slug}/"' in browser.get("/").text
        assert "Decide on item" in browser.get(f"/adjudicate/{slug}/").text


def test_a_toy_model_waits_for_the_worker_and_learns_nothing_of_what_the_critics_quote(loaded):
    job = TrainingJob.objects.get()
    assert (job.name, job.toy, job.status, job.created_by) == ("toy", True, "queued", loaded.staff)
    assert queue.claimable(["cpu"], TrainingJob) == [job.pk]
    assert queue.claimable(["cpu"]) == []
    assert job.excerpts.count() == 0
    assert dict(job.splits.values_list("book__slug", "split")) == {
        load.BOOK: "train",
        "sermon-at-holm": "validate",
    }


def test_S09_nobody_has_a_password(loaded):
    assert not any(user.has_usable_password() for user in User.objects.all())
    assert loaded.staff.is_staff
    assert not loaded.staff.is_superuser
    assert loaded.researcher.has_perm("annotation.add_study")
    assert not loaded.annotator.has_perm("annotation.add_study")


def test_a_second_start_changes_nothing_and_says_nothing(loaded, said):
    before, judgments = rows(), Judgment.objects.count()
    said.clear()
    assert load.load(now=timezone.now(), say=said.append) == loaded
    assert (rows(), Judgment.objects.count(), said) == (before, judgments, [])


@pytest.mark.parametrize(("table", "slug"), [(Book, load.BOOK), (Source, "varga-2009")])
def test_a_sample_of_an_earlier_version_is_named_with_the_way_out(loaded, table, slug):
    table.objects.filter(slug=slug).update(sha256="0" * 64)
    before = rows()
    with pytest.raises(
        BadInput, match=f'"{slug}" as an earlier version read it.*VARIORUM_DATA_DIR=.*make serve'
    ):
        load.load(now=timezone.now(), say=print)
    assert rows() == before


def test_a_machine_is_validated_and_its_pull_shows(loaded, as_user):
    study = Study.objects.get(slug=validated.STUDY)
    assert (study.state, study.shows_machine) == ("closed", True)
    page = as_user(loaded.researcher).get(reverse("evaluation:validation", args=[study.slug]))
    assert "A machine (a simulated machine.jsonl) judged" in page.text
    assert "Its answer pulled them." in page.text


def test_words_that_decided_are_marked(loaded):
    opened = Study.objects.get(slug=relevance.OPEN_STUDY)
    assert {each.payload["rationale"] for each in opened.items.all()} == {"optional"}
    assert any(
        each.answer and each.answer.get("rationale")
        for each in Judgment.objects.filter(assignment__study__slug=relevance.SIMULATED_STUDY)
    )


@pytest.mark.services
def test_the_bundle_of_every_study_holds(loaded, tmp_path):
    """Each checked by the program itself, in a process without this database."""
    slugs = sorted(Study.objects.values_list("slug", flat=True))
    builders.analyse()
    for slug in slugs:
        with (tmp_path / f"{slug}.zip").open("wb") as out:
            asked = Asked(timezone.now(), RESAMPLES)
            write_bundle(Study.objects.get(slug=slug), out, asked, licence="CC-BY-4.0", by=None)
    said = {}
    for slug in slugs:
        command = [sys.executable, "-m", "variorum.verify", str(tmp_path / f"{slug}.zip")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        said[slug] = done.stderr if done.returncode else done.stdout.splitlines()[-1].partition(":")[0]
    assert said == dict.fromkeys(slugs, "IT HOLDS")
