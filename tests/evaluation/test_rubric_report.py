"""The numbers of a rubric: each question by its own kind, on those who were asked, in three states."""

from __future__ import annotations

import json

import numpy as np
import pytest

from annotation.tasktypes.rubric.questions import questions_of
from evaluation.apparatus.entries import entries
from evaluation.kinds.rubric.answered import Coder
from evaluation.kinds.rubric.describe import describe
from evaluation.kinds.rubric.pictures import drawings
from evaluation.metrics.nominal.agreement import OBSERVED
from evaluation.metrics.rubric import SAME_TEXT, text_patterns
from evaluation.report import formats
from evaluation.report.compute import report
from tests import builders
from tests.evaluation.judged import NOW
from tests.evaluation.rubrics import QUESTIONS, SAID, answered
from tests.evaluation.test_settled import decide


def value(found, slug):
    return found.line(slug).estimate.value


def test_two_texts_agree_where_all_their_words_do():
    patterns = text_patterns(np.array([0, 0, 0, 1, 1]), np.array([5, 9, 5, 2, 3]), 3)
    assert SAME_TEXT.value(patterns) == pytest.approx((1 / 3 + 0) / 2)
    assert SAME_TEXT.value(patterns) == OBSERVED.value(patterns)


def test_an_answer_has_a_number_for_each_question_or_why_it_has_none():
    coder = Coder(questions_of(QUESTIONS))
    assert [coder.codes(SAID[each]) for each in "rwspd"] == [
        (0, 2, 0), (0, 1, -2), (0, 2, 0), (1, 0, -1), (2, -1, -1),
    ]  # fmt: skip


@pytest.mark.django_db
def test_each_question_is_computed_by_its_kind_on_those_who_were_asked():
    found = report(answered(["rrs", "rrw", "rwd", "pdd", "rub"]), now=NOW)
    kinds = {line.measure.slug.split("-")[0] for line in found.lines}
    assert kinds == {"type", "quality", "remark"}
    # Type: items 1, 2 agree, of 3 one pair in three, of 4 one in three; 5 has one answer.
    assert value(found, "type-observed_agreement") == pytest.approx((1 + 1 + 1 / 3 + 1 / 3) / 4)
    # Quality: two were asked on items 1 to 3; item 4 was asked of one, item 5 too.
    line = found.line("quality-exact_agreement").estimate
    assert line.value == pytest.approx((1 + 1 / 3 + 0) / 3)
    assert line.n_items == 3
    # “Not asked” as an answer: item 3 has 2, 1 and none; item 4 has one grade and two not asked.
    counted = found.line("quality-or_not_asked-observed_agreement").estimate
    assert counted.value == pytest.approx((1 + 1 / 3 + 0 + 1 / 3) / 4)
    # A text: asked where quality is 1 or 2, in nine judgments, of which seven wrote something.
    assert value(found, "remark-rate_filled") == pytest.approx(7 / 9)
    assert value(found, "remark-same_text") == pytest.approx(1)
    assert not [
        line
        for line in found.lines
        if line.measure.slug.startswith("remark") and "alpha" in line.measure.slug
    ]
    assert not any(line.measure.slug.startswith("type-or_not") for line in found.lines)


@pytest.mark.django_db
def test_the_three_states_are_counted_in_every_form():
    found = report(answered(["rrs", "rrw", "rwd", "pdd", "rub"]), now=NOW)
    data = json.loads(formats.FORMATS["json"].render(found))["rubric"]
    states = {each["question"]: [each[name] for name in ("answered", "empty", "not_asked")] for each in data}
    assert states == {"type": [13, 0, 0], "quality": [10, 0, 3], "remark": [7, 2, 4]}
    assert [each["items_with_two_asked"] for each in data] == [4, 3, 3]
    assert data[1]["when"] == [{"question": "type", "in": ["claim", "retold"]}]
    assert data[2]["coincidences"] is None
    assert "quality-not_asked,,3" in formats.FORMATS["csv"].render(found)
    text = " ".join(formats.FORMATS["table"].render(found).split())
    assert "there is no mean over questions" in text
    assert "“quality”: exact agreement" in text


@pytest.mark.django_db
def test_one_rubric_written_in_two_ways_is_one():
    study = answered(["rrs", "rrw"])
    turned = [dict(reversed(each.items())) for each in QUESTIONS]
    second = study.items.get(number=2)
    builders.rewrite(study.items.filter(number=2), payload={**second.payload, "rubric": turned})
    assert [
        each["question"]
        for each in json.loads(formats.FORMATS["json"].render(report(study, now=NOW)))["rubric"]
    ] == [each["key"] for each in QUESTIONS]
    other = [*QUESTIONS[:-1], {**QUESTIONS[-1], "prompt": "Another question?"}]
    builders.rewrite(study.items.filter(number=2), payload={**second.payload, "rubric": other})
    assert report(study, now=NOW).problem.startswith("Items have different rubrics")


@pytest.mark.django_db
def test_the_first_sentences_do_not_take_those_who_were_not_asked_for_equal_texts():
    found = report(answered(["rw", "dd"], gold=""), now=NOW)
    assert value(found, "remark-same_text") is None
    assert value(found, "remark-or_not_asked-same_text") == 1
    first = " ".join(formats.FORMATS["table"].render(found).split())
    assert "“remark”: rate filled 50.0 %" in first
    assert ", same text" not in first


@pytest.mark.django_db
def test_decisions_are_compared_question_by_question():
    study = answered(["rrw", "rdd"], gold="")
    decide(study, 1, {"type": "claim", "quality": "2"})
    decide(study, 2, {"type": "other"})
    lines = {line.measure.slug: line.estimate for line in report(study, now=NOW).settled.lines}
    assert lines["type-individual_accuracy"].value == pytest.approx(5 / 6)
    assert lines["quality-exact_with_gold"].value == pytest.approx(2 / 3)
    assert not [slug for slug in lines if slug.startswith("remark")]


@pytest.mark.django_db
def test_without_gold_nothing_is_compared_with_it():
    found = report(answered(["rrw", "rdd"], gold=""), now=NOW)
    assert not [line.measure.slug for line in found.lines if "gold" in line.measure.slug]
    assert found.line("type-individual_accuracy") is None


@pytest.mark.django_db
def test_answers_that_differ_in_white_space_alone_are_one_reading():
    (entry,) = entries(answered(["rsd"]))
    assert [reading.sigla for reading in entry.readings] == [("gold", "A", "B"), ("C",)]
    assert entry.readings[0].words == "type: Claim; quality: Grade 2; remark: Nothing would."
    assert entry.agreement == "1 of 3 pairs agree on every question"
    assert entry.shown.question == "Why?"


@pytest.mark.django_db
def test_every_question_with_options_that_two_answered_has_its_confusion_as_a_picture():
    found = report(answered(["rrs", "rrw", "rwd", "pdd", "rub"]), now=NOW)
    drawn = dict(drawings(found.found))
    assert list(drawn) == ["type-of-two", "quality-of-two"]
    quality = drawn["quality-of-two"]
    assert quality.rows == ("0 Grade 0", "1 Grade 1", "2 Grade 2")
    assert [[cell.words for cell in row] for row in quality.cells] == [
        ["0.0", "0.0", "0.0"],
        ["0.0", "0.0", "2.0"],
        ["0.0", "2.0", "4.0"],
    ]
    pictures = {each.slug: each.picture for each in describe(found).sections if each.picture}
    assert pictures["two-quality"] == ("evaluation/figure.html", quality)
    assert not dict(drawings(report(answered(["r..", "..."], slug="alone"), now=NOW).found))
