"""One report in four forms: the same numbers, each form what its readers can use."""

from __future__ import annotations

import csv
import io
import json

import pytest

from common.tables.tex.letters import escaped
from evaluation.report import formats
from evaluation.report.compute import report
from evaluation.values.wording import counted, digits, listed, percent
from tests.evaluation.judged import NOW, judged, relic

pytestmark = pytest.mark.django_db

INDIVIDUAL = "[86.9, 91.4]"
"""137 items of three right answers, 62 of two and one of one: mean ± t(199) s / √200 on the logit scale."""
UNEVEN = ["ggg", "gux", "ggb", "..."]


def strict(text):
    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


def lines_of(text, start):
    return next(line for line in text.splitlines() if line.startswith(start))


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        (0.683, 3, "0.683"),
        (0.6825000000000001, 3, "0.683"),
        (0.6824999999999999, 3, "0.683"),
        (-0.1234, 3, "−0.123"),
        (-0.00001, 3, "0.000"),
        (1.0, 3, "1.000"),
        (-17 / 6, 2, "−2.83"),
        (1e-12, 3, "0.000"),
        (12345.678, 1, "12345.7"),
    ],
)
def test_digits_are_rounded_as_by_hand(value, places, text):
    assert digits(value, places) == text


def test_words_for_small_numbers():
    assert percent(0.8749999999) == "87.5"
    assert counted(1, "item", "items") == "one item"
    assert counted(0, "item", "items") == "no items"
    assert counted(1200, "item", "items") == "1,200 items"
    assert listed(["A", "B", "C"]) == "A, B and C"
    assert listed(["A"]) == "A"


def test_table_has_every_measure_aligned_in_at_most_100_columns():
    found = report(relic(), now=NOW)
    text = formats.FORMATS["table"].render(found)
    assert max(map(len, text.splitlines())) <= 100
    assert lines_of(text, "Randolph κ").split() == [
        "Randolph",
        "κ",
        "0.683",
        "[0.613,",
        "0.745]",
        "root-t",
        "0",
        "200",
        "600",
    ]
    assert f"89.3 %    {INDIVIDUAL}  logit-t  33.3 %    200      600" in text
    assert "Three readers judged 200 items and gave 600 answers." in text
    assert "seed 7" in text
    assert "2026-03-01 12:00 UTC" in text
    rows = [line for line in text.splitlines() if line.endswith("200      600")]
    assert len(rows) == len(found.lines)
    assert len({len(row) for row in rows}) == 1


def test_an_undefined_measure_is_a_dash_with_its_reason():
    text = formats.FORMATS["table"].render(report(judged(UNEVEN)))
    assert lines_of(text, "Fleiss κ").split()[2:4] == ["—", "(a)"]
    assert "(a) Fleiss κ: Items have 2 to 3 judgments and Fleiss (1971) needs" in text
    assert "1 × “can’t decide” and 1 × “this item is broken” are no answers" in text
    assert "One item has no answer yet and enters no number." in text
    assert "logit-t is Student’s t with the jackknife error over items, on the logit scale" in " ".join(
        text.split()
    )
    assert max(map(len, text.splitlines())) <= 100


def test_json_is_strict_and_has_the_same_keys_for_every_study():
    whole = strict(formats.FORMATS["json"].render(report(relic(), now=NOW)))
    empty = strict(formats.FORMATS["json"].render(report(judged(["..."]))))
    odd = strict(formats.FORMATS["json"].render(report(judged(UNEVEN, slug="odd"))))
    assert list(whole) == list(empty) == list(odd)
    assert (whole["seed"], whole["resamples"], whole["n_answers"]) == (7, 2000, 600)
    assert whole["computed"] == "2026-03-01T12:00:00+00:00"
    measures = {each["measure"]: each for each in whole["measures"]}
    assert measures["randolph_kappa"]["value"] == pytest.approx(0.6825)
    assert measures["randolph_kappa"]["definition"].startswith("Agreement above chance")
    assert measures["all_agree"]["random"] == pytest.approx(1 / 9)
    assert all(set(each) == set(measures["randolph_kappa"]) for each in odd["measures"])
    undefined = next(each for each in odd["measures"] if each["measure"] == "fleiss_kappa")
    assert undefined["value"] is None
    assert undefined["reason"].startswith("Items have 2 to 3 judgments")
    assert empty["problem"] == "Nobody has judged anything yet."
    assert empty["measures"] == []


