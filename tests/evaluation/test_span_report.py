"""From the spans of a study to its report: the same rows, files and page as for choices."""

from __future__ import annotations

import csv
import io
import json

import pytest

from annotation.models import Assignment, Enrolment, Item, Judgment, Kind
from evaluation.report import formats
from evaluation.report.compute import report
from tests.evaluation.judged import NOW, judged
from tests.evaluation.marked import marked, row

pytestmark = pytest.mark.django_db
WORKED = [[(8, 10), (8, 10)], [(3, 13), (8, 18)]]  # statistics: O = 1 and 1/3


def value(study, slug):
    line = report(study).line(slug)
    return line.estimate.value if line else None


@pytest.fixture
def mixed(db):
    """Three readers; a span declined, borders not set, a broken item, an item all mark alike."""
    return marked(
        [(7, 12), (7, 12), (8, 12)],
        [(7, 9), (8, 9), "n"],
        [(7, 15), (5, 12), (8, 10)],
        ["u", (8, 12), "b"],
        [(8, 9), (8, 9), (8, 9)],
        gold=[(7, 12), None, (7, 12), "n"],
    )


def test_the_worked_case_gives_two_thirds_and_minus_seventeen_sixths():
    """[0, 2) twice and [0, 10) with [5, 15): the hand-worked case, round an anchor."""
    study = marked(*WORKED, names=["Ada", "Ben"])
    assert value(study, "observed_overlap") == pytest.approx(2 / 3)
    assert report(study).found.report.expected_overlap == pytest.approx(7 / 17)
    assert value(study, "lcs_overlap_kappa") == pytest.approx(13 / 30)
    assert value(study, "identical_pairs") == 0.5


def test_the_papers_names_come_first_and_in_that_order(mixed):
    labels = [line.measure.label for line in report(mixed).lines]
    assert labels[:6] == [
        "LCS-overlap κ", "O_o", "identical pairs", "span_alpha", "placement_kappa", "token_alpha",
    ]  # fmt: skip
    assert labels[6:] == [
        "identical to gold", "overlap with gold",
        "span or none: P_o", "span or none: α", "span or none: AC1",
    ]  # fmt: skip


def test_every_line_has_its_counts_and_only_what_chance_can_say(mixed):
    found = report(mixed)
    assert {line.measure.slug: line.chance for line in found.lines if line.chance is not None} == {
        "observed_overlap": pytest.approx(found.found.report.permuted.expected),
        "span_alpha": 0.0,
        "placement_kappa": 0.0,
        "token_alpha": 0.0,
        "presence_observed_agreement": 0.5,
        "presence_alpha": 0.0,
        "presence_ac1": 0.0,
    }
    assert found.line("observed_overlap").estimate.n_items == 4
    assert found.line("span_alpha").test.p == found.found.report.permuted.p
    assert found.line("placement_kappa").test is None


def test_declined_answers_have_their_own_agreement(mixed):
    found = report(mixed)
    assert (found.n_answers, found.found.n_none, found.n_undecided, found.n_broken) == (13, 1, 1, 1)
    presence = found.found.report.presence
    assert (presence.n_spans, presence.n_declined) == (12, 2)
    assert found.line("presence_observed_agreement").estimate.value == pytest.approx(
        (1 + 1 / 3 + 1 + 0 + 1) / 5
    )


def test_each_reader_has_spans_lengths_overlap_and_gold(mixed):
    whole = report(mixed)
    (ada, _, hal), spans = whole.readers, whole.found.annotators
    assert (spans[0].n_spans, spans[0].median_length, ada.n_undecided) == (4, 3.5, 1)
    assert (spans[2].n_spans, spans[2].n_declined, hal.n_broken) == (3, 1, 1)
    assert spans[0].overlap == pytest.approx((1 + 0.8 + 0.5 + 0.5 + 0.25 + 1 + 1) / 7, abs=0.05)
    assert (ada.n_with_gold, ada.n_correct, ada.accuracy) == (2, 1, 0.5)
    assert (hal.n_correct, hal.low) == (0, 0.0)


def test_boundary_offsets_name_the_two_readers(mixed):
    data = json.loads(formats.FORMATS["json"].render(report(mixed)))
    first = data["spans"]["boundary_offsets"][0]
    assert (first["first"], first["second"], first["n_items"]) == ("A", "B", 4)
    assert first["left"]["histogram"] == {"-2": 1, "0": 2, "1": 1}
    assert first["right"]["median"] == 0.0


def test_gold_that_is_no_span_is_counted_and_compared_with_nothing(mixed):
    found = report(mixed)
    assert found.found.n_gold_none == 1
    assert found.line("identical_to_gold").estimate.n_items == 2
    assert found.line("identical_to_gold").estimate.value == pytest.approx(2 / 6)


def test_without_gold_there_is_no_line_of_it_and_no_column(db):
    found = report(marked(*WORKED, names=["Ada", "Ben"]))
    assert found.line("identical_to_gold") is None
    assert "= gold" not in formats.FORMATS["table"].render(found)


