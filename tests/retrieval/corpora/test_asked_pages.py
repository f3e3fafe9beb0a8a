"""The pages that have a model asked: what it would take, launching, following, and questions changed."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.urls import reverse

from machines import purposes
from machines.models import Call, State
from retrieval.corpora.models import Corpus, EndpointJob, Question, QuestionSet, Run, TopicSet, What
from retrieval.corpora.reranking import dry_runs, jobs, runs
from retrieval.corpora.reranking.jobs import Limits
from retrieval.corpora.reranking.plans import RerankPlan
from tests import builders
from tests.retrieval.corpora import models_asked

pytestmark = pytest.mark.django_db
ASKED = {
    "start": "run:bm25", "name": "better", "endpoint": "scripted", "method": "score", "objective": "A boat.",
    "fields_of_topic": ["title"], "depth": "4", "window": "20", "step": "10", "orders": "1", "ties": "",
    "source": "keep", "limit": "1.5", "calls": "",
}  # fmt: skip


@pytest.fixture
def model():
    found = models_asked.registered()
    found.say = lambda words: '{"score": 7}'
    return found


@pytest.fixture
def there(db):
    return builders.judged_collection()


@pytest.fixture
def stan(client):
    client.force_login(builders.person("Stan", is_staff=True))
    return client


def test_staff_ask_what_it_would_take_then_launch_it_and_follow_it(there, model, stan):
    address = reverse("retrieval:reranking", args=[there["corpus"]])
    shown = stan.get(address).text
    assert "the run bm25" in shown
    assert shown.count("(one of both is needed)") == 2
    assert "pool 1 of Boats" in shown
    told = stan.post(address, ASKED | {"act": "estimate"})
    assert "About 8 calls" in told.text
    assert "Nothing was asked yet" in told.text
    assert EndpointJob.objects.filter(name="better").count() == len(model.asked) == 0
    answer = stan.post(address, ASKED)
    job = EndpointJob.objects.get(name="better")
    assert answer.url == job.get_absolute_url()
    assert (job.budget.limit, job.plan["objective"], job.total) == (1_500_000, "A boat.", 2)
    assert "0.00 EUR of 1.50 EUR spent" in stan.get(answer.url).text
    assert jobs.attempt(job.pk, "one")
    shown = stan.get(answer.url).text
    assert "100.0% of all pairs have equal scores" in shown
    purpose = f"rerank {job.pk}"
    assert purposes.told({purpose})[purpose] == f"Re-ranking {job.pk}: better, of “{there['corpus']}”"
    assert "better" in stan.get(address).text
    state = reverse("retrieval:endpoint_job_state", args=[job.pk])
    assert "has ended: done" in stan.get(state, headers={"HX-Request": "true"}).text


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"limit": "", "calls": ""}, "what may be spent"),
        ({"window": "5"}, "The step is 10; it must be 1 to 5"),
        ({"name": "bm25"}, "a run &quot;bm25&quot; already"),
        ({"orders": "2"}, "no order to begin with"),
        ({"start": "run:none"}, "Select a valid choice"),
        ({"source": "leave"}, "from which document it was written"),
        ({"one_hop": "on"}, "run load_citations first"),
        ({"start": "pool:boats:1", "one_hop": "on"}, "name a run"),
    ],
)
def test_what_cannot_be_launched_is_said_beside_its_field(there, model, stan, more, said):
    answer = stan.post(reverse("retrieval:reranking", args=[there["corpus"]]), ASKED | more)
    assert answer.status_code == 422
    assert said in answer.text
    assert EndpointJob.objects.filter(name=ASKED["name"]).count() == 0


def test_a_pool_is_launched_and_a_job_cancelled_and_gone_on_with(there, model, stan):
    address = reverse("retrieval:reranking", args=[there["corpus"]])
    stan.post(address, ASKED | {"start": "pool:boats:1"})
    job = EndpointJob.objects.get(name="better")
    assert job.plan["pool"] == 1
    shown = stan.post(reverse("retrieval:endpoint_job_cancel", args=[job.pk]), follow=True).text
    assert "it costs nothing to go on" in shown
    assert "Go on" in shown
    again = stan.post(reverse("retrieval:endpoint_job_retry", args=[job.pk]), follow=True).text
    assert "waits for a worker again" in again
    assert jobs.attempt(job.pk, "one")
    assert Run.objects.get(name="better").rows.count() == 4
    late = stan.post(reverse("retrieval:endpoint_job_retry", args=[job.pk]), follow=True).text
    assert "cannot go on" in late


def test_without_a_model_the_page_says_so(there, stan):
    assert (
        "No model can be asked here" in stan.get(reverse("retrieval:reranking", args=[there["corpus"]])).text
    )


def test_what_a_model_knows_by_heart_is_launched_and_leads_to_the_numbers(there, model, stan):
    model.say = lambda words: "unknown"
    address = reverse("retrieval:recall", args=[there["corpus"]])
    asked = {"qrels": "experts", "endpoint": "scripted", "replicates": "3", "limit": "1", "calls": ""}
    assert "About 6 calls" in stan.post(address, asked | {"act": "estimate"}).text
    stan.post(address, asked)
    job = EndpointJob.objects.get(what=What.CONTAMINATION)
    assert jobs.attempt(job.pk, "one")
    shown = stan.get(job.get_absolute_url()).text
    assert "0 of 2 topics known by heart" in shown
    assert "facet=contamination:scripted" in shown
    numbers = reverse("evaluation:runs", args=[there["corpus"], there["topics"]])
    measured = stan.get(f"{numbers}?qrels=experts&run=bm25&facet=contamination:scripted").text
    assert "Topics of facet not known by heart" in measured


def test_a_set_is_begun_written_changed_and_made_topics(there, model, stan):
    begin = reverse("retrieval:question_sets", args=[there["corpus"]])
    text = b'{"id": "p", "text": "Boats go late [@quay-2]."}\n'
    sent = {"title": "Asked", "slug": "asked", "origin": "inline", "most_overlap": "0.5"}
    bad = stan.post(begin, sent | {"file": SimpleUploadedFile("p.jsonl", b'{"id": "p", "text": "No mark."}')})
    assert bad.status_code == 422
    assert "line 1: no citation mark" in bad.text
    answer = stan.post(begin, sent | {"file": SimpleUploadedFile("p.jsonl", text)})
    assert answer.url == reverse("retrieval:question_set", args=["asked"])
    assert "Not written yet" in stan.get(answer.url).text
    model.say = lambda words: "Which text says how late the boats leave?"
    write = reverse("retrieval:question_set_write", args=["asked"])
    asked = {"endpoint": "scripted", "limit": "1", "calls": ""}
    assert "About 1 call" in stan.post(write, asked | {"act": "estimate"}).text
    job = EndpointJob.objects.get(pk=stan.post(write, asked).url.rstrip("/").rpartition("/")[2])
    assert jobs.attempt(job.pk, "one")
    assert "Which text says how late" in stan.get(answer.url).text
    page = reverse("retrieval:question", args=["asked", 1])
    assert stan.post(page, {"text": "", "why": "", "act": "leave"}).status_code == 422
    stan.post(page, {"text": "Where is it told how late boats leave?", "why": "Shorter.", "act": "edit"})
    shown = stan.get(page).text
    assert "<del>Which text says how late the boats leave?</del>" in shown
    assert "Shorter." in shown
    export = reverse("retrieval:question_set_export", args=["asked"])
    refused = stan.post(export, {"slug": "made", "qrels": ""})
    assert "1 not judged" in refused.text
    made = stan.post(export, {"slug": "made", "qrels": "", "unjudged": "on"}, follow=True).text
    assert "Where is it told how late boats leave?" in made
    assert TopicSet.objects.get(slug="made").facets == ["origin", "written"]


def test_questions_are_shown_by_their_standing(there, stan):
    address = reverse("retrieval:question_set", args=[there["questions"]])
    shown = stan.get(f"{address}?standing=refused").text
    assert "Late boats, where?" in shown
    assert "Which account" not in shown
    refused = Question.objects.get(set=QuestionSet.objects.get(), standing="refused")
    page = reverse("retrieval:question", args=[there["questions"], refused.number])
    stan.post(page, {"text": refused.text, "why": "Short is fine.", "act": "keep"})
    refused.refresh_from_db()
    assert refused.standing == "written"


def test_a_job_whose_budget_is_spent_goes_on_with_another_limit(there, model, stan):
    stan.post(reverse("retrieval:reranking", args=[there["corpus"]]), ASKED | {"limit": "", "calls": "2"})
    job = EndpointJob.objects.get(name="better")
    assert jobs.attempt(job.pk, "one")
    assert 'value="2"' in stan.get(job.get_absolute_url()).text
    retry = reverse("retrieval:endpoint_job_retry", args=[job.pk])
    assert "0 or more; nothing was changed" in stan.post(retry, {"limit": "much"}, follow=True).text
    assert "waits for a worker again" in stan.post(retry, {"limit": "", "calls": "20"}, follow=True).text
    assert jobs.attempt(job.pk, "two")
    job.refresh_from_db()
    assert (job.status, job.budget.call_limit, len(model.asked)) == ("done", 20, 8)


def test_the_notice_is_of_the_queue_of_the_model_that_is_chosen(there, model, stan, monkeypatch):
    monkeypatch.setattr("retrieval.views.asked.jobs.queue_of", lambda endpoint: "gpu")
    shown = stan.get(reverse("retrieval:reranking", args=[there["corpus"]])).text
    assert "No worker with a GPU" in shown


def test_three_calls_are_tried_first_and_the_estimate_goes_by_their_means(there, model, stan):
    address = reverse("retrieval:reranking", args=[there["corpus"]])
    answer = stan.post(address, ASKED | {"act": "try", "limit": ""})
    job = EndpointJob.objects.get(name="better-tried")
    assert (answer.url, job.budget.call_limit, job.total) == (job.get_absolute_url(), 6, 3)
    assert "What was tried" not in stan.get(answer.url).text
    assert jobs.attempt(job.pk, "one")
    job.refresh_from_db()
    # Three of the eight passages, each once; nothing is ranked.
    assert (job.status, job.run, len(model.asked), len(job.counts["tried"])) == ("done", None, 3, 3)
    shown = stan.get(answer.url).text
    assert shown.count("What was sent") == 3
    assert "A boat." in shown
    each = job.counts["tried"]
    ins, outs = (sum(call[name] for call in each) / 3 for name in ("tokens_in", "tokens_out"))
    tokens = f"{round(8 * ins):,} tokens in and {round(8 * outs):,} out"
    words = f"By the mean of 3 calls that were tried: about 8 calls, {tokens}"
    assert words in shown
    assert words in stan.post(address, ASKED | {"act": "estimate"}).text
    # Another objective is another prompt.
    other = stan.post(address, ASKED | {"act": "estimate", "objective": "A lamp."}).text
    assert "About 8 calls" in other
    form = stan.get(f"{address}?like={job.pk}").context["form"]
    assert (form["name"].value(), form["objective"].value()) == ("better", "A boat.")
    # What was tried costs nothing again.
    stan.post(address, ASKED)
    whole = EndpointJob.objects.get(name="better")
    assert jobs.attempt(whole.pk, "one")
    whole.refresh_from_db()
    assert (whole.status, len(model.asked), whole.budget.calls) == ("done", 8, 5)


@pytest.mark.parametrize(
    ("method", "say", "read"),
    [
        ("rank", lambda words: "[2] > [1]", ["[2] > [1] > [3] > [4]"] * 2),
        ("vanilla", lambda words: "none of it", ["", ""]),
        ("reason", lambda words: "It fits. SCORE: 4", ["4"] * 3),
        (
            "subtask",
            lambda words: '["a boat", "at sea"]' if "Criterion: " not in words else '{"score": 3}',
            ["a boat\nat sea", "3", "3"],
        ),
    ],
)
def test_what_is_tried_of_each_method(there, model, method, say, read):
    model.say = say
    corpus, topics = Corpus.objects.get(slug=there["corpus"]), TopicSet.objects.get(slug=there["topics"])
    plan = RerankPlan(run="bm25", method=method, depth=4)
    told = (corpus, topics, "tried-it", "scripted", plan)
    assert jobs.attempt(dry_runs.submit(*told, Limits()).pk, "one")
    tried = EndpointJob.objects.get(name="tried-it-tried").counts["tried"]
    assert [each["read"] for each in tried] == read
    by_length, found = (
        runs.expected(*told[:2], "scripted", plan),
        dry_runs.expected(*told[:2], "scripted", plan),
    )
    assert found.tried == len(read)
    # Of Subtask two criteria were written where four were reckoned with: 2 + 8 · 2 calls.
    assert (by_length.calls, found.calls) == ((34, 18) if method == "subtask" else (by_length.calls,) * 2)
    assert Call.objects.filter(state=State.UNREADABLE).count() == (2 if method == "vanilla" else 0)


def test_commands_and_scripts_try_three_calls(there, model, stan, capsys):
    call_command(
        "rerank_run", "bm25", "--corpus", there["corpus"], "--name", "better", "--endpoint", "scripted",
        "--method", "score", "--depth", "4", "--dry-run",
    )  # fmt: skip
    out, err = capsys.readouterr()
    assert out.count('replied: {"score": 7}\n  read: 7') == 3
    assert "By the mean of 3 calls that were tried: about 8 calls" in err
    assert not EndpointJob.objects.filter(name="better").exists()
    body = {
        "corpus": there["corpus"],
        "run": "bm25",
        "name": "scripted-1",
        "endpoint": "scripted",
        "method": "score",
    }
    reply = stan.post("/api/v1/asked/reranking/dry-run/", body, content_type="application/json")
    assert (reply.status_code, reply.json()["name"]) == (202, "scripted-1-tried")
    told = stan.post(
        "/api/v1/asked/reranking/estimate/", body | {"depth": 4}, content_type="application/json"
    )
    assert (told.json()["tried"], told.json()["calls"]) == (3, 8)


def test_a_dry_run_that_nothing_was_replied_to_changes_no_estimate(there, stan, monkeypatch):
    models_asked.registered()
    monkeypatch.setattr(jobs.Door, "__call__", lambda door, requests: [None] * len(requests))
    address = reverse("retrieval:reranking", args=[there["corpus"]])
    answer = stan.post(address, ASKED | {"act": "try"})
    assert jobs.attempt(EndpointJob.objects.get(name="better-tried").pk, "one")
    shown = stan.get(answer.url).text
    assert (shown.count("Refused"), "3 of 3 calls" in shown, "About 8 calls" in shown) == (3, True, True)