def test_json_is_the_same_text_under_the_same_seed():
    study = relic()
    assert formats.FORMATS["json"].render(report(study, now=NOW)) == formats.FORMATS["json"].render(
        report(study, now=NOW)
    )


def test_csv_has_one_row_a_number():
    rows = list(csv.DictReader(io.StringIO(formats.FORMATS["csv"].render(report(relic())))))
    study = {row["number"]: row for row in rows if not row["annotator"]}
    assert float(study["randolph_kappa"]["value"]) == pytest.approx(0.6825)
    assert study["randolph_kappa"]["n_judgments"] == "600"
    assert study["n_answers"]["value"] == "600"
    assert study["items_with_3_answers"]["value"] == "200"
    readers = {row["annotator"]: row for row in rows if row["number"] == "accuracy"}
    assert {name: float(row["value"]) for name, row in readers.items()} == {"A": 1.0, "B": 0.995, "C": 0.685}
    assert len({(row["annotator"], row["number"]) for row in rows}) == len(rows)


def test_csv_of_nothing_says_why():
    rows = list(csv.DictReader(io.StringIO(formats.FORMATS["csv"].render(report(judged(["..."]))))))
    assert (
        next(row["reason"] for row in rows if row["number"] == "n_answers")
        == "Nobody has judged anything yet."
    )


def test_latex_is_a_booktabs_table_that_can_be_pasted():
    text = formats.FORMATS["latex"].render(report(relic()))
    assert r"Randolph $\kappa$ & 0.683 & [0.613, 0.745] & root-t & 0 & 200 & 600 \\" in text
    assert rf"Individual accuracy & 89.3\,\% & {INDIVIDUAL} & logit-t & 33.3\,\% & 200 & 600 \\" in text
    for line in (r"\toprule", r"\midrule", r"\bottomrule", r"\begin{tabular}{@{}", r"\label{tab:relic}"):
        assert line in text
    assert "600 answers of 3 readers to 200 items with 3 options" in text
    assert "root-t is Student's t with the jackknife error over items" in " ".join(text.split())
    for row in text.splitlines():
        if row.endswith(r"\\"):
            assert row.count("&") == 6


def test_latex_escapes_what_a_title_may_hold():
    study = judged(["ggg", "ggx"])
    study.title = "50 % & more_of {this} #1\n\\input{secret} $x$ ~^ κ < 1"
    text = formats.FORMATS["latex"].render(report(study))
    assert (
        r"50\,\% \& more\_of \{this\} \#1 \textbackslash{}input\{secret\} \$x\$ "
        r"\textasciitilde{}\textasciicircum{} $\kappa$ \textless{} 1"
    ) in text
    assert text.isascii()


def test_latex_prints_reasons_as_footnotes():
    text = formats.FORMATS["latex"].render(report(judged(UNEVEN)))
    assert r"Fleiss $\kappa$ & ---$^{a}$ &" in text
    assert r"$^{a}$~Items have 2 to 3 judgments" in text


def test_latex_of_nothing_is_a_comment_on_one_line():
    study = judged(["..."])
    study.title = "A\nnew line"
    assert formats.FORMATS["latex"].render(report(study)) == "% A new line: Nobody has judged anything yet.\n"


def test_escaped_leaves_words_alone():
    assert escaped("Brontë’s “Jane Eyre”") == "Brontë's ``Jane Eyre''"


def test_every_form_says_that_readers_were_programs():
    found = report(judged(["ggg", "ggx", "gxy"], simulated=True))
    written = {name: each.render(found) for name, each in formats.FORMATS.items()}
    rows = csv.DictReader(io.StringIO(written.pop("csv")))
    assert {row["simulated_readers"] for row in rows} == {"A B C"}
    for name, text in written.items():
        said = " ".join(text.lower().split())
        assert "simulated readers: a, b and c are programs, not people" in said, name


def test_no_form_mentions_programs_where_all_were_people():
    found = report(judged(["ggg", "ggx", "gxy"]))
    assert [n for n, each in formats.FORMATS.items() if "program" in each.render(found).lower()] == []


def test_equal_items_get_wilson_and_say_so():
    text = formats.FORMATS["table"].render(report(judged(["ggg"] * 20)))
    assert "Items do not differ in individual accuracy" in text
    assert lines_of(text, "individual accuracy").split()[2:6] == ["100.0", "%", "[83.9,", "100.0]"]