def test_all_alike_is_undefined_with_the_reason_not_nan():
    found = report(marked(*[[(7, 10), (7, 10)]] * 3, names=["Ada", "Ben"]))
    paper = found.line("lcs_overlap_kappa").estimate
    assert paper.value is None
    assert paper.reason.startswith("Every pair of spans is identical")
    assert "NaN" not in formats.FORMATS["json"].render(found)


def test_without_anchor_spans_are_placed():
    found = report(marked(*WORKED, names=["Ada", "Ben"], anchor=None))
    assert found.line("span_alpha").estimate.value is None
    placed = found.found.report.placed
    assert placed.chance == "placed"
    assert placed.p is not None
    assert found.line("placement_kappa").test == (placed.p, placed.method)
    assert any(
        "No item has an anchor" in each for each in json.loads(formats.FORMATS["json"].render(found))["notes"]
    )


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ([(7, 9), ".", "."], "No item has two spans yet, so there is nothing to compare."),
        (["n", "n", "n"], "No item has two spans yet, so there is nothing to compare."),
    ],
)
def test_too_little_to_compare_is_said(said, sentence):
    found = report(marked(said))
    assert found.problem == ""
    assert sentence in formats.FORMATS["table"].render(found).replace("\n", " ")


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ([[".", ".", "."]], "Nobody has judged anything yet."),
        ([], "The study has no items yet."),
        ([["u", "b", "."]], "No answer was given yet: every judgment so far is “can’t decide” or “broken”."),
    ],
)
def test_a_study_without_answers_says_so(said, problem):
    assert report(marked(*said)).problem == problem


def test_an_answer_that_fits_no_item_is_named_not_counted():
    study = marked([(7, 9), (7, 9), "."])
    place = Assignment.objects.get(study=study, slot=3)
    row(place, Enrolment.objects.get(study=study, pseudonym="C"), (7, 99)).save()
    assert report(study).problem.startswith("The judgments do not fit the items: ")


def test_only_work_items_current_revisions_and_annotators_count(mixed):
    changed = Judgment.objects.get(assignment__item__number=2, annotator__pseudonym="C")
    row(changed.assignment, changed.annotator, (7, 9), revision=2).save()
    Item.objects.filter(study=mixed, number=5).update(kind=Kind.CHECK)
    found = report(mixed)
    assert (found.n_items, found.n_answers, found.found.n_none) == (4, 10, 0)


def test_the_same_queries_however_many_spans(django_assert_num_queries):
    for number, slug in ((1, "small"), (30, "large")):
        study = marked(*[[(7, 9), (8, 9), (7, 12)]] * number, slug=slug)
        with django_assert_num_queries(9):  # the last asks for machine readers, of which there are none
            report(study)


def test_the_same_judgments_give_the_same_report(mixed):
    assert formats.FORMATS["json"].render(report(mixed, now=NOW)) == formats.FORMATS["json"].render(
        report(mixed, now=NOW)
    )


def test_json_has_the_same_keys_for_every_kind_of_data(mixed):
    spans, choices = (
        json.loads(formats.FORMATS["json"].render(report(each))) for each in (mixed, judged(["ggg", "ggx"]))
    )
    assert list(spans) == list(choices)
    assert choices["spans"] is None
    assert {frozenset(each) for each in spans["measures"]} == {
        frozenset(each) for each in choices["measures"]
    }
    assert [set(each) for each in spans["annotators"]] == [set(each) for each in choices["annotators"]]
    assert spans["measures"][3]["chance"].startswith("Two different spans")
    assert 0 < spans["measures"][3]["p"] < 0.05


def test_csv_is_one_row_a_number(mixed):
    rows = list(csv.DictReader(io.StringIO(formats.FORMATS["csv"].render(report(mixed)))))
    assert len({(each["annotator"], each["number"]) for each in rows}) == len(rows)
    named = {(each["annotator"], each["number"]): each for each in rows}
    assert float(named["", "observed_overlap"]["value"]) == pytest.approx(0.7136, abs=1e-4)
    assert float(named["", "observed_overlap"]["p"]) < 0.05
    assert named["A", "n_spans"]["value"] == "4"
    assert named["A B", "left_median"]["n_items"] == "4"
    assert named["", "items_with_3_spans"]["value"] == "3"
    assert named["", "pairs_with_overlap_from_0.95"]["value"] == "4"


def test_plain_text_fits_a_page_and_says_what_chance_means(mixed):
    text = formats.FORMATS["table"].render(report(mixed))
    assert max(map(len, text.splitlines())) <= 100
    assert "What chance means:" in text
    assert "- span_alpha: Two different spans drawn from all on anchored items" in text
    assert "Spans per item: 1 on 1, 2 on 1, 3 on 3." in text
    assert "12 of these are spans, 1 say “no allusion”." in text.replace("\n", " ")
    assert "\nA, B         4" in text


def test_latex_has_p_and_chance_and_keeps_the_names(mixed):
    text = formats.FORMATS["latex"].render(report(mixed))
    assert text.isascii()
    assert r"span\_alpha & 0.453 &" in text
    assert "& $p$ of $O_o$ &" in text
    assert "What chance means." in text
    assert "options" not in text
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert {line.count("&") for line in rows} == {7}
