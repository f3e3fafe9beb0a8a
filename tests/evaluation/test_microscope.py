"""Every definition of agreement on the same answers."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import NamedTuple

import pytest
from django.urls import reverse

from annotation.models import OptionOrder, Study
from annotation.people import withdrawal
from common.pictures import page
from evaluation.kinds.nominal import definitions as choices
from evaluation.kinds.spans import definitions as spans
from evaluation.metrics.registry import ALL_MEASURES
from evaluation.microscope.compare import microscope
from evaluation.report.compute import report
from tests.evaluation.judged import judged, relic
from tests.evaluation.marked import marked

pytestmark = pytest.mark.django_db


class Shown(NamedTuple):
    value: str
    zero: str
    published: str
    reason: str


def seen(study):
    found = microscope(study).table
    names = [column.name for column in found.columns]
    shown = {}
    for row in found.rows:
        words = dict(zip(names, (cell.words for cell in row.cells), strict=True))
        shown[row.name] = Shown(words["value"], words.get("zero"), words["published"], row.about.reason)
    return shown


def test_relics_patterns_give_068_and_collapse_when_labelled_by_role():
    """.6825 by Randolph, .68 by Fleiss; 89 % right makes chance agreement by role .80, above P_o."""
    found = seen(relic())
    assert found["randolph_kappa"].value == "0.683"
    assert 0.67 < float(found["fleiss_kappa"].value) < 0.685
    assert found["fleiss_kappa_by_role"].value == "−0.082"
    assert found["randolph_kappa"].zero == "33.3 %"
    assert found["randolph_kappa"].published.startswith(".6825 ")
    assert found["fleiss_kappa"].published.startswith(".68 ")


def test_places_on_the_screen_bring_kappa_to_nothing_where_orders_are_drawn_anew():
    study = judged(["ggg"] * 60)  # each saw gold at another place
    assert seen(study)["fleiss_kappa_by_place"].value == "−0.500"
    same = judged(["ggg"] * 60, slug="same", order=[0, 1, 2])
    same.option_order = OptionOrder.CANONICAL
    assert seen(same)["fleiss_kappa_by_place"].value == seen(same)["fleiss_kappa"].value == "1.000"


def test_unequal_numbers_of_answers_have_their_definition_and_a_reason():
    found = seen(judged(["ggg", "gg.", "gxy", "ggx"] * 3))
    assert found["fleiss_kappa"].value == "—"
    assert found["fleiss_kappa"].reason.startswith("Items have 2 to 3 judgments")
    assert found["generalised_fleiss_kappa"].value != "—"


def test_a_label_and_its_words_that_would_overlap_stand_on_two_lines():
    picture = microscope(relic()).picture
    assert picture is not None
    placed = page.dots(picture).dots
    lines = {mark.label: mark.y_words - mark.y_label for mark in placed}
    assert lines["Fleiss κ"] == 0
    assert lines["Fleiss κ with roles as categories"] > 0
    below = [mark.y for mark in placed]
    assert all(one.y_words < one.y for one in placed)
    assert all(later.y_label > y for y, later in zip(below, placed[1:], strict=False))


def test_without_gold_there_is_no_role():
    found = seen(judged(["ggg", "ggx", "gxy"], gold=False))["fleiss_kappa_by_role"]
    assert (found.value, bool(found.reason)) == ("—", True)


def test_spans_have_the_papers_and_the_corrected_values_with_their_zero():
    study = marked([(8, 10), (8, 10)], [(3, 13), (8, 18)], names=["Ada", "Ben"])
    found = seen(study)
    assert (found["lcs_overlap_kappa"].value, found["lcs_overlap_kappa"].zero) == ("0.433", "41.2 %")
    assert found["lcs_overlap_kappa_by_item"].value == "0.433"
    assert found["lcs_overlap_kappa"].published.startswith(".22 ")
    assert found["observed_overlap"].published.startswith(".675 ")
    assert found["token_alpha"].zero == ""
    # Shapes (0, 2) twice, (5, 5) and (0, 10): O is 1, 1/5, 1/5, 1/5, 1/5 and 1/3 over the six pairs.
    assert found["span_alpha"].zero == "35.6 %"


def test_items_count_the_same_where_they_have_unequal_numbers_of_spans():
    """By pair O_o 3/4 and O_e 8/12, by item 5/6 and 4/(16/3)."""
    study = marked([(8, 10), (8, 10), "n"], [(8, 10), (8, 12), (8, 10)])
    found = seen(study)
    assert found["lcs_overlap_kappa"].value == "0.250"
    assert found["lcs_overlap_kappa_by_item"].value == "0.333"


def test_the_values_are_those_of_the_report():
    study = marked([(7, 12), (7, 12), (8, 12)], [(7, 9), (8, 9), (8, 10)], [(7, 15), (5, 12), (8, 10)])
    printed = {line.measure.slug: line.estimate for line in report(study).lines}
    for slug, one in seen(study).items():
        if slug in printed:
            assert one.value.rstrip(" %") in (
                f"{printed[slug].value:.3f}".replace("-", "−"), f"{100 * printed[slug].value:.1f}",
            )  # fmt: skip


def test_nothing_judged_yet_is_said():
    assert microscope(judged(["..."])).problem == "Nobody has judged anything yet."
    unknown = Study(task="riddle", slug="riddle", seed=1)
    assert microscope(unknown).problem.startswith("There is no task “riddle”.")


def test_everything_that_is_said_belongs_to_a_measure():
    variants = (choices.BY_ROLE, choices.BY_PLACE, spans.BY_ITEM)
    known = {one.slug for one in (*ALL_MEASURES, *variants)}
    assert set(choices.DIFFERS) | set(spans.DIFFERS) <= known
    assert set(choices.PUBLISHED) | set(spans.PUBLISHED) <= known


def test_the_page_shows_every_definition_to_its_researcher_only(dora, ada, as_user):
    marked([(7, 12), (7, 12), (8, 12)], [(7, 9), (8, 9), "n"], by=dora)
    url = "/results/sermon/microscope/"
    text = as_user(dora).get(url).content.decode()
    assert re.findall(r'<tr id="(\w+)">', text) == [
        "observed_overlap", "identical_pairs", "lcs_overlap_kappa", "lcs_overlap_kappa_by_item",
        "span_alpha", "placement_kappa", "token_alpha",
    ]  # fmt: skip
    assert "Manjavacas, Long and Kestemont 2019, section 4.2" in text
    assert as_user(ada).get(url).status_code == 404


def test_the_page_says_who_withdrew_and_when(dora, as_user):
    study = judged(["ggg", "gxu", "gbg"], by=dora, names=["Hal", "Ivo", "Kim"])
    withdrawal.erase(study.enrolments.get(pseudonym="C"), now=datetime(2026, 3, 1, 12, tzinfo=UTC))
    text = as_user(dora).get(reverse("evaluation:microscope", args=[study.slug])).text
    assert "Reader C withdrew on 1 March 2026: three judgments stand under the pseudonym" in text
