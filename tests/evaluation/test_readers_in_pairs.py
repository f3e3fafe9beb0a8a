"""Readers of choices in pairs: Cohen κ in every form of the report and on the microscope."""

from __future__ import annotations

import csv
import io
import json
from itertools import combinations

import pytest
from django.urls import reverse

from evaluation.kinds.nominal import pairs
from evaluation.microscope.compare import microscope
from evaluation.report import formats
from evaluation.report.compute import report
from tests.evaluation.judged import judged

pytestmark = pytest.mark.django_db

VOTES = ["ggg", "gxg", "xx.", "gy.", "gxg", "ug.", "yyg", "gxx"]


def answers(study):
    """{pseudonym: {item: option}} of the answers."""
    found = {}
    for each in study.assignments.filter(judgments__answer__isnull=False):
        given = each.judgments.get().answer["option"]
        found.setdefault(each.annotator.pseudonym, {})[each.item.number] = given
    return found


def cohen(one, other):
    """κ and common items of two readers, by Cohen's own formula."""
    both = sorted(set(one) & set(other))
    n = len(both)
    observed = sum(one[item] == other[item] for item in both) / n
    shares = [[sum(who[item] == k for item in both) / n for k in range(3)] for who in (one, other)]
    expected = sum(first * second for first, second in zip(*shares, strict=True))
    return n, observed, (observed - expected) / (1 - expected)


def as_json(study):
    return json.loads(formats.FORMATS["json"].render(report(study, resamples=100)))["readers_in_pairs"]


def test_kappa_of_each_pair_and_its_mean_are_counted_by_hand():
    study = judged(VOTES)
    found, by = as_json(study), answers(study)
    assert found["n_pairs_of_readers"] == 3
    total = weight = 0.0
    for each, (one, other) in zip(found["pairs_of_readers"], combinations("ABC", 2), strict=True):
        n, same, kappa = cohen(by[one], by[other])
        assert (each["first"], each["second"], each["n_items"]) == (one, other, n)
        assert each["same_answer"] == pytest.approx(same)
        assert each["same_answer_low"] < same < each["same_answer_high"]
        assert each["cohen_kappa"]["value"] == pytest.approx(kappa)
        total, weight = total + n * kappa, weight + n
    assert found["cohen_kappa"]["value"] == pytest.approx(total / weight)
    assert found["cohen_kappa"]["low"] <= found["cohen_kappa"]["value"] <= found["cohen_kappa"]["high"]


def test_csv_text_and_page_say_the_same(dora, as_user):
    study = judged(VOTES, by=dora)
    whole = report(study)
    mean = whole.found.in_pairs.mean
    rows = list(csv.DictReader(io.StringIO(formats.FORMATS["csv"].render(whole))))
    by = {(row["annotator"], row["number"]): row for row in rows}
    assert len(by) == len(rows)
    assert float(by["", "cohen_kappa"]["value"]) == mean.value
    assert {who for who, number in by if number == "same_answer"} == {"A B", "A C", "B C"}
    said = pairs.sentence(whole.found.in_pairs)
    assert said.startswith(f"Cohen κ, mean over pairs of readers: {mean.value:.3f} [".replace("-", "−"))
    for form in ("table", "markdown"):
        text = " ".join(formats.FORMATS[form].render(whole).split())
        assert said.split(" [")[0] in text
        assert "A, B" in text
    page = as_user(dora).get(reverse("evaluation:results", args=[study.slug])).text
    assert page.index('id="numbers"') < page.index('id="pairs"') < page.index('id="readers"')


def test_the_measures_of_the_report_are_those_there_were():
    slugs = [line.measure.slug for line in report(judged(VOTES), resamples=100).lines]
    assert "cohen_kappa" not in slugs


def test_the_microscope_has_the_mean_among_the_definitions_and_the_pairs_below():
    study = judged(VOTES)
    found = microscope(study)
    row = next(row for row in found.table.rows if row.name == "cohen_kappa")
    mean = report(study).found.in_pairs.mean
    assert (row.cells[1].value, row.about.reason) == (mean.value, mean.reason)
    (section,) = found.sections
    assert [each.cells[0].words for each in section.table.rows] == ["A, B", "A, C", "B, C"]


@pytest.mark.parametrize("votes", [["g..", ".g.", "..x"], ["g..", "x..", "y.."]])
def test_where_no_two_readers_answered_an_item_nothing_is_compared(votes):
    study = judged(votes)
    found = as_json(study)
    assert (found["n_pairs_of_readers"], found["pairs_of_readers"]) == (0, [])
    assert found["cohen_kappa"]["value"] is None
    assert found["cohen_kappa"]["reason"]
    whole = report(study)
    assert "pairs" not in [each.slug for each in whole.own.sections]
    assert "Cohen κ" not in formats.FORMATS["table"].render(whole)


def test_options_that_may_be_roles_are_cautioned_beside_the_mean():
    study = judged(VOTES)
    roles = "Caution: roles."
    table = pairs.in_pairs(_table(study), 1, 100, roles)
    assert table.mean.reason.endswith(roles)
    assert roles in pairs.sentence(table)


def _table(study):
    from evaluation.kinds.nominal.choices import read, table_of

    return table_of(read(study))
