"""Searches of a corpus in jobs: launched on a page, worked by a worker, stopped and gone on with."""

import pytest
from django.urls import reverse

from common.errors import BadField
from retrieval import tasks
from retrieval.corpora.loading.topics import current
from retrieval.corpora.models import Corpus, Ranked, Run, SearchJob, TopicSet, TopicVersion
from retrieval.corpora.searching import jobs, plans, staging
from retrieval.corpora.searching.plans import DensePlan, Feedback, Plan
from retrieval.corpora.searching.searches import Searched
from retrieval.engine.corpora.presets import FeedbackSettings
from retrieval.engine.corpora.weighting import Bm25Settings
from retrieval.jobs import queue, workers
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
    store = staging.store_topic

    def cancelled(run, searched):
        SearchJob.objects.filter(pk=job.pk).update(status=Status.CANCELLED)
        store(run, searched)

    monkeypatch.setattr(staging, "store_topic", cancelled)
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


def stopped_behind_its_first_topic(there, monkeypatch):
    """A search that was stopped when its first block, a topic, was stored."""
    monkeypatch.setattr(staging, "BLOCK_ROWS", 1)
    monkeypatch.setattr(jobs, "BEAT", 0)
    job = submitted(there)
    assert jobs.attempt(job.pk, "one", go_on=lambda job: not Run.everything.filter(n_topics=2))
    job.refresh_from_db()
    return job


def test_a_run_is_stored_topic_by_topic_and_seen_when_it_is_whole(there, stan, monkeypatch):
    job = stopped_behind_its_first_topic(there, monkeypatch)
    (run,) = Run.everything.all()
    assert (job.status, run.state, run.n_topics) == (Status.QUEUED, "staged", 1)
    assert run.n_rows == run.rows.count() > 0
    assert not Run.objects.exists()
    assert not there[0].runs.exists()
    assert stan.get(reverse("corpora:run", args=["quay", "base"])).status_code == 404
    first = set(run.rows.values_list("pk", flat=True))
    assert worked(job).run == run
    assert first <= set(run.rows.values_list("pk", flat=True))
    said("search_corpus", "--corpus", "quay", "--topics", "boats", "--name", "typed", "--depth", "3")
    typed = Run.objects.get(name="typed")
    run.refresh_from_db()
    assert ranked(run) == ranked(typed)
    assert (run.notes, run.parameters, run.n_rows) == (typed.notes, typed.parameters, typed.n_rows)
    assert run.n_rows == run.rows.count()


def test_topics_that_were_reworded_meanwhile_are_searched_for_anew(there, monkeypatch):
    job = stopped_behind_its_first_topic(there, monkeypatch)
    topic = there[1].members.get(number=0)
    TopicVersion.objects.create(topic=topic, version=2, title="loud hour")
    run = worked(job).run
    assert set(run.rows.filter(topic__topic=topic).values_list("topic__version", flat=True)) == {2}
    assert run.n_rows == run.rows.count()


def test_what_a_cancelled_search_had_stored_is_removed(there, monkeypatch):
    job = stopped_behind_its_first_topic(there, monkeypatch)
    assert jobs.cancel(job)
    assert not Run.everything.exists()
    assert not Ranked.objects.exists()
    assert not jobs.cancel(job)


def test_a_name_that_was_taken_meanwhile_is_refused_and_nothing_stays(there, monkeypatch):
    job = stopped_behind_its_first_topic(there, monkeypatch)
    finish = staging.finish

    def taken(run, also):
        Run.objects.create(corpus=run.corpus, topics=run.topics, name=run.name, depth=1)
        finish(run, also)

    monkeypatch.setattr(staging, "finish", taken)
    assert "was stored meanwhile" in worked(job).error
    assert [run.n_rows for run in Run.everything.all()] == [0]


def test_of_two_who_make_one_run_one_is_told(there, monkeypatch):
    job = stopped_behind_its_first_topic(there, monkeypatch)
    topics = list(current(there[1]))
    run, noticed = staging.begin(Run.everything.get(), [each.pk for each in topics])
    Run.everything.update(n_topics=2)
    with pytest.raises(staging.Overtaken, match="made by somebody else too"):
        staging.fill(run, noticed, [Searched(topics[1], [(0, 1.0)])], 2, lambda *told: None)
    assert not run.rows.filter(topic=topics[1]).exists()
    assert job.status == Status.QUEUED


