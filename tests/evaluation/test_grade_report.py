"""Grades from rows to pages, held to slow code and to published examples."""

from __future__ import annotations

import csv
import io
import json
import re
from itertools import combinations
from random import Random

import pytest
from django.urls import reverse

from evaluation.apparatus.entries import entries
from evaluation.kinds.columns import Unreadable
from evaluation.kinds.ordinal import grades
from evaluation.kinds.ordinal.tables import gold_table, reader_table
from evaluation.metrics.common import pairwise_kappa
from evaluation.microscope.compare import microscope
from evaluation.report import formats
from evaluation.report.compute import report
from evaluation.watch.snapshot import watch
from tests import builders, topics
from tests.evaluation.graded import SCALE, graded
from tests.evaluation.judged import NOW
from tests.evaluation.metrics.published import KRIPPENDORFF_2011
from tests.evaluation.metrics.slow_grades import exact_grades
from tests.evaluation.test_settled import decide

pytestmark = pytest.mark.django_db
VOTES = ["332", "300", "21u", "1b1", "0..", "023", "222"]
GOLD = "3.2102"


def judgments_of(votes):
    """(item, annotator, grade) rows of what is a grade."""
    return [
        (item, who, int(letter))
        for item, said in enumerate(votes)
        for who, letter in enumerate(said)
        if letter.isdigit()
    ]


def known(gold, votes):
    return [int(each) if each.isdigit() else -1 for each in gold.ljust(len(votes), ".")]


@pytest.mark.parametrize("seed", range(3))
def test_every_line_is_what_slow_code_says(seed):
    random = Random(seed)
    votes = ["".join(random.choice("0123ub.") for _ in range(3)) for _ in range(12)]
    gold = "".join(random.choice("0123.") for _ in votes)
    found = report(graded(votes, gold=gold), resamples=100)
    slow = exact_grades(judgments_of(votes), known(gold, votes), len(SCALE))
    assert {line.measure.slug for line in found.lines} == set(slow)
    for line in found.lines:
        assert line.estimate.value == pytest.approx(float(slow[line.measure.slug])), line.measure.slug


def test_every_number_has_its_interval_and_its_chance():
    found = report(graded(VOTES * 10, gold=f"{GOLD}." * 10))
    assert all(None not in (line.estimate.low, line.estimate.high) for line in found.lines)
    chance = {line.measure.slug: line.chance for line in found.lines}
    # Of gold 3 a guess among 0..3 is 1.5 away on average, of gold 0 too, of 1 and 2 it is 1.
    far = {3: 1.5, 0: 1.5, 1: 1.0, 2: 1.0}
    gold = known(GOLD, VOTES)
    guessed = [far[gold[item]] for item, _, _ in judgments_of(VOTES) if gold[item] >= 0]
    assert chance["absolute_difference"] == pytest.approx(sum(guessed) / len(guessed))
    assert (chance["exact_with_gold"], chance["exact_agreement"]) == (0.25, 0.25)
    assert chance["within_one_agreement"] == pytest.approx(10 / 16)
    assert chance["ordinal_alpha"] == chance["quadratic_kappa"] == 0


def test_krippendorffs_example_comes_out_as_published_on_the_microscope():
    """Section D and E of Krippendorff 2011: ordinal .815, interval .849."""
    votes = [
        "".join(str(value - 1) if value else "." for value in unit)
        for unit in zip(*KRIPPENDORFF_2011, strict=True)
    ]
    study = graded(votes, names="Ada Ben Hal Ivo".split(), grades=["a", "b", "c", "d", "e"])
    found = microscope(study, resamples=100).table
    names = [column.name for column in found.columns]
    assert "zero" not in names, "no definition of grades starts from a plain agreement"
    seen = {row.name: dict(zip(names, row.cells, strict=True)) for row in found.rows}
    for slug in ("ordinal_alpha", "interval_alpha"):
        assert seen[slug]["published"].words.startswith(f"{seen[slug]['value'].words.lstrip('0')} ")
    assert all(row.about.definition for row in found.rows)
    assert list(seen)[:2] == ["exact_agreement", "within_one_agreement"]


