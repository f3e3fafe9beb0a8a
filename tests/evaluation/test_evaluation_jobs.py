"""Runs measured in a job: computed part by part, gone on with, kept with its inputs, shown on a page."""

import json

import numpy as np
import pytest
from django.urls import reverse

from annotation.models import Role
from common.errors import BadField
from evaluation.models import EvaluationJob, EvaluationPart
from evaluation.runs import measuring
from evaluation.runs.formats import data
from evaluation.runs.jobs import computing, inputs, packing
from evaluation.runs.measuring import Asked, blocks_of, measured
from evaluation.runs.report import RunsReport
from retrieval import tasks
from retrieval.corpora.models import Corpus, Run, TopicSet, TopicVersion
from retrieval.jobs import queue
from retrieval.models import Status
from tests import builders
from tests.evaluation.relevant import judged
from tests.variorum.test_api import script

pytestmark = pytest.mark.django_db
ADDRESS = "/api/v1/corpora/quays/evaluation/boats/"
CHOSEN = {"qrels": "experts", "run": ["bm25", "rm3"], "base": "bm25"}


@pytest.fixture
def asked():
    builders.judged_collection()
    more = {"base": "bm25", "facet": "specificity", "depth": 2}
    return Asked(Corpus.objects.get(), TopicSet.objects.get(), "experts", ("bm25", "rm3"), **more)


@pytest.fixture
def dora():
    return builders.researcher("Dora")


@pytest.fixture
def page(asked, dora, client, monkeypatch):
    monkeypatch.setattr(measuring, "MOST_PAIRS", 3)
    client.force_login(dora)
    return reverse("evaluation:runs", args=["quays", "boats"])


def worked(job):
    assert computing.attempt(job.pk, "one")
    job.refresh_from_db()
    return job


def test_a_job_finds_what_the_command_finds(asked):
    job = worked(computing.submit(asked))
    assert (job.status, job.done) == (Status.DONE, job.total)
    expected = data(measured(asked, within_a_request=False), per_topic=True)
    assert data(computing.report_of(job), per_topic=True) == expected
    assert computing.asked_of(job) == asked
    assert set(job.inputs) == {"run bm25", "run rm3", "judgments experts", "topics boats"}


def test_measures_that_were_chosen_are_kept(asked):
    chosen = asked._replace(blocks=blocks_of("MAP, nDCG-exp@5, RBP(.85)"), depth=None, base="")
    job = worked(computing.submit(chosen))
    assert [one.label for one in computing.report_of(job).measures] == ["MAP", "nDCG-exp@5", "RBP(.85)"]
    assert computing.asked_of(job)._replace(blocks=()) == chosen._replace(blocks=())


def test_every_worker_knows_this_kind_of_job(asked):
    assert EvaluationJob in queue.KINDS
    assert tasks.computing(EvaluationJob.kind) is computing


def test_what_was_computed_is_not_computed_again(asked, monkeypatch):
    job = computing.submit(asked)
    beats = iter((True, True, False))
    assert computing.attempt(job.pk, "one", go_on=lambda job: next(beats))
    job.refresh_from_db()
    assert (job.status, job.done, job.attempts) == (Status.QUEUED, 1, 0)
    assert [part.name for part in job.parts.all()] == ["numbers of bm25"]
    computed = []
    pack = packing.pack
    monkeypatch.setattr(packing, "pack", lambda value: computed.append(type(value).__name__) or pack(value))
    assert worked(job).status == Status.DONE
    assert computed == ["RunNumbers", "tuple", "RunsReport"]
    expected = data(measured(asked, within_a_request=False), per_topic=True)
    assert data(computing.report_of(job), per_topic=True) == expected


def test_parts_of_other_inputs_are_computed_anew(asked):
    job = computing.submit(asked)
    beats = iter((True, True, False))
    computing.attempt(job.pk, "one", go_on=lambda job: next(beats))
    EvaluationPart.objects.update(packed=b"of what is not here any more")
    Run.objects.filter(name="bm25").update(parameters={"k1": 2})
    assert worked(job).status == Status.DONE


def test_parts_of_another_version_are_computed_anew(asked, monkeypatch):
    job = computing.submit(asked)
    beats = iter((True, True, False))
    computing.attempt(job.pk, "one", go_on=lambda job: next(beats))
    EvaluationPart.objects.update(packed=b"of an older version")
    monkeypatch.setattr(computing, "code_version", lambda: "the next one")
    assert worked(job).status == Status.DONE


