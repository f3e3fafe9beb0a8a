"""Accuracy against what was settled: a layer of its own, which changes no number on agreement."""

from __future__ import annotations

import json
import uuid

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.models import Decision, Item
from evaluation.report import formats
from evaluation.report.compute import report
from tests import builders
from tests.evaluation.judged import NOW, judged
from tests.evaluation.marked import marked

pytestmark = pytest.mark.django_db
WITHOUT_GOLD = {"gold": False, "names": ["Hal", "Ivo", "Kim"]}


def decide(study, number, answer, revision=1, adopted=None):
    adjudicator = study.enrolments.filter(role="adjudicator").first()
    adjudicator = adjudicator or builders.enrolment(
        study, builders.person("Cleo"), role="adjudicator", pseudonym="J1"
    )
    return Decision.objects.create(
        item=study.items.get(number=number),
        revision=revision,
        answer=answer,
        adopted=adopted,
        reason="It reads best.",
        adjudicator=adjudicator,
        submission=uuid.uuid4(),
        created=timezone.now(),
    )


def test_the_latest_decision_takes_the_place_of_gold():
    study = judged(["ggx", "gxx", "ggg", "xxg"], **WITHOUT_GOLD)
    decide(study, 1, {"option": 2})
    decide(study, 1, {"option": 1}, revision=2, adopted=5)
    decide(study, 2, {"option": 2})
    decide(study, 4, None)
    found = report(study, now=NOW).settled
    assert (found.n_settled, found.n_open, found.n_adopted) == (2, 1, 1)
    single, majority = (line.estimate for line in found.lines)
    # Item 1: two of three chose 1. Item 2 (its g is option 2): one of three did.
    assert (single.value, majority.value) == (pytest.approx(3 / 6), pytest.approx(1 / 2))
    assert (single.n_items, single.n_judgments) == (2, 6)


def test_agreement_and_accuracy_against_gold_never_look_at_decisions():
    study = judged(["ggx", "gxx", "ggg", "xxg"], names=["Hal", "Ivo", "Kim"])
    before = report(study, now=NOW)
    decide(study, 1, {"option": 0})
    after = report(study, now=NOW)
    assert (before.lines, before.readers, before.left_out) == (after.lines, after.readers, after.left_out)
    assert before.settled is None
    assert after.settled is not None


def test_spans_are_compared_with_the_spans_decided_on():
    study = marked([(7, 12), (7, 13), (7, 12)], [(8, 9)] * 3, names=["Hal", "Ivo", "Kim"])
    decide(study, 1, {"start": 7, "end": 12})
    decide(study, 2, {"declined": "no_allusion"})
    found = report(study, now=NOW).settled
    identical, overlap = (line.estimate.value for line in found.lines)
    assert identical == pytest.approx(2 / 3)
    assert overlap == pytest.approx((1 + 5 / 6 + 1) / 3)


def test_every_form_names_the_layer():
    study = judged(["ggx", "gxx", "ggg", "xxg"], **WITHOUT_GOLD)
    decide(study, 1, {"option": 1})
    found = report(study, now=NOW)
    data = json.loads(formats.FORMATS["json"].render(found))["settled"]
    assert (data["n_settled"], data["measures"][0]["measure"]) == (1, "individual_accuracy")
    assert "individual_accuracy_against_settled" in formats.FORMATS["csv"].render(found)
    text = formats.FORMATS["table"].render(found)
    assert "Against what was settled, on one item" in text
    assert "not accuracy against an independent key" in " ".join(text.split())


def test_latex_prints_it_under_a_heading_of_its_own():
    study = judged(["ggx", "gxx", "ggg", "xxg"], **WITHOUT_GOLD)
    assert "settled" not in formats.FORMATS["latex"].render(report(study, now=NOW))
    decide(study, 1, {"option": 1})
    above, heading, below = (
        formats.FORMATS["latex"].render(report(study, now=NOW)).partition("\\emph{Against what was settled}")
    )
    assert heading
    assert above.rstrip().endswith(r"\multicolumn{7}{@{}l@{}}{")
    table, _, after = below.partition("\\bottomrule")
    assert table.count(" & ") == 2 * 6
    assert "Individual accuracy & " in table
    assert "Against what was settled, on one item" in after
    assert "not accuracy against an independent key" in after


def test_the_page_shows_it_beside_agreement(dora, as_user):
    study = judged(["ggx", "gxx", "ggg", "xxg"], by=dora, **WITHOUT_GOLD)
    page = reverse("evaluation:results", args=[study.slug])
    assert "Against what was settled" not in as_user(dora).get(page).content.decode()
    decide(study, 1, {"option": 1})
    text = as_user(dora).get(page).content.decode()
    section = text[text.index('id="settled"') :]
    assert "against decisions" in section
    assert "Randolph κ" in section
    assert "root-t" in section[: section.index("</table>")]


def test_what_was_replaced_enters_no_number_and_is_said():
    study = judged(["ggg", "ggg", "xyg"], names=["Hal", "Ivo", "Kim"])
    Item.objects.filter(number=3).update(retired=timezone.now())
    Item.objects.filter(number=2).update(replaces=Item.objects.get(number=3))
    found = report(study, now=NOW)
    assert (found.n_items, found.n_answers, found.n_retired) == (2, 6, 1)
    assert found.line("individual_accuracy").estimate.value == 1
    assert "One item was replaced by another version" in formats.FORMATS["table"].render(found)
