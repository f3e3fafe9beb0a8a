"""Searches of a corpus in jobs: launched on a page, worked by a worker, stopped and gone on with."""

import pytest
from django.urls import reverse

from common.errors import BadField
from retrieval import tasks
from retrieval.corpora.models import Corpus, Run, SearchJob, TopicSet
from retrieval.corpora.searching import jobs, plans, running
from retrieval.corpora.searching.plans import DensePlan, Feedback, Plan
from retrieval.engine.corpora.presets import FeedbackSettings
from retrieval.engine.corpora.weighting import Bm25Settings
from retrieval.jobs import queue
from retrieval.models import Status
from tests import builders
from tests.retrieval.corpora.conftest import said

pytestmark = pytest.mark.django_db
ASKED = {
    "name": "base", "topics": "boats", "fields_of_topic": ["title"], "ranker": "lucene", "depth": "3",
    "stop_list": "none", "stemmer": "none",
}  # fmt: skip


@pytest.fixture
def there(quay, settings, tmp_path):
    settings.DATA_DIR = tmp_path / "data"
    settings.DATA_DIR.mkdir()
    return quay, TopicSet.objects.get()


@pytest.fixture
def stan(client):
    client.force_login(builders.person("Stan", is_staff=True))
    return client


def submitted(there, name="base", plan=None):
    return jobs.submit(*there, name, plan or Plan(depth=3))


def worked(job):
    assert jobs.attempt(job.pk, "one")
    job.refresh_from_db()
    return job


def ranked(run):
    return list(run.rows.order_by("topic", "rank").values_list("topic", "document", "score"))


def test_a_job_makes_the_run_that_the_command_makes(there):
    job = worked(submitted(there))
    assert (job.status, job.run.name, job.done) == (Status.DONE, "base", job.total)
    said("search_corpus", "--corpus", "quay", "--topics", "boats", "--name", "typed", "--depth", "3")
    typed = Run.objects.get(name="typed")
    assert ranked(job.run) == ranked(typed)
    assert job.run.parameters == typed.parameters


def test_every_worker_knows_this_kind_of_job(there):
    job = submitted(there)
    assert SearchJob in queue.KINDS
    tasks.work.run(job.pk, SearchJob.kind)
    job.refresh_from_db()
    assert job.status == Status.DONE


def test_a_stopped_search_stores_nothing_and_goes_on(there, monkeypatch):
    job = submitted(there)
    assert jobs.attempt(job.pk, "one", go_on=lambda job: False)
    job.refresh_from_db()
    assert (job.status, job.attempts, Run.objects.exists()) == (Status.QUEUED, 0, False)
    assert worked(job).status == Status.DONE


def test_a_search_that_was_cancelled_while_it_stored_leaves_no_run(there, monkeypatch):
    job = submitted(there)
    store = running._store

    def cancelled(run, searched):
        SearchJob.objects.filter(pk=job.pk).update(status=Status.CANCELLED)
        store(run, searched)

    monkeypatch.setattr(running, "_store", cancelled)
    assert jobs.attempt(job.pk, "one")
    assert not Run.objects.exists()


def test_a_search_that_finds_nothing_fails_with_the_sentence_and_can_be_tried_again(there, written):
    said("import_topics", written("none.tsv", "1\tunheard"), "--slug", "none")
    job = worked(jobs.submit(there[0], TopicSet.objects.get(slug="none"), "base", Plan()))
    assert job.status == Status.FAILED
    assert "finds a document" in job.error
    assert jobs.retry(job)
    job.refresh_from_db()
    assert job.status == Status.QUEUED


def test_a_name_belongs_to_one_search_and_one_run(there):
    job = submitted(there)
    with pytest.raises(BadField, match='search "base" has not ended yet'):
        submitted(there)
    worked(job)
    with pytest.raises(BadField, match='has a run "base" already'):
        submitted(there)
    assert SearchJob.objects.count() == 1


def test_more_rows_than_a_job_stores_are_refused(there, monkeypatch):
    monkeypatch.setattr(jobs, "MOST_ROWS", 5)
    with pytest.raises(BadField, match="may have 6 rows; a job stores 5 at most"):
        submitted(there)