def test_confusion_pairs_and_readers_are_counted_by_hand():
    whole = report(graded(VOTES, gold=GOLD))
    found = json.loads(formats.FORMATS["json"].render(whole))
    rows = judgments_of(VOTES)
    gold = known(GOLD, VOTES)
    confusion = [[sum(gold[i] == k and g == m for i, _, g in rows) for m in range(4)] for k in range(4)]
    assert found["grades"]["gold_confusion"] == confusion
    assert [[each.value for each in row.cells[1:]] for row in gold_table(whole.found).rows] == confusion
    assert found["grades"]["labels"] == SCALE
    assert sum(map(sum, found["grades"]["coincidences"])) == pytest.approx(3 + 3 + 2 + 2 + 3 + 3)
    pairs = {(each["first"], each["second"]): each for each in found["grades"]["pairs_of_readers"]}
    assert set(pairs) == set(combinations("ABC", 2))
    # A and B both graded items 1, 2, 3, 6 and 7: 3-3, 3-0, 2-1, 0-2, 2-2.
    assert (pairs["A", "B"]["n_items"], pairs["A", "B"]["same_grade"]) == (5, 0.4)
    ada = found["annotators"][0]["grades"]
    # A against gold: 3-3, 2-2, 1-1, 0-0, 0-... by item.
    differences = [g - gold[i] for i, who, g in rows if who == 0 and gold[i] >= 0]
    assert ada["difference"]["value"] == pytest.approx(sum(differences) / len(differences))
    assert ada["absolute_difference"]["value"] == pytest.approx(sum(map(abs, differences)) / len(differences))
    assert ada["exact"]["value"] == found["annotators"][0]["accuracy"]


def test_few_common_items_are_said_to_say_little():
    found = formats.FORMATS["table"]
    said = "Below 10 common items κ is biased towards 0 and its interval too short"
    assert said in " ".join(found.render(report(graded(VOTES))).split())
    assert said not in " ".join(found.render(report(graded(VOTES * 4, slug="more"))).split())


def test_kappas_of_very_many_pairs_have_no_bootstrap_beside_their_intervals(monkeypatch):
    drawn = report(graded(VOTES * 2, gold=GOLD * 2))
    monkeypatch.setattr(pairwise_kappa, "MOST_RESAMPLED_CELLS", 1)
    found = report(graded(VOTES * 2, gold=GOLD * 2, slug="again"))
    for slug in ("quadratic_kappa", "linear_kappa", "cohen_kappa"):
        both, alone = (each.line(slug).estimate for each in (drawn, found))
        assert (both.bootstrap is None, alone.bootstrap, alone.resamples) == (False, None, 0)
        assert (alone.low, alone.high, alone.method) == (both.low, both.high, both.method)
        assert "root of 1" in alone.method


def test_csv_has_the_same_numbers_with_their_intervals():
    whole = report(graded(VOTES, gold=GOLD))
    rows = list(csv.DictReader(io.StringIO(formats.FORMATS["csv"].render(whole))))
    by = {(row["annotator"], row["number"]): row for row in rows}
    assert len(by) == len(rows)
    distance = whole.found.report.annotators[0].absolute_difference
    assert float(by["A", "absolute_difference_with_gold"]["value"]) == distance.value
    assert float(by["A", "absolute_difference_with_gold"]["high"]) == distance.high
    assert by["A B", "same_grade"]["n_items"] == "5"
    cells = {(gold, grade) for gold in range(4) for grade in range(4)}
    assert {(gold, grade): by["", f"gold_{gold}_graded_{grade}"]["value"] for gold, grade in cells} == {
        (gold, grade): str(whole.found.report.gold_confusion[gold][grade]) for gold, grade in cells
    }


def test_a_reader_who_graded_nothing_with_gold_has_no_row_against_it():
    whole = report(graded(["3..", "32."], gold="3."))
    assert [row.cells[0].words for row in reader_table(whole, whole.found).rows] == ["A"]