def test_comparisons_of_runs_with_long_names_are_kept(asked, monkeypatch):
    """A column of PostgreSQL takes no longer text than it was made for."""
    names = ["b" * 80, "r" * 80]
    for old, new in zip(("bm25", "rm3"), names, strict=True):
        Run.objects.filter(name=old).update(name=new)
    job = computing.submit(asked._replace(runs=tuple(names), base=names[0]))
    monkeypatch.setattr(queue, "finish", lambda job, **columns: False)
    stored = []
    create = EvaluationPart.objects.create
    monkeypatch.setattr(
        EvaluationPart.objects,
        "create",
        lambda **columns: stored.append(columns["name"]) or create(**columns),
    )
    assert computing.attempt(job.pk, "one")
    assert (len(stored), max(map(len, stored)) <= EvaluationPart._meta.get_field("name").max_length) == (
        4,
        True,
    )


def test_a_job_that_was_cancelled_stores_no_report(asked, monkeypatch):
    job = computing.submit(asked)

    def cancelled(*args, **options):
        EvaluationJob.objects.update(status=Status.CANCELLED)
        return measured(*args, **options)

    monkeypatch.setattr(computing, "measured", cancelled)
    assert computing.attempt(job.pk, "one")
    job.refresh_from_db()
    assert computing.report_of(job) is None
    assert not EvaluationPart.objects.exists()
    assert computing.retry(job)


def test_the_same_is_measured_once_at_a_time_and_the_last_result_stays(asked):
    first = computing.submit(asked)
    assert computing.submit(asked) == first
    assert computing.submit(asked._replace(base="rm3")) != first
    worked(first)
    again = computing.submit(asked)
    assert computing.latest_done(asked) == first
    assert computing.latest(asked) == again
    worked(again)
    computing.submit(asked)
    assert not EvaluationJob.objects.filter(pk=first.pk).exists()


def test_what_is_not_here_is_refused_at_once(asked):
    for wrong in ({"runs": ("none",), "base": ""}, {"qrels": "none"}, {"base": "none"}):
        with pytest.raises(BadField):
            computing.submit(asked._replace(**wrong))
    assert not EvaluationJob.objects.exists()


def test_a_level_beyond_the_scale_fails_the_job_with_the_sentence(asked):
    job = worked(computing.submit(asked._replace(level=9)))
    assert job.status == Status.FAILED
    assert "level of relevance must lie between 1 and 4, not at 9" in job.error


def test_numbers_are_packed_bit_by_bit(asked):
    report = measured(asked, within_a_request=False).for_keeping()
    again = packing.unpack(RunsReport, packing.pack(report))
    for one, other in zip(report.runs, again.runs, strict=True):
        assert np.array_equal(one.evaluated.values, other.evaluated.values)
        assert one.evaluated.values.dtype == other.evaluated.values.dtype
        assert [each.mean for each in one.means] == [each.mean for each in other.means]
    with pytest.raises(TypeError, match="holds no set"):
        packing.pack({1})


def test_the_page_begins_the_job_and_shows_its_numbers_with_date_and_inputs(page, client):
    refused = client.get(page, CHOSEN)
    assert "2 runs were chosen; with 2 topics at most 1 are measured" in refused.text
    assert "Measure it in a job" in refused.text
    begun = client.post(page, CHOSEN)
    job = EvaluationJob.objects.get()
    assert begun.url == job.get_absolute_url()
    assert "measures it" in client.get(page, CHOSEN).text
    assert "You can leave this page" in client.get(begun.url).text
    worked(job)
    for shown in (client.get(page, CHOSEN).text, client.get(begun.url).text):
        assert "Difference from bm25, tested by" in shown
        assert "Measured by a worker on" in shown
        assert job.inputs["run rm3"][: inputs.SHOWN] in shown
        assert "Out of date" not in shown
    state = reverse("evaluation:evaluation_state", args=[job.pk])
    assert f"{job} has ended: done" in client.get(state, headers={"HX-Request": "true"}).text
    assert json.loads(client.get(begun.url, {"format": "json"}).text)["runs"][1]["run"] == "rm3"


