"""The planner by command, on its page, from a study and from a pilot."""

from __future__ import annotations

import csv
import io
import json

import pytest
from django.core.management import CommandError, call_command

from evaluation.kinds.registry import kind_of
from evaluation.planning.assumptions import ASKED, Assumptions
from evaluation.planning.formats import FORMATS
from evaluation.planning.pilot import pilot_of
from evaluation.planning.plan import plan
from evaluation.report.compute import report
from tests import builders
from tests.evaluation.graded import graded
from tests.evaluation.judged import relic
from tests.evaluation.marked import marked
from tests.evaluation.rubrics import answered

pytestmark = pytest.mark.django_db


def printed(*options: str) -> str:
    out = io.StringIO()
    call_command("plan_study", *options, stdout=out)
    return out.getvalue()


def test_command_says_widths_power_hours_and_cost_in_every_format():
    found = json.loads(printed("--items", "100", "--hourly", "12", "--format", "json"))
    assert (found["answers"], found["hours"], found["cost"]) == (300, 5.0, 60.0)
    accuracy, majority, kappa = found["widths"]
    observed = 0.68 * 2 / 3 + 1 / 3
    rho = ((2 * observed - 1 + 2 * 0.85) / 3 - 0.85**2) / (0.85 * 0.15)
    assert accuracy["half"] == pytest.approx(1.96 * (0.85 * 0.15 * (1 + 2 * rho) / 300) ** 0.5, rel=1e-3)
    assert [one["slug"] for one in (majority, kappa)] == ["majority_accuracy", "fleiss_kappa"]
    assert len(found["powers"]) == 4
    assert all(0 < one["power"] <= 1 and one["definition"] and one["assumes"] for one in found["powers"])
    rows = list(csv.DictReader(io.StringIO(printed("--answers", "spans", "--format", "csv"))))
    assert [row["name"] for row in rows if row["part"] == "width"] == [
        "observed_overlap",
        "lcs_overlap_kappa",
    ]
    assert "± at planned" in printed()
    assert all(one.render(plan(Assumptions())) for one in FORMATS.values())
    # Equal accuracies have no difference, and one reader no agreement.
    few = plan(Assumptions(readers=1, first=85.0, second=85.0, items=20))
    assert [one.slug for one in few.widths] == ["individual_accuracy"]
    assert {one.power for one in few.powers} == {None}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--kappa", ".1"), "--kappa: Readers who are right 85.0 %"),
        (("--items", "0"), "--items: Items: a number from 1"),
        (("--differing", "5"), "--differing: With 67.5 % and 60.0 %"),
        (("--alike", "1"), "--alike: "),
        (("--answers", "spans", "--readers", "1"), "--readers: Agreement"),
        (("--answers", "grades", "--readers", "1"), "--readers: Agreement"),
        (("--answers", "rubric", "--alpha", "1"), "--alpha: Krippendorff α of the readers: a number"),
        (("--answers", "spans", "--overlap", "20"), "--overlap: Spans of 6.86"),
    ],
)
def test_refusals_name_the_number(options, says):
    with pytest.raises(CommandError, match=says):
        printed(*options)


def test_a_pilot_gives_its_own_widths_and_an_upper_bound_for_more_readers(dora):
    relic(by=dora)
    found = json.loads(printed("--pilot", "relic", "--format", "json"))
    widths = {one["slug"]: one for one in found["widths"]}
    # RELiC's readers agree less than readers who are right so often by chance alone: the model's least κ.
    assert found["assumed"]["kappa"] == pytest.approx(0.7056, abs=1e-3)
    assert widths["generalised_fleiss_kappa"]["value"] == pytest.approx(0.681, abs=0.002)
    assert any("not from the pilot, whose κ is 0.68" in note for note in found["notes"])
    assert widths["majority_accuracy"]["value"] == pytest.approx(199 / 200)
    assert found["assumed"]["seconds"] == 21
    assert not any(one["bound"] for one in found["widths"])
    more = json.loads(printed("--pilot", "relic", "--readers", "5", "--format", "json"))
    assert all(one["bound"] for one in more["widths"])
    assert [one["half"] for one in more["widths"]] == [found["widths"][at]["half"] for at in (0, 2)]
    fewer = json.loads(printed("--pilot", "relic", "--readers", "2", "--format", "json"))
    assert fewer["widths"][0]["half"] > found["widths"][0]["half"]
    assert not any(one["bound"] for one in fewer["widths"])


def test_pilots_of_spans_and_what_is_none(dora):
    study = marked(*[[(7, 9), (8, 10)], [(6, 9), (8, 9)]] * 10, by=dora)
    assert [one.slug for one, _ in pilot_of(study).measures] == ["observed_overlap", "lcs_overlap_kappa"]
    several = [[(7, 9)], [(3, 4), (8, 9)], [(7, 9)]], [[(8, 9)], [(8, 9)], [(6, 8)]]
    other = marked(*several * 6, by=dora, slug="several", task="spans")
    pilot = pilot_of(other)
    assert (pilot.answers, pilot.readers, pilot.n_items) == ("several_spans", 3, 12)
    found = json.loads(printed("--pilot", "several", "--format", "json"))
    line = {each.measure.slug: each.estimate for each in report(other).lines}
    for width in found["widths"]:
        assert width["value"] == pytest.approx(line[width["slug"]].value)
    assert [each["slug"] for each in found["widths"]] == ["observed_overlap", "unitising_alpha"]
    assert found["assumed"]["overlap"] == pytest.approx(100 * line["observed_overlap"].value, abs=0.01)
    assumed = json.loads(printed("--answers", "several_spans", "--marked", "1.5", "--format", "json"))
    assert [each["slug"] for each in assumed["widths"]] == ["observed_overlap", "unitising_alpha"]
    with pytest.raises(CommandError, match=r"--passage: 20 spans of 6\.86 words fill more than half"):
        printed("--answers", "several_spans", "--marked", "20")
    with pytest.raises(CommandError, match=r"--answers: .* has spans: plan these"):
        printed("--pilot", study.slug, "--answers", "choices")
    builders.study("empty", items=2)
    with pytest.raises(CommandError, match=r"--pilot: .* has no answers yet"):
        printed("--pilot", "empty")
    with pytest.raises(CommandError, match=r"--pilot: A pilot needs 10 items"):
        printed("--pilot", graded(["01", "11"], slug="grades").slug)


