"""From the judgments of a study to its report."""

from __future__ import annotations

import pytest

from annotation.models import Assignment, Item, Judgment, Kind, OptionOrder, Role
from annotation.tasktypes.base import TaskType
from evaluation.kinds.registry import all_kinds
from evaluation.report.compute import code_version, report
from evaluation.report.formats import FORMATS
from evaluation.report.sentences import summary
from evaluation.values.wording import listed
from tests import builders
from tests.evaluation.judged import NOW, judged, relic, row

pytestmark = pytest.mark.django_db


def values(study, **options):
    return {line.measure.slug: line.estimate.value for line in report(study, **options).lines}


def test_the_relic_study_gives_the_printed_agreement():
    found = report(relic(), now=NOW)
    assert found.line("randolph_kappa").estimate.value == pytest.approx(0.6825)
    assert found.line("fleiss_kappa").estimate.value == pytest.approx(0.6825, abs=2e-3)
    assert found.line("all_agree").estimate.value == pytest.approx(0.685)
    assert found.line("none_agree").estimate.value == pytest.approx(0.005)
    low, high = found.line("randolph_kappa").estimate[3:5]
    assert (low, high) == (pytest.approx(0.615, abs=0.005), pytest.approx(0.75, abs=0.01))
    assert (found.n_items, found.n_judged, found.n_answers, found.n_options) == (200, 200, 600, 3)
    assert found.histogram == {3: 200}
    assert found.computed == NOW


def test_the_random_row_stands_beside_the_values():
    found = report(judged(["ggg", "ggx", "xxx", "gxy"]))
    chance = {line.measure.slug: line.chance for line in found.lines}
    assert chance["individual_accuracy"] == pytest.approx(1 / 3)
    assert chance["majority_accuracy"] == pytest.approx(7 / 27)
    assert chance["all_agree"] == pytest.approx(1 / 9)
    assert chance["none_agree"] == pytest.approx(2 / 9)
    assert chance["randolph_kappa"] == 0.0
    assert {line.measure.slug for line in found.lines if line.exact} == {
        "individual_accuracy",
        "majority_accuracy",
        "all_agree",
        "none_agree",
        "observed_agreement",
    }


def test_the_random_row_follows_the_number_of_answers_on_each_item():
    found = report(judged(["ggg", "gg.", "g..", "..."]))
    assert found.histogram == {0: 1, 1: 1, 2: 1, 3: 1}
    assert found.line("all_agree").chance == pytest.approx((1 / 9 + 1 / 3) / 2)
    assert found.line("majority_accuracy").chance == pytest.approx((7 / 27 + 1 / 9 + 1 / 3) / 3)


def test_declined_and_broken_are_counted_and_enter_no_number():
    plain = values(judged(["ggg", "gg.", "gx.", "ggy"], slug="plain"))
    found = report(judged(["ggg", "ggu", "gxb", "ggy"], slug="declined"))
    assert {line.measure.slug: line.estimate.value for line in found.lines} == plain
    assert (found.n_answers, found.n_undecided, found.n_broken) == (10, 1, 1)
    assert [(each.n_answers, each.n_undecided, each.n_broken) for each in found.readers] == [
        (4, 0, 0),
        (4, 0, 0),
        (2, 1, 1),
    ]


def test_each_annotator_has_accuracy_interval_and_median_time():
    found = report(judged(["ggg", "ggx", "gxy", "gg."]))
    a, b, c = found.readers
    assert (a.pseudonym, a.n_answers, a.n_correct, a.accuracy) == ("A", 4, 4, 1.0)
    assert (b.n_correct, b.accuracy, b.median_seconds) == (3, 0.75, 21.0)
    assert (c.n_answers, c.n_correct) == (3, 1)
    assert 0 < c.low < 1 / 3 < c.high < 1


def test_only_the_current_revision_counts():
    study = judged(["ggg", "ggx"])
    changed = Judgment.objects.get(assignment__item__number=2, annotator__pseudonym="C")
    row(changed.assignment, changed.annotator, "g", revision=2, seconds=60.0).save()
    found = report(study)
    assert found.n_answers == 6
    assert found.line("individual_accuracy").estimate.value == 1.0
    assert found.readers[2].median_seconds == 41.0