def test_numbers_of_inputs_that_changed_are_out_of_date_and_measured_again(page, client):
    client.post(page, CHOSEN)
    job = worked(EvaluationJob.objects.get())
    topic = Run.objects.get(name="rm3").rows.last().topic.topic
    TopicVersion.objects.create(topic=topic, version=3, title="new words")
    for shown in (client.get(page, CHOSEN).text, client.get(job.get_absolute_url()).text):
        assert "Out of date" in shown
        assert "has changed since: topics boats" in shown
        assert "Measure again" in shown
    client.post(page, CHOSEN)
    assert EvaluationJob.objects.count() == 2
    assert "measures the same again: waiting" in client.get(page, CHOSEN).text


def test_one_stops_one_s_own_and_goes_on(page, client, dora):
    client.post(page, CHOSEN)
    job = EvaluationJob.objects.get()
    stopped = client.post(reverse("evaluation:evaluation_cancel", args=[job.pk]), follow=True).text
    assert "is stopped. It can go on where it stopped" in stopped
    again = client.post(reverse("evaluation:evaluation_retry", args=[job.pk]), follow=True).text
    assert "waits for a worker again" in again
    client.force_login(builders.researcher("Fay"))
    assert client.get(job.get_absolute_url()).status_code == 200
    assert client.post(reverse("evaluation:evaluation_cancel", args=[job.pk])).status_code == 404


def test_what_cannot_be_measured_begins_no_job(page, client):
    assert client.post(page, {**CHOSEN, "measures": "F1"}).status_code == 422
    assert not EvaluationJob.objects.exists()


def test_scripts_begin_follow_and_read_it(asked, dora):
    reader = script(dora, "corpora")
    refused = reader.post(ADDRESS, CHOSEN, content_type="application/json")
    assert (refused.status_code, "needs: jobs" in refused.json()["detail"]) == (403, True)
    key = script(dora, "corpora", "jobs")
    begun = key.post(ADDRESS, CHOSEN, content_type="application/json")
    assert begun.status_code == 202
    address = f"/api/v1/evaluations/{begun.json()['id']}/"
    early = key.get(f"{address}result/")
    assert (early.status_code, early.json()["detail"]) == (
        409, "There are no numbers: the evaluation is waiting.",
    )  # fmt: skip
    worked(EvaluationJob.objects.get())
    assert key.get(address).json()["status"] == "done"
    result = key.get(f"{address}result/").json()
    assert result["changed"] == []
    assert result["numbers"] == key.get(ADDRESS, {**CHOSEN, "per_topic": "true"}).json()["numbers"]
    assert [row["id"] for row in key.get("/api/v1/evaluations/", {"corpus": "quays"}).json()["results"]] == [
        begun.json()["id"]
    ]
    wrong = key.post(ADDRESS, {**CHOSEN, "qrels": "none"}, content_type="application/json")
    assert (wrong.status_code, list(wrong.json())) == (400, ["qrels"])
    assert reader.post(f"{address}cancel/").status_code == 403
    assert key.post(f"{address}cancel/").status_code == 200


def test_the_grades_of_a_study_are_measured_for_its_researchers_alone(asked, dora, client):
    study = judged({("1", "quay-1"): "044", ("2", "quay-2"): "3u3"}, slug="lamps")
    builders.enrolment(study, dora, role=Role.RESEARCHER)
    job = worked(computing.submit(asked._replace(qrels="study:lamps", study=study), by=dora))
    assert job.status == Status.DONE
    assert computing.report_of(job).about[0].startswith("Judgments: those of the study")
    for person, seen in ((dora, 200), (builders.researcher("Fay"), 404)):
        client.force_login(person)
        assert client.get(job.get_absolute_url()).status_code == seen
        assert script(person, "corpora", "read").get(f"/api/v1/evaluations/{job.pk}/").status_code == seen
    assert script(dora, "corpora").get(f"/api/v1/evaluations/{job.pk}/").status_code == 404
    before = inputs.digests(computing.asked_of(job))
    study.items.filter(pk=study.items.first().pk).update(retired=study.created)
    assert inputs.digests(computing.asked_of(job)) != before


def test_evaluations_stand_in_the_list_of_jobs_for_those_who_may_see_them(asked, dora, client):
    study = judged({("1", "quay-1"): "044", ("2", "quay-2"): "3u3"}, slug="lamps")
    builders.enrolment(study, dora, role=Role.RESEARCHER)
    computing.submit(asked)
    computing.submit(asked._replace(qrels="study:lamps", study=study))
    for person, n in ((dora, 2), (builders.researcher("Fay"), 1)):
        client.force_login(person)
        assert client.get(reverse("retrieval:jobs")).text.count("Evaluation of runs") == n
