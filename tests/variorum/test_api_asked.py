"""/api/v1/asked/: models asked about a corpus by scripts: estimated, launched, followed, stopped, resumed."""

import pytest

from retrieval.corpora.models import EndpointJob, Question, Recall, Run, Standing
from retrieval.corpora.reranking import jobs
from tests import builders
from tests.retrieval.corpora import models_asked
from tests.variorum.test_api import script

pytestmark = pytest.mark.django_db
RERANK = {
    "corpus": "quays", "run": "bm25", "name": "better", "endpoint": "scripted", "method": "score",
    "objective": "A boat.", "micro_units": 1_500_000,
}  # fmt: skip


@pytest.fixture
def model():
    found = models_asked.registered()
    found.say = lambda words: '{"score": 7}'
    return found


@pytest.fixture
def post(db, model):
    """Send a body to an address below /api/v1/asked/ with the key of a member of staff."""
    builders.judged_collection()
    key = script(builders.person("Stan", is_staff=True), "machines")
    return lambda path, body: key.post(f"/api/v1/asked/{path}", body, content_type="application/json")


def test_a_re_ranking_is_estimated_launched_followed_stopped_and_resumed(post, model):
    told = post("reranking/estimate/", RERANK).json()
    assert (told["calls"], told["currency"], told["in_words"][:13]) == (8, "EUR", "About 8 calls")
    assert (model.asked, EndpointJob.objects.filter(name="better").exists()) == ([], False)
    launched = post("reranking/", RERANK)
    assert launched.status_code == 202
    row = launched.json()
    assert (row["status"], row["corpus"], row["limit"], row["plan"]["objective"]) == (
        "queued", "quays", 1_500_000, "A boat.",
    )  # fmt: skip
    assert post(f"{row['id']}/cancel/", {}).json()["status"] == "cancelled"
    resumed = post(f"{row['id']}/resume/", {"calls": 100})
    assert (resumed.status_code, resumed.json()["limit"]) == (202, None)
    assert jobs.attempt(row["id"], "one")
    assert Run.objects.get(name="better").rows.count() == 8
    assert "has not failed" in post(f"{row['id']}/resume/", {}).json()["detail"]


def test_a_check_for_contamination_is_launched(post):
    body = {"corpus": "quays", "qrels": "experts", "endpoint": "scripted", "calls": 50}
    assert post("contamination/estimate/", body).json()["calls"] == 6
    row = post("contamination/", body).json()
    assert jobs.attempt(row["id"], "one")
    assert Recall.objects.filter(job=row["id"]).count() == 2


def test_questions_that_wait_are_written(post, model):
    question = Question.objects.first()
    Question.objects.filter(pk=question.pk).update(standing=Standing.WAITING, text="")
    model.say = lambda words: "Which text says how late the boats leave?"
    body = {"set": question.set.slug, "endpoint": "scripted", "micro_units": 10**6}
    assert post("questions/estimate/", body).json()["calls"] >= 1
    row = post("questions/", body).json()
    assert jobs.attempt(row["id"], "one")
    question.refresh_from_db()
    assert question.text == "Which text says how late the boats leave?"


@pytest.mark.parametrize(
    ("path", "change", "field", "why"),
    [
        ("reranking/", {"micro_units": None}, "micro_units", "null"),
        ("reranking/", {"run": "none"}, "run", "has no run"),
        ("reranking/", {"corpus": "none"}, "corpus", "no corpus"),
        ("reranking/", {"endpoint": "none"}, "endpoint", "no model"),
        ("reranking/", {"window": 5}, "step", "must be 1 to 5"),
        ("reranking/", {"orders": 2}, "orders", "no order to begin with"),
        ("reranking/", {"name": "bm25"}, "name", "already"),
        ("reranking/", {"run": "", "pool": 1}, "topics", "of which topics"),
        ("reranking/", {"methd": "rank"}, "methd", "Unknown field"),
        ("contamination/", {"qrels": "none"}, "qrels", "no judgments"),
        ("questions/", {"set": "none"}, "set", "no set"),
    ],
)
def test_what_cannot_be_launched_is_said_with_its_field(post, path, change, field, why):
    base = {"reranking/": RERANK, "questions/": {"endpoint": "scripted"}}
    reply = post(path, {**base.get(path, {"corpus": "quays", "endpoint": "scripted"}), **change})
    assert reply.status_code == 400
    assert why in str(reply.json()[field])


def test_without_a_limit_nothing_begins(post):
    reply = post("reranking/", {name: value for name, value in RERANK.items() if name != "micro_units"})
    assert "Say what may be spent at most" in reply.json()["micro_units"][0]


def test_a_key_needs_the_scope_and_a_person_must_be_staff(post):
    stan = builders.person("Stan Two", is_staff=True)
    body = {"path": "/api/v1/asked/reranking/", "data": RERANK, "content_type": "application/json"}
    assert "needs: machines" in script(stan, "jobs", "corpora").post(**body).json()["detail"]
    dora = script(builders.researcher("Dora"), "machines").post(**body)
    assert (dora.status_code, "Only staff" in dora.json()["detail"]) == (403, True)
