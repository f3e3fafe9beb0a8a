"""The whole way: what a machine judged → a stratified sample → readers with a known pull → the meter."""

from __future__ import annotations

import csv
import io
import json
import uuid
from html import unescape

import numpy as np
import pytest
from django.core.management import call_command
from django.db.models import Count
from django.urls import reverse
from django.utils import timezone

from annotation.models import Arm, Assignment, AssignmentStatus, Judgment, Outcome, SampledItem
from evaluation.metrics.validation.anchoring import Arm as Meant
from evaluation.metrics.validation.anchoring import Readings, meter
from evaluation.metrics.validation.estimands import estimated, mean_grade
from evaluation.metrics.validation.rankings import rank_effect
from evaluation.validation import tables
from evaluation.validation.compute import LEVEL_OF_RELEVANCE, validation
from evaluation.validation.formats import FORMATS
from evaluation.validation.sentences import claim, notes, summary
from evaluation.validation.tables import all_tables
from evaluation.validation.views import level_asked
from evaluation.values.wording import headed
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


def test_the_numbers_are_those_of_the_judgments_that_were_stored():
    """From the rows alone: whether intervals hold what they should is asked of many studies below."""
    found = validation((study := study_with_readers(topics=4)[0]), 3, now=NOW)
    rows = [
        (each.assignment.arm, machine, each.answer["grade"], each.seen) for each, machine in stored(study)
    ]
    alike, n = {}, {}
    for arm in Arm.values:
        own = [(m, grade == m) for a, m, grade, seen in rows if a == arm and not seen]
        n[arm] = np.bincount([m for m, _ in own], minlength=GRADES)
        alike[arm] = np.bincount([m for m, _ in own], [same for _, same in own], GRADES)
    early, late = alike[Arm.BLIND] + alike[Arm.REVEAL], alike[Arm.PREFILLED]
    size = n[Arm.BLIND] + n[Arm.REVEAL]
    assert [number for _, number in found.arms] == [n[arm].sum() for arm in Arm.values]
    weight = (size + n[Arm.PREFILLED]) / 200
    shift = found.meter.pooled
    assert shift.blind == pytest.approx((weight * early / size).sum())
    assert shift.shown == pytest.approx((weight * late / n[Arm.PREFILLED]).sum())
    assert [each.part for each in found.meter.readers] == [0, 1]
    known = [(m, grade) for a, m, grade, seen in rows if a != Arm.PREFILLED and not seen]
    assert found.n_judged == len(known) == size.sum()
    by_grade = [np.mean([grade for m, grade in known if m == g]) for g in range(GRADES)]
    assert found.estimates[0].powered.value == pytest.approx(np.mean(by_grade))
    changed = sum(bool(seen) for *_, seen in rows)
    assert (found.reveal.n, found.reveal.towards, found.reveal.away) == (n[Arm.REVEAL].sum(), changed, 0)
    assert "Readers who saw the machine’s answer first agreed with it" in " ".join(summary(found))


def test_an_answer_taken_back_after_the_reveal_is_counted_and_said():
    study, _ = study_with_readers(topics=4)
    before = validation(study, 3, now=NOW).reveal
    assert before.withdrawn == 0
    shown = Assignment.objects.filter(study=study, arm=Arm.REVEAL).annotate(revisions=Count("judgments"))
    one = shown.filter(revisions=1).first()
    later = judgment(one, one.annotator, Outcome.UNDECIDED, None, "Both fit.", 2)
    later.seen, later.submission = {"grade": 0}, uuid.uuid4()
    Judgment.objects.bulk_create([later])
    found = validation(study, 3, now=NOW)
    assert (found.reveal.n, found.reveal.withdrawn) == (before.n - 1, 1)
    assert "further reading they took their answer back" in " ".join(summary(found))


def stored(study):
    """Judgments with the machine's grade of their item."""
    machine = dict(SampledItem.objects.filter(item__study=study).values_list("item", "machine_answer__grade"))
    return [(each, machine[each.item_id]) for each in Judgment.objects.select_related("assignment")]


STUDIES = 100


def simulated(number):
    """A study as ``study_with_readers`` makes it, 300 readings of 300 of 600 items, as arrays."""
    draw = np.random.default_rng(number)
    machine = np.arange(600) % GRADES
    own = np.where(draw.random(600) < AGREE, machine, (machine + draw.integers(1, GRADES, 600)) % GRADES)
    read = np.concatenate([draw.permutation(np.flatnonzero(machine == g))[:60] for g in range(GRADES)])
    arm = np.concatenate([draw.permutation(np.arange(60) % 3) for _ in range(GRADES)])
    swallowed = (arm == Meant.PREFILLED) & (draw.random(300) < PULL)
    given = np.where(swallowed, machine[read], own[read])
    told = machine[read]
    of = meter(Readings(arm, np.arange(300) % 2, told, (given == told).astype(float), given, told))
    known = np.zeros(600, dtype=bool)
    known[read[arm != Meant.PREFILLED]] = True
    human = np.zeros(600, dtype=np.int64)
    human[read] = given
    estimate = estimated(mean_grade(human, machine), machine, known, set_apart=True).powered
    return of, estimate, own.mean()