@pytest.mark.parametrize(
    "plan",
    [
        DensePlan(("title", "narrative"), ("fiction",), 7, "toy"),
        Plan(
            bm25=Bm25Settings("atire"),
            feedback=Feedback((("a", "b"), ("c",)), FeedbackSettings(fb_docs=3), 0.4),
        ),
    ],
)
def test_a_plan_is_kept_as_it_was(plan):
    assert plans.from_json(plans.as_json(plan)) == plan


def test_staff_launch_a_search_and_follow_it(there, stan):
    address = reverse("retrieval:corpus_searches", args=["quay"])
    assert "Launch the search" in stan.get(address).text
    answer = stan.post(address, ASKED)
    job = SearchJob.objects.get()
    assert answer.url == job.get_absolute_url()
    assert (job.created_by.first_name, job.plan["depth"], job.plan["bm25"]["variant"]) == (
        "Stan",
        3,
        "lucene",
    )
    assert "getting ready" in stan.get(answer.url).text
    worked(job)
    shown = stan.get(answer.url).text
    assert "The run <strong>base</strong>" in shown
    assert "Cancel the search" not in shown
    asked = reverse("retrieval:corpus_search_state", args=[job.pk])
    assert f"{job} has ended: done" in stan.get(asked, headers={"HX-Request": "true"}).text
    assert "base" in stan.get(address).text


def test_a_search_is_cancelled_and_tried_again(there, stan):
    job = submitted(there)
    shown = stan.post(reverse("retrieval:corpus_search_cancel", args=[job.pk]), follow=True).text
    assert "is cancelled. No run is stored" in shown
    assert "Try again" in shown
    again = stan.post(reverse("retrieval:corpus_search_retry", args=[job.pk]), follow=True).text
    assert "waits for a worker again" in again
    worked(job)
    late = stan.post(reverse("retrieval:corpus_search_retry", args=[job.pk]), follow=True).text
    assert "cannot be tried again" in late


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"name": "a b"}, "name"),
        ({"fields_of_topic": []}, "fields_of_topic"),
        ({"ranker": "dense:nobody"}, "ranker"),
        ({"depth": "0"}, "depth"),
        ({"topics": "none"}, "topics"),
    ],
)
def test_what_cannot_be_searched_is_refused_beside_its_field(there, stan, more, field):
    TopicSet.objects.create(slug="none", title="None yet")
    answer = stan.post(reverse("retrieval:corpus_searches", args=["quay"]), ASKED | more)
    assert answer.status_code == 422
    assert set(answer.context["form"].errors) == {field}
    assert not SearchJob.objects.exists()


def test_feedback_and_genres_are_asked_for_where_there_are_genres(there, stan):
    Corpus.objects.get().documents.filter(number__lt=3).update(genre="fiction")
    address = reverse("retrieval:corpus_searches", args=["quay"])
    assert stan.post(address, ASKED | {"genres": ["fiction"], "feedback": ["fiction"]}).status_code == 302
    job = worked(SearchJob.objects.get())
    assert (job.run.ranker, job.run.parameters["subset"]["name"]) == ("rm3", "genre=fiction")


def test_searches_stand_in_the_list_of_jobs(there, stan):
    job = submitted(there)
    shown = stan.get(reverse("retrieval:jobs")).text
    assert job.get_absolute_url() in shown
    assert "Search of a corpus" in shown
    assert job.get_absolute_url() not in stan.get(reverse("retrieval:jobs"), {"book": "none"}).text


def test_scripts_follow_a_search_and_cancel_it(there, stan):
    job = submitted(there)
    address = f"/api/v1/searches/{job.pk}/"
    (row,) = stan.get("/api/v1/searches/", {"corpus": "quay", "status": "queued"}).json()["results"]
    assert (row["id"], row["name"], row["plan"]["depth"], row["run"]) == (job.pk, "base", 3, None)
    assert stan.post(f"{address}cancel/").json()["status"] == "cancelled"
    jobs.retry(job)
    worked(job)
    assert stan.get(address).json()["run"] == "base"