@pytest.mark.parametrize(
    "made",
    [
        lambda: relic(),
        lambda: marked(
            [[(7, 9)], [(3, 4), (8, 9)]], [[(8, 9)], [(7, 9)]], [[(1, 3)], [(1, 2)]], task="spans"
        ),
        lambda: marked([(7, 9), (8, 10)], [(6, 9), (8, 9)], [(5, 9), (5, 9)]),
        lambda: graded(["011", "221", "000", "122", "201"]),
        lambda: graded(["011", "221", "000", "122"], topics=["a", "a", "b", "c"]),
        lambda: answered(["rrw", "wps", "drp", "rrr", "ppw"]),
    ],
)
def test_first_measures_are_those_of_the_report_with_its_intervals(made):
    study = made()
    lines = report(study).lines
    kind = kind_of(study)
    for one in kind.primary(kind.read(study)):
        # Where all items have as many answers both are one.
        printed_as = one.measure.slug.removeprefix("generalised_")
        line = next(each.estimate for each in lines if each.measure.slug == printed_as)
        found = one.estimate(0)
        assert found.value is not None
        assert found[2:6] == line[2:6]


def test_grades_and_rubrics_are_planned_from_assumptions_and_from_a_pilot(dora):
    alpha, exact = plan(Assumptions(answers="grades", alpha=0.7, grades=4, lowest=60)).widths
    assert (alpha.slug, alpha.value, exact.slug) == ("ordinal_alpha", 0.7, "exact_agreement")
    assert alpha.needed == -(-(1.96**2) * 200 * (alpha.half / 1.96) ** 2 // 0.05**2)
    assert [one.slug for one in plan(Assumptions(answers="grades")).powers] == ["two_systems"]
    always, seldom = (plan(Assumptions(answers="rubric", asked=share)).widths for share in (100, 25))
    assert [one.half for one in seldom] == pytest.approx([2 * one.half for one in always])
    pilot = graded(["011", "221", "000"] * 5, slug="grades")
    found = json.loads(printed("--pilot", "grades", "--format", "json"))
    assert (found["assumed"]["answers"], found["assumed"]["grades"]) == ("grades", 4)
    told = pilot_of(pilot, 2).measures
    assert [one.slug for one, _ in told] == ["ordinal_alpha", "exact_agreement"]


def test_a_question_that_few_items_ask_needs_more_of_them():
    """With as many items as the pilot has, each question will be known as it is known in the pilot."""
    study = answered(["rrw", "wpp", "rpr", "wwr", "ddd", "ddr", "ddd", "drd"] * 5)
    pilot = pilot_of(study)
    found = {one.slug: one for one in plan(Assumptions(answers="rubric", items=40), pilot).widths}
    errors = {one.measure.slug: one.error() for one in kind_of(study).primary(kind_of(study).read(study))}
    assert {slug: one.half for slug, one in found.items()} == pytest.approx(
        {slug: 1.96 * errors[slug] for slug in found}, rel=1e-4
    )
    assert "On 50 % of the items" in found["quality-ordinal_alpha"].assumes
    assert "of the items" not in found["type-krippendorff_alpha"].assumes


def test_the_page_is_filled_in_by_a_study_and_by_a_pilot(as_user, dora):
    study = builders.study("fleet", items=4, by=dora)
    relic(by=dora)
    page = as_user(dora)
    alone = page.get("/plan/")
    assert alone.status_code == 200
    assert list(alone.context["form"].fields) == [
        "answers",
        *(name for name, one in ASKED.items() if one.of("choices")),
    ]
    assert "plan_study --answers choices --items 200" in alone.content.decode()
    found = page.get("/plan/", {"study": "fleet"}).context["found"].assumed
    assert (found.items, found.readers) == (4, study.overlap)
    assert page.get("/plan/", {"study": "fleet", "items": "90"}).context["found"].assumed.items == 90
    piloted = page.get("/plan/", {"pilot": "relic", "readers": "5"})
    assert "≤ " in piloted.content.decode()
    assert piloted.context["found"].pilot.slug == "relic"
    as_file = page.get("/plan/", {"items": "90", "format": "json"})
    assert json.loads(as_file.content)["assumed"]["items"] == 90
    spans = page.get("/plan/", {"answers": "spans"})
    assert spans.context["powers"] is None
    assert "LCS-overlap κ" in spans.content.decode()


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"kappa": "2"}, "kappa"),
        ({"kappa": ".1"}, "kappa"),
        ({"items": "many"}, "items"),
        ({"answers": "x"}, "answers"),
    ],
)
def test_a_number_that_cannot_be_is_said_beside_its_field(as_user, dora, asked, field):
    page = as_user(dora).get("/plan/", asked)
    assert page.status_code == 422
    assert page.context["form"].errors[field]


def test_foreign_studies_are_no_studies(as_user, dora, eve):
    relic()
    assert as_user(dora).get("/plan/", {"study": "relic"}).status_code == 404
    assert as_user(dora).get("/plan/", {"pilot": "relic"}).context["pilots"].errors["pilot"]
    assert as_user(eve).get("/plan/").status_code == 404