def test_summary_notes_and_tables_say_it_in_words():
    text = " ".join(formats.FORMATS["table"].render(report(graded(VOTES, gold=GOLD))).split())
    assert "The gold grade was given" in text
    assert "Two readers gave the same grade" in text
    assert f"0 “{SCALE[0]}”, 1 “{SCALE[1]}”, 2 “{SCALE[2]}” and 3 “{SCALE[3]}”" in text
    assert "How often each grade was given" in text
    latex = formats.FORMATS["latex"].render(report(graded(VOTES, slug="other", gold=GOLD)))
    assert "with 4 grades" in latex
    assert r"within $\pm$1" in latex


def test_a_greek_letter_keeps_its_case_at_the_head_of_a_column():
    """A capital κ looks like the Latin K and is another sign."""
    text = formats.FORMATS["markdown"].render(report(graded(VOTES, gold=GOLD)))
    assert "| Readers | Items | Same grade | κ | 95 % interval |" in text


def test_without_gold_or_pairs_the_sentences_say_so():
    alone = report(graded(["3..", "2.."]))
    assert "No item has two grades yet" in " ".join(alone.own.summary)
    assert alone.line("absolute_difference").estimate.reason == "No judged item has a gold grade."
    assert not [column for column in alone.own.columns if "gold" in column.heading]
    same = report(graded(["333", "333"], slug="same"))
    assert "is not defined here" in same.own.summary[-1]


def test_scales_of_other_words_keep_their_numbers_and_of_other_lengths_have_none():
    words = report(graded(["01.", "10."], grades=[["a", "b"], ["no", "yes"]]))
    assert words.line("exact_agreement").estimate.value == 0
    assert words.found.labels == ()
    assert any("Every item has 2 grades" in each for each in words.own.last_notes)
    lengths = graded(["01.", "10."], slug="lengths", grades=[["a", "b"], ["a", "b", "c"]])
    with pytest.raises(Unreadable):
        grades.read(lengths)
    assert report(lengths).problem.startswith("Items have scales of 2 to 3 grades (item 1: 2), and")


def test_the_words_of_grades_are_read_without_the_texts_of_items(monkeypatch):
    study = graded(["01.", "10."])
    seen = []
    of_task = type(study.task_type).category_labels
    monkeypatch.setattr(
        type(study.task_type), "category_labels", lambda task, part: seen.append(part) or of_task(task, part)
    )
    assert grades.labels_of(study, 2, 4) == tuple(SCALE)
    assert seen == [{"grades": SCALE}], "once, whatever the number of items"
    relevance = topics.study(topics=2, documents=2)
    scale = relevance.items.first().payload["scale"]
    assert grades.labels_of(relevance, 4, len(scale["grades"])) == tuple(
        grade["label"] for grade in scale["grades"]
    )


def test_words_of_very_many_items_are_not_read(monkeypatch, django_assert_num_queries):
    study = graded(["01.", "10."])
    monkeypatch.setattr(grades, "MOST_ITEMS", 1)
    with django_assert_num_queries(0):
        assert grades.labels_of(study, 2, 4) == ()
    assert grades.labels_of(study, 1, 4) == tuple(SCALE)


def test_decisions_take_the_place_of_gold():
    study = graded(VOTES, gold=GOLD)
    decide(study, 1, {"grade": 1})
    decide(study, 6, {"grade": 2})
    found = report(study).settled
    values = {line.measure.slug: line.estimate.value for line in found.lines}
    slow = exact_grades(judgments_of(VOTES), [1, -1, -1, -1, -1, 2, -1], 4)
    assert values == {slug: pytest.approx(float(slow[slug])) for slug in values}
    assert list(values) == ["absolute_difference", "difference", "exact_with_gold", "within_one_of_gold"]
    chance = {line.measure.slug: line.chance for line in found.lines}
    assert chance["exact_with_gold"] == 0.25