@pytest.mark.parametrize(
    "plan",
    [
        DensePlan(("title", "narrative"), ("fiction",), 7, "toy"),
        Plan(
            bm25=Bm25Settings("atire"),
            feedback=Feedback((("a", "b"), ("c",)), FeedbackSettings(fb_docs=3), 0.4),
            languages=("en",),
            last_year=1900,
            facets=(("part", "1"),),
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


def test_the_page_misses_a_worker_for_each_queue_that_its_rankers_go_to(there, stan, settings, monkeypatch):
    address = reverse("retrieval:corpus_searches", args=["quay"])
    assert "No worker has been seen yet" in stan.get(address).text
    workers.report("one", ["cpu"])
    assert "No worker" not in stan.get(address).text
    settings.DEVICE = "cuda"
    dense = ("dense:model", "A dense encoder")
    monkeypatch.setattr("retrieval.corpora.forms.searching.offered.ranker_choices", lambda: [dense])
    assert "No worker with a GPU has been seen yet" in stan.get(address).text


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
    assert stan.post(f"{address}resume/").json()["status"] == "queued"
    worked(job)
    assert stan.get(address).json()["run"] == "base"
    assert "has not failed" in stan.post(f"{address}resume/").json()["detail"]


def test_scripts_launch_a_search_as_the_page_does(there, stan):
    def post(**more):
        body = {"corpus": "quay", "topics": "boats", "name": "base", "depth": 3, **more}
        return stan.post("/api/v1/searches/", body, content_type="application/json")

    for more, field, why in (
        ({"corpus": "none"}, "corpus", "no corpus"),
        ({"ranker": "bm26"}, "ranker", "valid choice"),
        ({"fields_of_topic": ["author"]}, "fields_of_topic.0", "valid choice"),
        ({"languages": ["fr"]}, "languages", "do not differ"),
        ({"dept": 3}, "dept", "Unknown field"),
    ):
        reply = post(**more)
        assert reply.status_code == 400
        assert why in str(reply.json()[field])
    launched = post()
    assert (launched.status_code, launched.json()["status"]) == (202, "queued")
    job = worked(SearchJob.objects.get())
    stan.post(reverse("retrieval:corpus_searches", args=["quay"]), ASKED | {"name": "typed"})
    typed = worked(SearchJob.objects.get(name="typed"))
    assert ranked(job.run) == ranked(typed.run)
    assert post().json()["name"] == ['The corpus "quay" has a run "base" already; choose another name.']


@pytest.fixture
def mixed(there):
    """The documents differ in genre, language, year and a facet of their file."""
    documents = there[0].documents
    documents.filter(number__lt=3).update(genre="fiction", year=1850)
    documents.filter(number=1).update(language="fr", year=1870)
    for each in documents.all():
        documents.filter(pk=each.pk).update(extra={"part": each.number % 2, "shelf": "A b"})
    return there


@pytest.mark.parametrize(
    ("wanted", "numbers", "name"),
    [
        ({}, [0, 1, 2, 3, 4], "all"),
        ({"languages": ("fr",)}, [1], "language=fr"),
        ({"languages": ("en",)}, [0, 2, 3, 4], "language=en"),
        ({"first_year": 1860}, [1], "year=1860-"),
        ({"first_year": 1800, "last_year": 1860}, [0, 2], "year=1800-1860"),
        ({"facets": (("part", "1"),)}, [1, 3], "part=1"),
        (
            {"genres": ("fiction",), "facets": (("part", "0"), ("shelf", "A b"))},
            [0, 2],
            "genre=fiction; part=0; shelf=A b",
        ),
    ],
)
def test_documents_are_searched_by_language_year_and_facet_and_the_run_says_so(mixed, wanted, numbers, name):
    run = worked(submitted(mixed, plan=Plan(depth=9, **wanted))).run
    found = run.rows.filter(topic__topic__number=0).values_list("document__number", flat=True)
    assert sorted(found) == numbers
    assert run.parameters["subset"]["name"] == name
    more = {key: value for key, value in wanted.items() if key != "genres"}
    assert ("filter" in run.parameters) is bool(more)
    if "facets" in more:
        assert run.parameters["filter"] == {"facets": dict(wanted["facets"])}


@pytest.mark.parametrize(
    ("wanted", "field", "sentence"),
    [
        ({"languages": ("de",)}, "languages", 'has no language "de"; it has: en, fr'),
        ({"facets": (("age", "1"),)}, "facets", 'has no facet "age"; it has: part, shelf'),
        ({"first_year": 1900}, "first_year", "No document of .* is of this: year=1900-"),
    ],
)
def test_a_filter_that_leaves_nothing_is_refused_in_a_sentence(mixed, wanted, field, sentence):
    with pytest.raises(BadField, match=sentence) as refused:
        Plan(**wanted).documents.mask(mixed[0])
    assert refused.value.field == field
    with pytest.raises(BadField, match="No year is from 1900 to 1800"):
        Plan(first_year=1900, last_year=1800)


def test_the_page_and_the_command_filter_alike(mixed, stan):
    address = reverse("retrieval:corpus_searches", args=["quay"])
    more = {"languages": ["en"], "first_year": "1840", "facets": "part=0\nshelf: A b\n"}
    assert stan.post(address, ASKED | more).status_code == 302
    job = worked(SearchJob.objects.get())
    assert "language=en; year=1840-; part=0; shelf=A b" in stan.get(job.get_absolute_url()).text
    said(
        *("search_corpus", "--corpus", "quay", "--topics", "boats", "--name", "typed", "--depth", "3"),
        *("--language", "en", "--first-year", "1840", "--where", "part=0", "shelf=A b"),
    )
    typed = Run.objects.get(name="typed")
    assert (ranked(typed), typed.parameters) == (ranked(job.run), job.run.parameters)
    refused = stan.post(address, ASKED | {"name": "other", "facets": "part"})
    assert refused.status_code == 422
    assert "a name, = and a value were expected" in refused.text