def test_an_answer_changed_to_undecided_is_no_answer_any_more():
    study = judged(["ggg", "ggx"])
    changed = Judgment.objects.get(assignment__item__number=2, annotator__pseudonym="C")
    row(changed.assignment, changed.annotator, "u", revision=2).save()
    found = report(study)
    assert (found.n_answers, found.n_undecided) == (5, 1)


def test_practice_items_and_adjudicators_enter_nothing(cleo):
    study = judged(["ggg", "ggx", "xxx"])
    Item.objects.filter(study=study, number=3).update(kind=Kind.PRACTICE)
    judge = builders.enrolment(study, cleo, role=Role.ADJUDICATOR, pseudonym="J1")
    fourth = Assignment.objects.create(
        study=study, item=study.items.get(number=2), slot=4, annotator=judge, status="done"
    )
    row(fourth, judge, "y").save()
    found = report(study)
    assert (found.n_items, found.n_answers) == (2, 6)
    assert [each.pseudonym for each in found.readers] == ["A", "B", "C"]


def test_the_same_judgments_and_seed_give_the_same_report():
    study = relic()
    assert report(study, now=NOW) == report(study, now=NOW)
    study.seed += 1
    assert report(study, now=NOW).lines != report(relic("again"), now=NOW).lines


def test_a_negative_seed_is_a_seed():
    study = judged(["ggg", "ggx", "gxy"])
    study.seed = -5
    found = report(study)
    assert found.seed == 2**64 - 5
    assert found.line("individual_accuracy").estimate.low is not None


def test_without_gold_there_is_agreement_and_no_accuracy():
    found = report(judged(["ggg", "ggx", "gxy"], gold=False))
    accuracy = found.line("individual_accuracy")
    assert (accuracy.estimate.value, accuracy.chance) == (None, None)
    assert accuracy.estimate.reason == "No judged item has a gold option."
    assert found.line("randolph_kappa").estimate.value is not None
    assert found.readers[0].accuracy is None


@pytest.mark.parametrize(
    ("votes", "problem"),
    [
        (["...", "..."], "Nobody has judged anything yet."),
        (["uu.", "b.."], "No answer was given yet: every judgment so far is “can’t decide” or “broken”."),
        ([], "The study has no items yet."),
    ],
)
def test_a_study_without_answers_says_so(votes, problem):
    found = report(judged(votes))
    assert found.problem == problem
    assert found.lines == ()
    assert [each.pseudonym for each in found.readers] == ["A", "B", "C"]


def test_items_that_offer_different_numbers_of_options_are_refused_in_one_sentence():
    study = judged(["ggg", "ggx", "ggg"])
    item = study.items.get(number=2)
    item.payload["options"].append("A fourth passage.")
    item.save()
    assert report(study).problem == (
        "Items offer 3 to 4 options (item 2: 4), and chance needs the same number on every item: build a "
        "study for each number."
    )


def test_a_task_whose_data_no_measure_takes_says_so(monkeypatch):
    study = judged(["ggg"])
    monkeypatch.setattr(TaskType.known["choice"], "measure", "colour")
    problem, known = report(study).problem, listed(list(all_kinds()))
    assert problem == f"The task “choice” yields colour data: measures exist for {known} data."
    assert "nominal, ordinal" in known


def test_an_unknown_task_says_so():
    study = judged(["ggg"])
    study.task = "riddle"
    assert report(study).problem.startswith("There is no task “riddle”.")


def test_answers_that_fit_no_option_are_named_not_counted():
    study = judged(["ggg", "gg."])
    free = Assignment.objects.get(study=study, item__number=2, slot=3)
    who = study.enrolments.get(pseudonym="C")
    odd = row(free, who, "g")
    odd.answer = {"option": 7}
    odd.save()
    assert report(study).problem.startswith(
        "The judgments do not fit the items: choice must be between 0 and 2"
    )


def gold_first(order, provenance):
    study = judged(["ggg", "ggx"] * 10)
    study.option_order = order
    for item in study.items.all():
        item.gold, item.provenance = {"option": 0}, provenance
        item.save()
    return study


