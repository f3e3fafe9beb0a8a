"""manage.py report"""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from evaluation.kinds.registry import all_kinds
from evaluation.management.commands.report import weightings
from tests import builders
from tests.evaluation.judged import judged, relic

pytestmark = pytest.mark.django_db


def run(*args):
    out = StringIO()
    call_command("report", *args, stdout=out, stderr=StringIO())
    return out.getvalue()


def test_the_relic_patterns_give_randolph_6825():
    relic()
    measures = {each["measure"]: each for each in json.loads(run("relic", "--format", "json"))["measures"]}
    assert round(measures["randolph_kappa"]["value"], 4) == 0.6825
    assert measures["randolph_kappa"]["low"] == pytest.approx(0.615, abs=0.005)
    assert "Randolph κ" in run("relic")


@pytest.mark.parametrize(
    ("form", "start"),
    [
        ("table", "Boats"),
        ("json", "{"),
        ("csv", "study,"),
        ("latex", "% \\usepackage"),
        ("markdown", "# Boats"),
    ],
)
def test_every_format(form, start):
    judged(["ggg", "ggx", "gxy"])
    assert run("fleet", "--format", form).startswith(start)


def test_output_goes_to_a_file(tmp_path):
    judged(["ggg", "ggx", "gxy"])
    path = tmp_path / "fleet.csv"
    assert run("fleet", "--format", "csv", "--output", str(path)) == ""
    assert path.read_text(encoding="utf-8").startswith("study,annotator,number")


def test_output_that_cannot_be_written_is_one_sentence(tmp_path):
    judged(["ggg"])
    with pytest.raises(CommandError, match=r"nowhere/x.csv cannot be written: No such file or directory."):
        run("fleet", "--output", str(tmp_path / "nowhere" / "x.csv"))


def test_resamples_are_used_and_printed():
    judged(["ggg", "ggx", "gxy"])
    data = json.loads(run("fleet", "--format", "json", "--resamples", "500"))
    assert data["resamples"] == 500
    assert data["measures"][0]["resamples"] == 500


@pytest.mark.parametrize("number", ["0", "99", "100001", "many", "1e3", "-5"])
def test_resamples_out_of_range(number):
    judged(["ggg"])
    with pytest.raises(CommandError, match="resamples"):
        run("fleet", f"--resamples={number}")


def test_unknown_study_lists_the_known_ones():
    builders.study("whale", items=0)
    builders.study("anchor", items=0)
    with pytest.raises(CommandError) as caught:
        run("shark")
    assert str(caught.value) == "There is no study “shark”. There are: anchor, whale."


def test_unknown_study_where_there_is_none():
    with pytest.raises(CommandError, match=r"There is no study “shark”: there is none yet\."):
        run("shark")


def test_a_study_without_judgments_prints_why():
    judged(["..."])
    text = run("fleet")
    assert "Nobody has judged anything yet." in text
    assert "reader  answers" in text


def test_the_help_says_how_items_can_weigh_as_the_kinds_say_it():
    for name, kind in all_kinds().items():
        for way, says in kind.weightings.items():
            assert f"{way}, {says}" in weightings(), name
