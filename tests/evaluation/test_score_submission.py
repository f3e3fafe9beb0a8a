"""RELiC's submission file scored: recall by length, and what cannot be scored."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from evaluation.ranking import submitted
from retrieval.engine.text import relic

SENTENCES = [f"Sentence {n}. " for n in range(150)]
QUOTES = {"a": [["Left."], 7, 1, []], "b": [["Left."], 9, 1, []], "c": [[], 30, 2, ["Right."]]}
CANDIDATES = {f"{size}_sentence": list(range(151 - size)) for size in range(1, 6)}


def key(**changes):
    book = {"sentences": SENTENCES, "quotes": QUOTES | changes, "candidates": CANDIDATES}
    return json.dumps({"the_quay": book})


def listing(*first):
    """A hundred starts, these first."""
    return [*first, *(start for start in range(148, 0, -1) if start not in first)][:100]


SUBMISSION = {"a": listing(7), "b": listing(1, 2, 3, 9), "c": listing(), "elsewhere": [1]}
"""Ranks 1, 4 and none: counted down from 148, start 30 is no more among the first hundred."""


def scored(submission=None, **changes):
    return submitted.score(submission or SUBMISSION, relic.parse(key(**changes), "key.json"), 200)


def recalls(one):
    return [round(each.mean.value, 4) for each in one.estimates]


def test_recall_at_each_k_over_all_and_by_length():
    whole, *lengths = scored()
    assert [(each.label, each.n_quotations) for each in (whole, *lengths)] == [
        ("all", 3), ("1 sentence", 2), ("2 sentences", 1)
    ]  # fmt: skip
    assert recalls(whole) == [0.3333, 0.3333, 0.6667, 0.6667, 0.6667, 0.6667]
    assert recalls(lengths[0]) == [0.5, 0.5, 1.0, 1.0, 1.0, 1.0]
    assert recalls(lengths[1]) == [0.0] * 6
    assert all(each.mean.low <= each.mean.value <= each.mean.high for each in whole.estimates)
    random = [each.random for each in lengths[1].estimates]
    assert random == pytest.approx([k / 149 for k in (1, 3, 5, 10, 50, 100)])


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"a": None}, "The submission says nothing of quotation 'a'"),
        ({"a": [7]}, "names 1 starts for quotation 'a', not 100"),
        ({"a": [150, *listing()]}, "The start 150 of quotation 'a' is not among the file's candidates"),
    ],
)
def test_a_submission_that_does_not_fit_is_refused(changed, says):
    wanted = {name: starts for name, starts in (SUBMISSION | changed).items() if starts is not None}
    with pytest.raises(ValueError, match=says):
        scored(wanted)


def test_a_file_that_hides_its_starts_scores_nothing():
    with pytest.raises(ValueError, match="hides the start of quotation 'a'; score with one that has them"):
        scored(a=[["Left."], None, 1, []])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[1]", "must be a JSON object"),
        ('{"a": [1], "a": [2]}', "quotation 'a': stands there twice"),
        ('{"a": [1, true]}', "quotation 'a': must have a list of whole numbers, none twice"),
        ('{"a": [1, 1]}', "quotation 'a': must have a list of whole numbers, none twice"),
        ("\xff", "must be a JSON object in UTF-8"),
    ],
)
def test_what_is_no_submission_is_refused(text, says):
    with pytest.raises(ValueError, match=f"s.json,? {says}"):
        submitted.read(text.encode("latin-1"), "s.json")


def test_the_command_prints_every_format(tmp_path):
    (tmp_path / "key.json").write_text(key())
    (tmp_path / "s.json").write_text(json.dumps(SUBMISSION))

    def said(form):
        out = StringIO()
        given = [str(tmp_path / "s.json"), f"--key={tmp_path / 'key.json'}", f"--format={form}"]
        call_command("score_submission", *given, "--resamples=200", stdout=out)
        return out.getvalue()

    assert "1 sentence" in said("table")
    assert "recall@100" in said("markdown")
    assert len(json.loads(said("json"))) == len(said("csv").splitlines()) - 1 == 18
    assert r"\begin{tabular}" in said("latex")
    (tmp_path / "s.json").write_text("{}")
    with pytest.raises(CommandError, match="says nothing of quotation 'a'"):
        said("table")
