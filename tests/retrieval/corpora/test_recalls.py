"""Contamination: topics asked without passages, what is stored, and what the report leaves out."""

import pytest

from common.errors import BadField
from evaluation.runs import stored
from evaluation.runs.measuring import Asked, measured
from retrieval.corpora.loading import topics as loading
from retrieval.corpora.models import Recall, TopicSet
from retrieval.corpora.reranking import jobs, recalling, recalls
from retrieval.corpora.reranking.jobs import Limits
from retrieval.corpora.reranking.recalling import RecallPlan
from retrieval.models import Status
from tests.retrieval.corpora import models_asked
from tests.retrieval.corpora.conftest import said

pytestmark = pytest.mark.django_db
KNOWN = "It says: the quay at hour 2 was wet and loud."


@pytest.fixture
def model():
    return models_asked.registered()


@pytest.fixture
def there(quay, written):
    file = written("gold.qrels", "t1 0 d2 1", "t1 0 d3 0", "t2 0 d4 1")
    said("import_qrels", file, "--corpus", "quay", "--topics", "boats", "--name", "gold")
    return quay, TopicSet.objects.get()


def worked(there, **plan):
    job = recalls.submit(*there, "scripted", RecallPlan("gold", **plan), Limits(calls=100))
    assert jobs.attempt(job.pk, "one")
    job.refresh_from_db()
    return job


def test_a_topic_whose_target_is_known_by_heart_is_marked_for_this_model(there, model):
    model.say = lambda words: KNOWN if "wet quay" in words else "unknown"
    job = worked(there)
    assert (job.status, job.error, job.counts) == (Status.DONE, "", {"contaminated": 1, "asked": 2})
    assert len(model.asked) == 6
    assert not any("hour" in message.content for each in model.asked for message in each.messages)
    found = Recall.objects.get(contaminated=True)
    assert (found.topic.topic.external_id, found.longest_run, found.replicates) == ("t1", 9, 3)
    assert (found.endpoint, found.model, found.qrels) == ("scripted", "hours", "gold")
    assert recalling.marked(there[1], "scripted") == {"t1": True, "t2": False}
    assert recalling.checked_models(there[1]) == ["scripted"]


def test_the_latest_check_counts_and_a_reworded_topic_is_not_known(there, model):
    model.say = lambda words: KNOWN
    worked(there)
    model.say = lambda words: "unknown"
    worked(there, seed=9)
    assert recalling.marked(there[1], "scripted") == {"t1": False, "t2": False}
    topic = there[1].members.get(external_id="t1")
    loading.reword(topic, {"title": "a wet quay"}, "Clearer.", None)
    assert recalling.marked(there[1], "scripted") == {"t2": False}


def test_a_job_that_goes_on_stores_nothing_twice(there, model):
    model.say = lambda words: "unknown"
    job = worked(there)
    type(job).objects.filter(pk=job.pk).update(status=Status.FAILED)
    assert jobs.retry(job)
    assert jobs.attempt(job.pk, "two")
    assert (Recall.objects.count(), len(model.asked)) == (2, 6)


def test_judgments_without_a_relevant_document_are_refused(there, model, written):
    file = written("nothing.qrels", "t1 0 d2 0", "t2 0 d4 0")
    said("import_qrels", file, "--corpus", "quay", "--topics", "boats", "--name", "nothing")
    with pytest.raises(BadField, match="was judged relevant: every grade is 0"):
        recalls.submit(*there, "scripted", RecallPlan("nothing"), Limits(calls=1))


def test_what_is_not_there_is_refused(there, model):
    with pytest.raises(BadField, match='has no judgments "none"'):
        recalls.submit(*there, "scripted", RecallPlan("none"), Limits(calls=1))
    with pytest.raises(BadField, match="asked 1 to 20 times"):
        RecallPlan("gold", replicates=0)
    other = TopicSet.objects.create(slug="other", title="Other")
    with pytest.raises(BadField, match="of other topics"):
        recalls.submit(there[0], other, "scripted", RecallPlan("gold"), Limits(calls=1))
    assert recalls.expected(*there, "scripted", RecallPlan("gold")).calls == 6


def test_the_evaluation_gives_numbers_with_and_without_what_is_known_by_heart(there, model, written):
    """The run finds t1's target first and t2's second: MRR .75 over both, .5 over the one not known."""
    lines = [f"t{t} Q0 d{n} 1 {10 - n} base" for t, ranked in ((1, (2, 3)), (2, (1, 4))) for n in ranked]
    said("import_run", written("base.run", *lines), "--corpus", "quay", "--topics", "boats")
    model.say = lambda words: KNOWN if "wet quay" in words else "unknown"
    worked(there)
    assert stored.facet_names(there[1]) == ["contamination:scripted"]
    asked = Asked(*there, "gold", ("base",), facet="contamination:scripted")
    (run,) = measured(asked, within_a_request=True).runs
    found = {each.facet: each.mean.value for each in run.means if each.measure.slug == "mrr"}
    assert found == {"": 0.75, "known by heart": 1.0, "not known by heart": 0.5}
    with pytest.raises(BadField, match="there are: contamination:scripted"):
        stored.read_facets(there[1], "contamination:other")
