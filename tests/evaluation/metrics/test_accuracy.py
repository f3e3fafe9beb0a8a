"""Accuracy by small hand-counted cases, and per annotator."""

import pytest

from evaluation.metrics.nominal.accuracy import annotator_accuracy
from evaluation.metrics.nominal.table import patterns_from_counts, tabulate
from evaluation.metrics.registry import measure, report


@pytest.mark.parametrize(
    ("votes", "majority", "plurality"),
    [
        ([3, 0, 0], 1, 1),
        ([2, 1, 1], 0, 1),
        ([2, 2, 0], 0, 0),
        ([1, 1, 1], 0, 0),
        ([0, 3, 0], 0, 0),
        ([1, 0, 0], 1, 1),
    ],
)
def test_majority_is_more_than_half_and_plurality_the_only_mode(votes, majority, plurality):
    patterns = patterns_from_counts([votes], [0])
    assert measure("majority_accuracy").value(patterns) == majority
    assert measure("plurality_accuracy").value(patterns) == plurality


def test_items_without_gold_do_not_enter():
    patterns = patterns_from_counts([[2, 1], [0, 3]], [0, -1])
    line = report(patterns, seed=1)[0]
    assert (line.slug, line.value, line.n_items, line.n_judgments) == ("individual_accuracy", 2 / 3, 1, 3)


def test_plurality_is_reported_from_four_judgments_on():
    slugs = [line.slug for line in report(patterns_from_counts([[3, 1], [2, 2]], [0, 1]), seed=1)]
    assert slugs[:3] == ["individual_accuracy", "majority_accuracy", "plurality_accuracy"]
    slugs = [line.slug for line in report(patterns_from_counts([[2, 1], [1, 2]], [0, 1]), seed=1)]
    assert "plurality_accuracy" not in slugs


def test_per_annotator_with_wilson():
    """Ada 8 of 10 right, Ben (index 2) judged one item that has no gold; index 1 judged nothing."""
    choice = [0] * 8 + [1] * 2 + [1]
    table = tabulate([*range(10), 10], [0] * 10 + [2], choice, [0] * 10 + [-1], 2)
    ada, ben = annotator_accuracy(table)
    assert ada[:5] == (0, 10, 10, 8, 0.8)
    assert (ada.low, ada.high) == pytest.approx((0.4902, 0.9433), abs=0.0001)
    assert ben == (2, 1, 0, 0, None, None, None)


def test_per_annotator_without_judgments():
    assert annotator_accuracy(tabulate([], [], [], [0], 2)) == ()
