"""The whole way: what a machine judged → a stratified sample → readers with a known pull → the meter."""

from __future__ import annotations

import csv
import io
import json
import uuid

import numpy as np
import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from annotation.models import Arm, Assignment, AssignmentStatus, Judgment, Outcome, SampledItem
from evaluation.validation import tables
from evaluation.validation.compute import validation
from evaluation.validation.formats import FORMATS
from evaluation.validation.sentences import summary
from tests import builders
from tests.annotation import validating
from tests.evaluation.judged import NOW, judgment

pytestmark = pytest.mark.django_db
PULL, AGREE, GRADES = 0.5, 0.7, validating.GRADES


def study_with_readers(monkeypatch=None, *, topics=6, each=50, share=1.0, pull=PULL, by=None):
    """Readers who agree with the machine on seven of ten items, and give up half of the rest when it is there
    first; one in five changes a disagreement when it is shown afterwards."""
    study = validating.draft("tried", topics=topics, each=each, by=by)
    sample = validating.samples.take(
        study,
        validating.machine_answers.of_file(study, validating.qrels(topics, each), "machine.qrels"),
        validating.samples.Wish(share=share),
        by=None,
        now=timezone.now(),
    )
    readers = [builders.enrolment(study, builders.person(name)) for name in ("Ada", "Ben")]
    study = validating.open_study(study, by=None, now=timezone.now())
    machine = dict(SampledItem.objects.filter(sample=sample).values_list("item", "machine_answer__grade"))
    draw, arms = np.random.default_rng(6), [Arm.BLIND, Arm.REVEAL, Arm.PREFILLED]
    rows, places, truth = [], list(Assignment.objects.filter(study=study).select_related("item", "study")), []
    for number, assignment in enumerate(sorted(places, key=lambda one: (machine[one.item_id], one.pk))):
        who, arm, shown = readers[number % 2], arms[number // 2 % 3], machine[assignment.item_id]
        own = shown if draw.random() < AGREE else int((shown + draw.integers(1, GRADES)) % GRADES)
        truth.append(own)
        swallowed = arm == Arm.PREFILLED and draw.random() < pull
        assignment.annotator, assignment.arm, assignment.status = who, arm, AssignmentStatus.DONE
        rows.append(judgment(assignment, who, Outcome.ANSWER, {"grade": shown if swallowed else own}, "", 1))
        if arm == Arm.REVEAL:
            assignment.revealed_at = NOW
            if own != shown and draw.random() < 0.2:
                later = judgment(assignment, who, Outcome.ANSWER, {"grade": shown}, "", 2)
                later.seen, later.submission = {"grade": shown}, uuid.uuid4()
                rows.append(later)
    Assignment.objects.bulk_update(places, ["annotator", "arm", "status", "revealed_at"])
    Judgment.objects.bulk_create(rows)
    return study, truth


def test_the_meter_recovers_the_pull_and_the_estimate_the_truth():
    study, truth = study_with_readers()
    found = validation(study, 3, now=NOW)
    assert [n for _, n in found.arms] == [100, 100, 100]
    shift = found.meter.headline
    assert shift.low < PULL * (1 - AGREE) < shift.high
    assert shift.low > 0
    assert found.meter.pull.low < PULL < found.meter.pull.high
    assert found.meter.carry_over.low < 0 < found.meter.carry_over.high
    assert [each.part for each in found.meter.readers] == [0, 1]
    mean = found.estimates[0].powered
    assert mean.low < np.mean(truth) < mean.high
    assert found.n_judged == 200
    assert found.reveal.n == 100
    assert found.reveal.away == 0
    assert 0 < found.reveal.towards < found.reveal.n_disagreeing
    assert found.reveal.low < 0.2 < found.reveal.high
    said = " ".join(summary(found))
    assert "Readers who saw the machine’s answer first agreed with it" in said
    assert "points more often (" in said


def test_prefilled_answers_never_enter_an_estimate():
    study, _ = study_with_readers(topics=4, each=30, pull=0.0)
    before = validation(study, now=NOW)
    shown = Judgment.objects.filter(assignment__study=study, assignment__arm=Arm.PREFILLED)
    for one in shown.select_related("assignment__item", "assignment__study", "annotator"):
        judgment(one.assignment, one.annotator, Outcome.ANSWER, {"grade": 4}, "", 2).save()
    after = validation(study, now=NOW)
    assert [each.powered for each in before.estimates] == [each.powered for each in after.estimates]
    assert before.meter.grade != after.meter.grade


def test_a_part_of_the_items_says_something_of_all():
    study, _ = study_with_readers(topics=8, each=50, share=0.5)
    found = validation(study, 3, now=NOW)
    assert (found.n_items, found.n_drawn) == (400, 200)
    assert 0 < found.n_judged < 200
    assert found.estimates[0].saved > 0
    lost = found._replace(estimates=(found.estimates[0]._replace(saved=-1234),))
    assert tables.estimates(lost).sections[0].rows[0].cells[-1].words == "−1,234"
    assert abs(float(found.kappa.confusion.sum()) - 1) < 1e-9
    assert found.kappa.low < found.kappa.value < found.kappa.high


@pytest.mark.parametrize("form", FORMATS)
def test_every_writer(form):
    study, _ = study_with_readers(topics=3, each=30)
    text = FORMATS[form].render(validation(study, now=NOW))
    if form == "json":
        assert json.loads(text)["anchoring"]["pull"]["value"] > 0
    elif form == "csv":
        rows = {row["number"]: row for row in csv.DictReader(io.StringIO(text))}
        assert float(rows["pull"]["value"]) > 0
        assert rows["shift_of_pooled"]["n_blind"] == "60"
    else:
        assert "agreed with it" in " ".join(text.split())


def test_the_page_the_command_and_the_api(as_user, capsys, tmp_path):
    dora = builders.researcher("Dora")
    study, _ = study_with_readers(topics=3, each=30, by=dora)
    page = as_user(dora).get(reverse("evaluation:validation", args=[study.slug]))
    assert page.status_code == 200
    assert "Mean grade" in page.text
    assert (
        "393 readings"
        in as_user(dora)
        .get(reverse("evaluation:validation", args=[study.slug]), {"agreement": "80", "points": "10"})
        .text
    )
    wrong = as_user(dora).get(reverse("evaluation:validation", args=[study.slug]), {"agreement": "200"})
    assert wrong.status_code == 422
    file = as_user(dora).get(reverse("evaluation:validation", args=[study.slug]), {"format": "csv"})
    assert file["Content-Disposition"].endswith('-validation.csv"')
    call_command("validation_report", study.slug, "--level", "2")
    assert "grade of 2 or higher" in " ".join(capsys.readouterr().out.split())
    reply = as_user(dora).get(f"/api/v1/studies/{study.slug}/validation/", {"level": 2})
    assert reply.json()["n_items"] == 90
    assert as_user(dora).get(f"/api/v1/studies/{study.slug}/validation/", {"level": 0}).status_code == 400
    assert "validated by a sample" in as_user(dora).get(reverse("evaluation:results", args=[study.slug])).text


def test_a_study_that_is_no_sample(as_user):
    dora = builders.researcher("Dora")
    study = builders.study(by=dora)
    page = as_user(dora).get(reverse("evaluation:validation", args=[study.slug]))
    assert "no sample of what a machine judged" in page.text
    # What to do about it, and what the planner below is for.
    assert "is a draft again" in page.text
    assert "Say what you expect" in page.text
    assert "How many are needed" in page.text
    for form in FORMATS.values():
        assert form.render(validation(study, now=NOW))


def test_before_anybody_has_answered():
    study = validating.opened(builders.person("Ada"))
    found = validation(study, now=NOW)
    assert found.problem == "Nobody has answered an item of the sample yet."
    assert found.n_items == 40