@pytest.mark.parametrize("order", OptionOrder.values)
def test_gold_always_at_the_same_canonical_number_cautions_whatever_was_shown(order):
    """An own order for each reader does not turn roles into a shuffle: κ reads canonical numbers."""
    found = report(gold_first(order, {}))
    assert found.found.roles.startswith("Caution: gold stands at option 1, 2, … in 20, 0, 0 items")
    assert found.line("fleiss_kappa").estimate.value is not None
    assert found.line("fleiss_kappa").estimate.low is not None
    assert found.line("fleiss_kappa").estimate.reason == found.found.roles
    assert found.line("randolph_kappa").estimate.reason == ""
    assert found.found.roles in summary(found)[-1]
    for rendering in (FORMATS[name].render(found) for name in ("table", "markdown", "latex", "csv")):
        assert "not drawn here" in " ".join(rendering.split())


@pytest.mark.parametrize("provenance", [{"job": 7, "options": []}, {"drawn": True, "file_order": [2, 0, 1]}])
def test_an_order_that_was_drawn_here_is_a_shuffle_however_it_fell(provenance):
    """Once in a thousand seeds gold stands so unevenly by chance, and nothing is wrong with the study."""
    found = report(gold_first(OptionOrder.CANONICAL, provenance))
    assert found.found.roles == ""
    assert found.line("fleiss_kappa").estimate.value is not None
    assert found.line("fleiss_kappa").estimate.reason == ""
    assert [each.measure.slug for each in found.left_out] == [
        "individual_accuracy",
        "generalised_fleiss_kappa",
        "randolph_kappa",
    ]


def test_among_many_that_were_drawn_here_some_in_an_order_of_their_own_distort_nothing():
    study = judged(["ggg", "ggx"] * 40)
    for item in study.items.all():
        first = item.number <= 8
        item.gold, item.provenance = {"option": 0 if first else item.number % 3}, {} if first else {"job": 7}
        item.save()
    assert report(study).found.roles == ""


def test_position_bias_is_found_where_errors_stand_first():
    study = judged(["gxx"] * 30)
    fair = report(study).found.bias
    assert fair.p > 0.01
    wrong = Judgment.objects.filter(annotator__pseudonym__in="BC").select_related("assignment")
    for each in wrong:
        first = each.answer["option"]
        shown = row(each.assignment, each.annotator, "x", revision=2)
        shown.order = [first, *(other for other in range(3) if other != first)]
        shown.save()
    biased = report(study).found.bias
    assert biased.errors == (60, 0, 0)
    assert biased.p < 0.001


def test_position_bias_needs_ten_errors():
    assert report(judged(["ggx"] * 9 + ["ggg"] * 9)).found.bias is None


def test_position_in_one_order_for_everybody_is_tested_by_item():
    """Twelve errors on four items are four shuffles, not twelve: the same counts surprise less."""
    study = judged(["xxx"] * 4, order=[0, 1, 2])
    study.option_order = OptionOrder.CANONICAL
    shared = report(study).found.bias
    study.option_order = OptionOrder.PER_ANNOTATOR
    own = report(study).found.bias
    assert shared.errors == own.errors == (3, 3, 6)
    assert shared.p == 1.0
    more_even = 34650 + 6 * 27720  # ways to spread twelve errors as (4, 4, 4) or (3, 4, 5)
    assert own.p == pytest.approx(1 - more_even / 3**12, abs=0.02)


def test_each_reader_left_out_in_turn():
    found = {each.measure.slug: each for each in report(judged(["ggg", "ggx", "ggy", "ggg"])).left_out}
    accuracy = found["individual_accuracy"]
    assert (accuracy.high, accuracy.without_high) == (1.0, "C")
    assert (accuracy.low, accuracy.without_low) == (0.75, "A")
    assert report(judged(["g", "x"], slug="one", names=["Zoe"])).left_out == ()


def test_programs_are_named_by_enrolment_and_by_door():
    assert report(judged(["ggg"], simulated=True)).simulated == ("A", "B", "C")
    study = judged(["gg."], slug="door")
    free = Assignment.objects.get(study=study, slot=3)
    row(free, study.enrolments.get(pseudonym="C"), "g", channel="simulation").save()
    assert report(study).simulated == ("C",)


def test_the_same_queries_however_many_judgments(django_assert_num_queries):
    """Items, one payload, readers, judgments; decisions, who withdrew, what was replaced; machine readers."""
    small, large = judged(["ggg"], slug="small"), judged(["ggx"] * 60, slug="large")
    for study in (small, large):
        with django_assert_num_queries(8):
            report(study)


def test_code_version_names_the_release_and_the_measures():
    assert code_version().startswith("0.1.0+metrics.")