def test_what_is_compared_with_decisions_does_not_speak_of_gold():
    study = graded(VOTES, gold=GOLD)
    decide(study, 1, {"grade": 1})
    whole = json.loads(formats.FORMATS["json"].render(report(study)))
    for each in whole["settled"]["measures"]:
        words = each["label"] + each["definition"] + each["chance"]
        assert "decision" in words
        assert "gold" not in words
    assert "mean absolute difference from the decision" in formats.FORMATS["table"].render(report(study))
    nobody = graded(["33.", "..."], slug="unread")
    builders.enrolment(nobody, builders.person("Dora"), role="adjudicator", pseudonym="J2")
    decide(nobody, 2, {"grade": 1})
    reasons = {line.estimate.reason for line in report(nobody).settled.lines}
    assert reasons == {"No judged item has a decision."}


def test_a_number_of_a_reader_has_one_interval_on_the_page():
    whole = json.loads(formats.FORMATS["json"].render(report(graded(VOTES, gold=GOLD))))
    for each in whole["annotators"]:
        exact = each["grades"]["exact"]
        assert (exact["value"], exact["low"], exact["high"]) == (each["accuracy"], each["low"], each["high"])
        assert exact["method"] == each["grades"]["within_one"]["method"] == "Wilson score"
        assert each["grades"]["difference"]["method"] == "jackknife-t over items"


def test_of_two_grades_no_sentence_says_that_they_are_within_one():
    found = report(graded(["01.", "11.", "00."], gold="010", grades=["no", "yes"]))
    assert not re.search("±1|at most one grade", " ".join(found.own.summary))
    assert "±1" in " ".join(report(graded(VOTES, slug="four")).own.summary)


def test_the_live_page_has_nearness_by_reader_and_by_item():
    seen = watch(graded(VOTES, gold=GOLD), now=NOW)
    assert [each.label for each in seen.agreement] == ["Exact agreement", "Krippendorff α (ordinal)"]

    def near(one, other):
        return 1 - abs(int(one) - int(other)) / 3

    for who, row in enumerate(seen.readers):
        pairs = [
            near(said[who], other)
            for said in VOTES
            for place, other in enumerate(said)
            if place != who and said[who].isdigit() and other.isdigit()
        ]
        assert (row.n_pairs, row.with_others) == (len(pairs), f"{100 * sum(pairs) / len(pairs):.1f} %")
        own = [int(said[who]) for said in VOTES if said[who].isdigit()]
        assert [each.words for each in row.habits] == [f"{sum(own) / len(own):.2f}"]
    for each in seen.items:
        said = VOTES[each.number - 1].replace(".", "")
        pairs = list(combinations(said, 2))
        agreed = sum(near(one, other) for one, other in pairs if one.isdigit() and other.isdigit())
        assert each.apart == (pytest.approx(1 - agreed / len(pairs)) if pairs else None)


def test_readings_are_grades_with_their_words():
    found = list(entries(graded(["320", "u3b"], gold=".3")))
    first, second = found
    assert first.lemma.words == f"0: {SCALE[0]}"
    assert [each.words for each in first.others] == [f"2: {SCALE[2]}", f"3: {SCALE[3]}"]
    assert first.agreement == "0 of 3 pairs agree, 1 within one grade"
    assert second.lemma.sigla == ("gold", "B")
    assert [each.said for each in second.others] == ["can’t decide", "this item is broken"]
    assert second.agreement == ""


def test_the_microscope_does_not_say_that_definitions_differ_in_chance_alone(as_user):
    """Exact agreement and ±1, or linear and quadratic κ, differ in what they call near."""
    graded(VOTES, by=builders.researcher("Rhea"), gold=GOLD)
    page = as_user(builders.User.objects.get(username="rhea")).get(
        reverse("evaluation:microscope", args=["tides"])
    )
    assert "They differ in what each calls agreement and what it calls chance" in page.text


def test_the_results_page_has_tables_of_confusion_and_what_is_not_drawn(as_user):
    graded(VOTES, by=builders.researcher("Rhea"), gold=GOLD)
    page = as_user(builders.User.objects.get(username="rhea")).get(
        reverse("evaluation:results", args=["tides"])
    )
    for slug in ("confusion", "pairs", "gold-grades", "gold-readers"):
        assert f'id="{slug}"' in page.text
    assert "mean absolute difference from gold is a number of grades and not drawn" in page.text
    assert "what guessing among 4 grades gives" in page.text
    assert re.search(r'<th scope="row">3 It says it in full</th>', page.text)
