"""Re-rankings of runs and pools in jobs: what is asked, what is stored, stopped, gone on with and refused."""

import pytest

from common.errors import BadField
from machines.models import Call
from retrieval import tasks
from retrieval.corpora.models import Corpus, Document, EndpointJob, Question, QuestionSet, Run, TopicSet
from retrieval.corpora.reranking import jobs, plans, runs
from retrieval.corpora.reranking.jobs import Limits
from retrieval.corpora.reranking.plans import RerankPlan
from retrieval.corpora.runs import pools
from retrieval.models import Status
from tests.retrieval.corpora import models_asked
from tests.retrieval.corpora.conftest import said

pytestmark = pytest.mark.django_db
ENOUGH = Limits(micro_units=10**9)


@pytest.fixture
def model():
    return models_asked.registered()


@pytest.fixture
def there(quay, settings, tmp_path):
    """Five documents, two topics, and a run of all five for each, from d1 to d5."""
    settings.DATA_DIR = tmp_path / "data"
    settings.DATA_DIR.mkdir()
    lines = [f"t{t} Q0 d{n} {n} {10 - n} base\n" for t in (1, 2) for n in range(1, 6)]
    file = tmp_path / "base.run"
    file.write_text("".join(lines))
    said("import_run", file, "--corpus", "quay", "--topics", "boats")
    return quay, TopicSet.objects.get()


def submitted(there, name="better", limits=ENOUGH, **plan):
    if "pool" not in plan:
        plan = {"run": "base", **plan}
    return runs.submit(*there, name, "scripted", RerankPlan(**plan), limits)


def worked(job):
    assert jobs.attempt(job.pk, "one")
    job.refresh_from_db()
    return job


def ranked(run, topic="t1"):
    rows = run.rows.filter(topic__topic__external_id=topic).order_by("rank")
    return list(rows.values_list("document__external_id", "score"))


def test_rank_over_windows_is_a_run_with_all_it_was_made_of(there, model):
    job = worked(submitted(there, window=3, step=2, objective="The latest hour."))
    assert (job.status, job.error, job.done, job.total) == (Status.DONE, "", 2, 2)
    # Windows of three from the end: d3 d4 d5 become d5 d4 d3, then d1 d2 d5 become d5 d2 d1.
    assert ranked(job.run) == [("d5", 4), ("d2", 3), ("d1", 2), ("d4", 1), ("d3", 0)]
    told = job.run.parameters
    assert (told["method"], told["window"], told["endpoint"], told["model"]) == (
        "rank",
        3,
        "scripted",
        "hours",
    )
    assert len(told["prompt_sha256"]) == 64
    assert job.run.ranker == "rank by scripted"
    assert len(model.asked) == Call.objects.count() == 4
    assert "The latest hour." in model.asked[0].messages[0].content
    assert '"wet quay"' in model.asked[0].messages[1].content


def test_what_is_not_shown_keeps_its_order_behind(there, model):
    job = worked(submitted(there, depth=2))
    assert ranked(job.run) == [("d2", 1), ("d1", 0), ("d3", -2), ("d4", -3), ("d5", -4)]


def test_scores_with_ties_unreadable_ones_and_a_second_pass_for_nothing(there, model):
    model.say = lambda words: {3: "seven", 5: '{"score": 2}'}.get(models_asked.hour(words))
    job = worked(submitted(there, method="score"))
    # d2 and d5 score 2: the run put d2 first. Nothing could be read of d3.
    assert ranked(job.run) == [("d4", 4), ("d2", 2), ("d5", 2), ("d1", 1), ("d3", -1)]
    assert job.run.notes == [
        "12 calls to the model, 2 of them a second try.",
        "2 answers could not be read the second time either.",
        "2 documents without a readable score: last of the topic.",
        "10.0% of all pairs have equal scores: the scores of the run it started from put them into order.",
    ]
    # Both replies on d3 and both on d5 were "seven" or no number: the ledger says so of what stayed unread.
    assert Call.objects.filter(state="unreadable").count() == 4
    spent = job.budget
    spent.refresh_from_db()
    again = worked(submitted(there, name="again", method="score"))
    assert ranked(again.run) == ranked(job.run)
    again.budget.refresh_from_db()
    assert (len(model.asked), again.budget.spent, spent.spent > 0) == (12, 0, True)


