"""Items with unequal numbers of readings: what a majority is, and no item decides a number unsaid."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from common.errors import BadInput
from evaluation.report import formats
from evaluation.report.compute import report
from tests.evaluation.judged import NOW, judged
from tests.evaluation.marked import marked

pytestmark = pytest.mark.django_db
FOUR = ("Ada", "Bea", "Cid", "Dot")


def test_a_majority_says_how_many_readers_and_ties_stand_behind_it():
    """Of four wanted: items with 4, 4, 3, 2 and 1 answers; ggxx and gx are ties, xyx has a majority."""
    found = report(judged(["gggx", "ggxx", "xyx.", "gx..", "g..."], names=FOUR), now=NOW)
    assert found.line("majority_accuracy").estimate.value == 2 / 5
    assert (
        "3 of these 5 items were judged by fewer than 4 readers (answers: 1 on 1, 2 on 1, 3 on 1); "
        "on two items no option has more than half of the answers, as in a tie: that counts as wrong."
    ) in " ".join(found.own.summary)
    whole = json.loads(formats.FORMATS["json"].render(found))
    assert whole["majority"] == {
        "wanted": 4,
        "n_items": 5,
        "items_with_fewer_answers": {"1": 1, "2": 1, "3": 1},
        "n_without_majority": 2,
    }


def test_a_full_study_without_ties_says_nothing_of_them():
    text = " ".join(report(judged(["ggg", "ggx", "xxg"]), now=NOW).own.summary)
    assert "fewer than" not in text
    assert "no option" not in text


def test_an_item_with_much_of_all_answers_is_named():
    found = report(judged(["gggx", "g...", "x...", "g..."], names=FOUR), now=NOW)
    named = "Item 1 has 57.1 % of all answers, where an equal part would be 25.0 %"
    assert any(named in note for note in found.own.last_notes)
    full = report(judged(["gg", "gx"], names=FOUR[:2], slug="full"))
    assert not any("equal part" in note for note in full.own.last_notes)


def crowded(**fields):
    """Four spans on the first item (six pairs, O = 1/2 each by halves), two on each of the others (O = 1)."""
    first = [(0, 8), (0, 8), (0, 4), (0, 4)]
    others = [[(2, 6), (2, 6), ".", "."]] * 3
    return marked(first, *others, names=FOUR, anchor=None, **fields)


def test_a_crowded_item_is_named_and_can_count_as_one():
    """Pairs: (2 x 1 + 4 x 1/2 + 3 x 1) / 9 = 7/9; items: (2/3 + 3) / 4 = 11/12."""
    study = crowded()
    by_pair, by_item = report(study, now=NOW), report(study, weighting="item", now=NOW)
    assert by_pair.line("observed_overlap").estimate.value == pytest.approx(7 / 9)
    assert by_item.line("observed_overlap").estimate.value == pytest.approx(11 / 12)
    named = "Item 1 has 66.7 % of all pairs of spans, where an equal part would be 25.0 %"
    pairs, items = (" ".join(each.own.notes_on_answers) for each in (by_pair, by_item))
    assert (named in pairs, named in items) == (True, False)
    assert "--weighting item" in pairs
    assert "Every item counts the same in O_o" in items


def test_command_page_and_files_weigh_alike(dora, as_user):
    study = crowded(by=dora)
    printed = StringIO()
    call_command("report", study.slug, "--format", "json", "--weighting", "item", stdout=printed)
    page = reverse("evaluation:results", args=[study.slug])
    shown = as_user(dora).get(page, {"weighting": "item", "format": "json"}).json()
    for whole in (json.loads(printed.getvalue()), shown):
        measures = {each["measure"]: each["value"] for each in whole["measures"]}
        assert measures["observed_overlap"] == pytest.approx(11 / 12)
        assert whole["weighting"] == whole["spans"]["weighting"] == "item"
    text = as_user(dora).get(page, {"weighting": "item"}).content.decode()
    assert '<strong aria-current="true">every item counts the same</strong>' in text
    assert '<a href="?weighting=pair#numbers">' in text
    assert "?format=json&amp;weighting=item" in text
    assert "--weighting item" in formats.command(report(study, weighting="item"))
    assert "--weighting" not in formats.command(report(study))


def test_a_weighting_that_there_is_not_is_refused_in_a_sentence(dora, as_user):
    study, choices = crowded(by=dora), judged(["ggg"], slug="choices")
    with pytest.raises(CommandError, match=r"^--weighting must be pair or item, not 'reader'\.$"):
        call_command("report", study.slug, "--weighting", "reader")
    with pytest.raises(BadInput, match="weighting is for other data"):
        report(choices, weighting="item")
    page = reverse("evaluation:results", args=[study.slug])
    assert as_user(dora).get(page, {"weighting": "reader"}).status_code == 400
