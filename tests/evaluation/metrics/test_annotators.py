"""Leaving one annotator out."""

from evaluation.metrics.nominal.leave_one_out import leave_one_annotator_out
from evaluation.metrics.nominal.table import tabulate
from evaluation.metrics.registry import measure


def test_the_one_who_dissents_is_seen():
    """Indices 0 and 2 always choose alike, 5 never does; 1, 3 and 4 judged nothing."""
    item, annotator = [0, 0, 0, 1, 1, 1], [0, 2, 5, 0, 2, 5]
    table = tabulate(item, annotator, [0, 0, 1, 2, 2, 0], [-1, -1], 3)
    assert leave_one_annotator_out(table, measure("observed_agreement")) == ((0, 0.0), (2, 0.0), (5, 1.0))


def test_nothing_left_is_none():
    table = tabulate([0, 1], [0, 1], [0, 1], [0, 1], 2)
    assert leave_one_annotator_out(table, measure("observed_agreement")) == ((0, None), (1, None))
    assert leave_one_annotator_out(table, measure("individual_accuracy")) == ((0, 1.0), (1, 1.0))
    assert leave_one_annotator_out(tabulate([], [], [], [0], 2), measure("all_agree")) == ()
