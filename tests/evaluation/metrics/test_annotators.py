"""Leaving one annotator out."""

from evaluation.metrics.nominal.leave_one_out import without_each
from evaluation.metrics.nominal.table import tabulate
from evaluation.metrics.registry import measure


def values_without(table, slug):
    return [(who, measure(slug).value(rest)) for who, rest in without_each(table)]


def test_the_one_who_dissents_is_seen():
    """Indices 0 and 2 always choose alike, 5 never does; 1, 3 and 4 judged nothing."""
    item, annotator = [0, 0, 0, 1, 1, 1], [0, 2, 5, 0, 2, 5]
    table = tabulate(item, annotator, [0, 0, 1, 2, 2, 0], [-1, -1], 3)
    assert values_without(table, "observed_agreement") == [(0, 0.0), (2, 0.0), (5, 1.0)]


def test_nothing_left_is_none():
    table = tabulate([0, 1], [0, 1], [0, 1], [0, 1], 2)
    assert values_without(table, "observed_agreement") == [(0, None), (1, None)]
    assert values_without(table, "individual_accuracy") == [(0, 1.0), (1, 1.0)]
    assert values_without(tabulate([], [], [], [0], 2), "all_agree") == []
