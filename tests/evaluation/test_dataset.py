"""The paper's Table 1 and Figure 2 of a span study."""

from __future__ import annotations

import pytest

from evaluation.kinds.spans import dataset
from evaluation.report.compute import report
from tests.evaluation.marked import marked

pytestmark = pytest.mark.django_db


def rows(study):
    return {row.name: row for row in report(study).found.dataset.rows}


def test_spans_are_compared_with_their_reference_by_words():
    """“the tide asks no man twice” shares the, tide, no and man with a verse of nine words."""
    found = rows(marked([(7, 13), (8, 9), "n"], gold=[(8, 9)]))
    both = found["marked spans"]
    assert both.n == 2
    assert both.tokens.histogram == (0, 1, 0, 0, 1)
    assert both.tokens.jaccard.mean == pytest.approx((4 / 11 + 1 / 9) / 2)
    assert both.source_length.mean == 3.5
    assert both.reference_length == (9.0, 0.0)
    assert (found["anchors"].n, found["anchors"].source_length.mean) == (1, 1.0)
    assert found["gold spans"].tokens.histogram == (0, 1)


def test_lemmata_join_what_inflection_parts():
    found = rows(marked([(8, 10), (8, 10), "."]))["marked spans"]
    assert found.tokens.histogram == (0, 2)
    assert found.lemmata.histogram == (0, 0, 2)  # tide, and asks with asketh
    assert found.lemmata.jaccard.mean == pytest.approx(2 / 9)
    assert found.n_lemmata == 2


def test_without_lemmata_there_are_none():
    found = rows(marked([(8, 10), "n", "."], lemmas=False))["marked spans"]
    assert (found.lemmata, found.n_lemmata) == (None, 0)


def test_punctuation_is_no_word_and_case_makes_no_difference():
    found = rows(marked([(5, 14), "n", "."]))["marked spans"]  # ", for the tide asks no man twice,"
    assert found.source_length.mean == 7.0
    verse = rows(marked([(7, 9), "n", "."], slug="capitals", verse="THE TIDE, the tide!"))["marked spans"]
    assert verse.tokens.jaccard.mean == 1.0


def test_nothing_to_describe_is_said():
    found = report(marked(["n", "n", "."], anchor=None)).found.dataset
    assert (found.rows, found.reason) == ((), "No span was marked yet, and no item has an anchor.")


def test_too_many_items_are_left_out_and_it_is_said(monkeypatch):
    monkeypatch.setattr(dataset, "MOST_ITEMS", 1)
    found = report(marked([(8, 10), "n", "."], [(8, 10), "n", "."])).found.dataset
    assert found.rows == ()
    assert found.reason.startswith("Not computed: the texts of more than 1 items")