def test_over_studies_nothing_is_biased_and_intervals_hold_what_they_should():
    """Seeds 0 to 99, all of them: no seed is chosen.

    Of 100 intervals that hold the true value 95 times in 100, fewer than 88 do once in 600 tests; a mean lies
    beyond 3.3 of its standard errors once in 1,000.
    """
    found = [simulated(number) for number in range(STUDIES)]
    true = PULL * (1 - AGREE)
    for name, rows in {
        "shift": [(m.pooled.difference - true, m.pooled.low - true, m.pooled.high - true) for m, *_ in found],
        "alone": [
            (m.agreement.difference - true, m.agreement.low - true, m.agreement.high - true)
            for m, *_ in found
        ],
        "pull": [(m.pull.value - PULL, m.pull.low - PULL, m.pull.high - PULL) for m, *_ in found],
        "carry-over": [(m.carry_over.difference, m.carry_over.low, m.carry_over.high) for m, *_ in found],
        "mean grade": [(e.value - real, e.low - real, e.high - real) for _, e, real in found],
    }.items():
        off, low, high = np.array(rows).T
        assert abs(off.mean()) < 3.3 * off.std() / STUDIES**0.5, name
        assert ((low <= 0) & (high >= 0)).sum() >= 88, name


def numbers_in(found):
    """Every number of a JSON report."""
    if isinstance(found, dict | list):
        return {
            one for each in (found.values() if isinstance(found, dict) else found) for one in numbers_in(each)
        }
    return {found} if isinstance(found, int | float) else set()


def test_page_text_csv_json_and_api_have_the_same_numbers(as_user):
    dora = builders.researcher("Dora")
    study, _ = study_with_readers(topics=6, share=0.6, by=dora)
    found = validation(study, 2, now=NOW)
    gains = np.array([[1, 1, 0, 0], [0, 1, 0, 1]])
    ranks = rank_effect(gains, [1, 0, 1, 1], [1.0] * 4, [0] * 4, [0, 0, 1, 1], 1, splits=2, resamples=10)
    with_runs = found._replace(runs=("BM25", "dense"), ranks=ranks)
    told = numbers_in(json.loads(FORMATS["json"].render(with_runs)))
    rows = list(csv.DictReader(io.StringIO(FORMATS["csv"].render(with_runs))))
    known = {float(each[name]) for each in rows for name in each if name not in WORDS and each[name]}
    text = " ".join(FORMATS["table"].render(with_runs).split())
    for each in all_tables(with_runs):
        in_csv = each.title not in ("People and machine, grade by grade", "The anchoring meter")
        for cell in (cell for row in each.rows for cell in row.cells if isinstance(cell.value, int | float)):
            assert cell.value in told, (each.title, cell)
            assert not in_csv or each.title.startswith("By ") or cell.value in known, (each.title, cell)
            assert cell.words in text
    client, url = as_user(dora), reverse("evaluation:validation", args=[study.slug])
    page = unescape(client.get(url, {"level": 2}).text).replace("\u00a0", " ")
    for each in all_tables(found):
        for cell in (cell for row in each.rows for cell in row.cells if isinstance(cell.value, int | float)):
            assert cell.words.replace("\u00a0", " ") in page, (each.title, cell)
    api = client.get(f"/api/v1/studies/{study.slug}/validation/", {"level": 2}).json()
    plain = json.loads(FORMATS["json"].render(found))
    # Each interval says what it claims; few errors of the machine were seen of the rarest.
    assert {each["claim"] for each in plain["estimates"]} == {claim(each) for each in found.estimates}
    assert "95 %" in {each["claim"] for each in plain["estimates"]}
    short = {row.cells[2].below for row in next(iter(all_tables(found))).rows}
    assert short <= {"", "at least 95 %"}, "A long claim makes the column of estimates narrow"
    assert {**api, "computed": ""} == {**plain, "computed": ""}


WORDS = ("claim", "study", "part", "number", "reason")


def test_simulated_readers_are_named_and_only_annotators_count():
    study, _ = study_with_readers(topics=2, each=30)
    every = validation(study, now=NOW)
    assert not every.simulated
    study.enrolments.filter(pseudonym=every.readers[0]).update(simulated=True)
    mixed = validation(study, now=NOW)
    assert f"{every.readers[0]} is a program, not a person. The numbers mix both." in " ".join(summary(mixed))
    assert json.loads(FORMATS["json"].render(mixed))["simulated_readers"] == [every.readers[0]]
    study.enrolments.filter(pseudonym=every.readers[1]).update(role="adjudicator")
    alone = validation(study, now=NOW)
    assert "say nothing about human readers" in " ".join(summary(alone))
    assert alone.n_judged < every.n_judged