def test_a_pool_is_put_into_order_like_a_run(there, model):
    pool = pools.make([Run.objects.get()], 3)
    job = worked(submitted(there, pool=pool.number, method="reason"))
    assert ranked(job.run) == [("d3", 3), ("d2", 2), ("d1", 1)]
    assert job.run.parameters["pool"] == 1


def test_orders_are_joined_and_the_position_is_audited(there, model):
    job = worked(submitted(there, orders=3, seed=5))
    assert [each for each, _ in ranked(job.run)] == ["d5", "d4", "d3", "d2", "d1"]
    assert "agree by Kendall τ 1.00" in job.run.notes[-1]


def test_a_stopped_job_goes_on_and_pays_nothing_twice(there, model):
    job = submitted(there, method="score")
    told = []

    def once(job):
        told.append(job.done)
        return len(told) < 3

    jobs.attempt(job.pk, "one", go_on=once)
    job.refresh_from_db()
    assert (job.status, job.run, Run.objects.count()) == (Status.QUEUED, None, 1)
    tasks.work.run(job.pk, EndpointJob.kind)
    job.refresh_from_db()
    assert job.status == Status.DONE
    assert len(model.asked) == len({each.messages for each in model.asked}) == 10


def test_a_budget_that_is_spent_ends_the_job_and_it_goes_on_with_more(there, model):
    job = worked(submitted(there, method="score", limits=Limits(calls=3)))
    assert job.status == Status.FAILED
    assert Run.objects.count() == 1
    job.budget.call_limit = 100
    job.budget.save()
    assert jobs.retry(job)
    assert worked(job).status == Status.DONE
    assert len(model.asked) == 10


def test_too_much_that_cannot_be_read_stops_the_job(there, model, monkeypatch):
    monkeypatch.setattr("retrieval.corpora.reranking.ordering.FIRST_REPLIES", 10)
    model.say = lambda words: "hm"
    job = worked(submitted(there, method="score"))
    assert (job.status, job.error) == (
        Status.FAILED,
        "10 answers of 10 could not be read: look at them first, then choose another model or method, or "
        "allow it.",
    )
    assert worked(submitted(there, method="score", unreadable_allowed=True)).status == Status.DONE


def test_a_run_of_which_no_answer_could_be_read_is_none(there, model):
    model.say = lambda words: "hm"
    job = worked(submitted(there, method="subtask"))
    assert (job.status, job.run) == (Status.FAILED, None)
    assert job.error.startswith(
        "No answer could be read, of 2: a run of them would be the one it started from"
    )
    job = worked(submitted(there, "whole", method="subtask", unreadable_allowed=True))
    assert job.run.notes[-2].startswith("10 documents without a readable score")


def test_one_unreadable_list_of_criteria_counts_for_all_documents_of_its_topic(there, model, monkeypatch):
    monkeypatch.setattr("retrieval.corpora.reranking.ordering.FIRST_REPLIES", 10)
    criteria = '["A.", "B.", "C.", "D."]'

    def say(words):
        if "JSON list of strings" not in words:
            return None
        return "hm" if "wet quay" in words else criteria

    model.say = say
    job = worked(submitted(there, method="subtask"))
    assert job.error.startswith("5 documents of 10 have no score that could be read"), "1 reply of 22"


def cite(quay, written):
    lines = ['{"id": "d1", "cites": ["d4", "nobody", "d2"]}', '{"id": "d2", "cites": ["d5", "d4"]}']
    return said("load_citations", written("cites.jsonl", *lines), "--corpus", "quay")


def test_one_hop_joins_what_the_first_cite_and_leaves_the_source_out_where_asked(there, model, written):
    with pytest.raises(BadField, match="run load_citations first"):
        submitted(there, one_hop=True)
    assert "4 citations" in cite(there[0], written)
    run = worked(submitted(there, method="vanilla", one_hop=True, first=2, joined=4)).run
    # d1, d2, then d4 that d1 cites, then d5; d3 stays behind.
    assert [each for each, _ in ranked(run)] == ["d5", "d4", "d2", "d1", "d3"]
    with pytest.raises(BadField, match="from which document it was written"):
        submitted(there, name="other", leave_source=True)
    found = QuestionSet.objects.create(corpus=there[0], slug="q", title="Q")
    source = there[0].documents.get(external_id="d1")
    topic = there[1].members.get(external_id="t1")
    Question.objects.create(set=found, number=1, source=source, topic=topic)
    both = runs.submit_both(
        *there, "hop", "scripted", RerankPlan(run="base", one_hop=True, first=1, joined=3), ENOUGH
    )
    with_source, without = (worked(job).run for job in both)
    assert [each for each, _ in ranked(with_source)] == ["d4", "d2", "d1", "d3", "d5"]
    assert (without.name, [each for each, _ in ranked(without)]) == (
        "hop-without-source",
        ["d5", "d4", "d2", "d3"],
    )


def test_a_source_in_another_corpus_leaves_no_document_out(there):
    other = Corpus.objects.create(slug="other", title="Other", n_documents=1, state="ready")
    source = Document.objects.create(corpus=other, number=1, external_id="x1", text="Elsewhere.")
    found = QuestionSet.objects.create(corpus=other, slug="q", title="Q")
    topic = there[1].members.get(external_id="t1")
    Question.objects.create(set=found, number=1, source=source, topic=topic)
    with pytest.raises(BadField, match="from which document it was written"):
        submitted(there, name="without", leave_source=True)


def test_a_plan_is_kept_as_it_was():
    plan = RerankPlan(run="base", method="subtask", fields=("title", "narrative"), ties="toy", seed=4)
    assert plans.from_json(plan.as_json() | {"unknown": 1}) == plan


@pytest.mark.parametrize(
    ("plan", "field"),
    [
        ({"run": "base", "method": "guess"}, "method"),
        ({}, "run"),
        ({"run": "base", "pool": 1}, "run"),
        ({"run": "base", "window": 1}, "window"),
        ({"run": "base", "step": 21}, "step"),
        ({"run": "base", "depth": 1}, "depth"),
        ({"run": "base", "orders": 2, "method": "score"}, "orders"),
        ({"run": "base", "orders": 11}, "orders"),
        ({"pool": 1, "one_hop": True}, "one_hop"),
        ({"run": "base", "fields": ("name",)}, "fields"),
        ({"run": "base", "objective": "x" * 5_001}, "objective"),
    ],
)
def test_what_does_not_go_together_is_refused(plan, field):
    with pytest.raises(BadField) as error:
        RerankPlan(**plan)
    assert error.value.field == field


def test_what_is_not_there_is_refused_and_nothing_is_stored(there, model):
    for wrong, sentence in (
        (lambda: submitted(there, run="none"), 'is no run "none"'),
        (lambda: submitted(there, pool=7), "is no pool 7"),
        (lambda: submitted(there, name="base"), 'has a run "base" already'),
        (lambda: submitted(there, limits=Limits()), "what may be spent"),
        (lambda: runs.submit(*there, "b", "none", RerankPlan(run="base"), ENOUGH), "no model 'none'"),
    ):
        with pytest.raises(Exception, match=sentence):
            wrong()
    assert not EndpointJob.objects.exists()
    submitted(there)
    with pytest.raises(BadField, match='"better" has not ended yet'):
        submitted(there)


def test_the_estimate_is_by_the_texts_that_would_be_shown(there, model):
    found = runs.expected(*there, "scripted", RerankPlan(run="base", method="score"))
    # Ten passages of 11 words (15 tokens), a query of two words (3), the instruction of 120.
    assert (found.calls, found.tokens_in, found.tokens_out) == (10, 10 * (120 + 3 + 15), 80)
    assert found.micro_units == 1380 + 160
    assert "About 10 calls, 1,380 tokens in and 80 out" in found.in_words()