def test_kappa_leaves_out_what_the_machine_has_not_answered():
    """Items without its answer are no grade 0 of it."""
    study, _ = study_with_readers(topics=2, each=30)
    SampledItem.objects.filter(item__study=study, machine_answer__grade=4).update(
        machine_answer=None, stratum="no answer"
    )
    found = validation(study, now=NOW)
    assert found.n_without == 12
    assert found.kappa.n_judged < found.n_judged
    assert found.kappa.confusion.sum() == pytest.approx(1)
    assert found.kappa.confusion[:, 4].sum() == 0
    assert found.kappa.confusion[:, 0].sum() == pytest.approx(1 / 4)


def test_the_planner_begins_with_what_the_study_says_so_far(as_user):
    dora = builders.researcher("Dora")
    study, _ = study_with_readers(topics=4, by=dora)
    found = validation(study, now=NOW)
    agreement = round(100 * found.estimates[-1].powered.value)
    page = as_user(dora).get(reverse("evaluation:validation", args=[study.slug]))
    assert f'value="{agreement}"' in page.text
    assert "From this study’s readings so far" in page.text
    typed = as_user(dora).get(reverse("evaluation:validation", args=[study.slug]), {"agreement": "61"})
    assert 'value="61"' in typed.text


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


def test_every_writer():
    study, _ = study_with_readers(topics=3, each=30)
    found = validation(study, now=NOW)
    written = {form: each.render(found) for form, each in FORMATS.items()}
    assert json.loads(written.pop("json"))["anchoring"]["pull"]["value"] > 0
    rows = {row["number"]: row for row in csv.DictReader(io.StringIO(written.pop("csv")))}
    assert float(rows["pull"]["value"]) > 0
    assert rows["shift_of_pooled"]["n_blind"] == "60"
    for form, text in written.items():
        assert "agreed with it" in " ".join(text.split()), form


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
    results = as_user(dora).get(reverse("evaluation:results", args=[study.slug])).text
    assert reverse("evaluation:validation", args=[study.slug]) in results


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
    assert found.n_items == study.items.count()


@pytest.mark.parametrize("text", ["", "0", "x", "100", "²", "001" + "1" * 5000])
def test_a_level_that_is_none_is_the_usual_one(text):
    assert level_asked(text) == LEVEL_OF_RELEVANCE
    assert level_asked("7") == 7


def test_whole_topics_are_the_unit_of_every_estimate():
    study = validating.draft("whole", topics=12, each=5)
    sample = validating.sampled(
        study, data=validating.qrels(12, 5), share=0.5, prefilled=0, whole_topics=True
    )
    reader = builders.enrolment(study, builders.person("Ada"))
    study = validating.open_study(study, by=None, now=timezone.now())
    machine = dict(SampledItem.objects.filter(sample=sample).values_list("item", "machine_answer__grade"))
    rows, places = [], list(Assignment.objects.filter(study=study).select_related("item", "study"))
    for number, each in enumerate(sorted(places, key=lambda one: one.item.number)):
        each.annotator, each.arm, each.status = reader, Arm.BLIND, AssignmentStatus.DONE
        grade = max(0, machine[each.item_id] - number % 3 // 2)
        rows.append(judgment(each, reader, Outcome.ANSWER, {"grade": grade}, "", 1))
    Assignment.objects.bulk_update(places, ["annotator", "arm", "status"])
    Judgment.objects.bulk_create(rows[1:])
    found = validation(study, 3, now=NOW)
    # One item of six topics has no answer: its topic is not judged to its end.
    assert (found.n_items, found.n_drawn, found.n_topics, found.n_whole) == (60, 30, 12, 5)
    mean = found.estimates[0]
    by = {}
    for each in rows:
        topic = each.assignment.item.group
        by.setdefault(topic, []).append(each.answer["grade"] - machine[each.assignment.item_id])
    del by[rows[0].assignment.item.group]
    wrong = np.mean([np.mean(errors) for errors in by.values()])
    assert mean.powered.value == pytest.approx(np.mean(list(machine.values())) + wrong)
    assert (mean.n_counting, found.kappa) == (5, None)
    assert "5 of 12 are judged to their end" in " ".join(notes(found))
    # What is true of all estimates is said once, not at each; and nDCG is spelt as it is.
    assert "Of all estimates: Only 5 topics are judged" in " ".join(notes(found))
    assert FORMATS["table"].render(found).count("Only 5 topics are judged") == 1
    assert {each.conservative for each in found.estimates} <= {False, None}
    assert headed("nDCG@10 of BM25") == "nDCG@10 of BM25"
