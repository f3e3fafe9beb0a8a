"""Spans against gold, and each annotator's spans against the others'."""

import numpy as np
import pytest

from evaluation.metrics.spans.annotators import annotator_spans, spans_without_each
from evaluation.metrics.spans.gold import gold_estimates, gold_sums
from evaluation.metrics.spans.overlap import OBSERVED_OVERLAP
from evaluation.metrics.spans.table import pairs_of
from tests.evaluation.metrics.slow_spans import Study
from tests.evaluation.metrics.spanned import simulated, spans, table_of


def of(table, gold):
    start, end = zip(*gold, strict=True)
    return {each.slug: each for each in gold_estimates(gold_sums(table, start, end), seed=1)}


def test_identical_and_overlap_are_over_single_spans():
    found = of(spans([(0, 4), (0, 2)], [(5, 6)]), [(0, 4), (5, 6)])
    assert found["identical_to_gold"].value == pytest.approx(2 / 3)
    assert found["overlap_with_gold"].value == pytest.approx((1 + 0.5 + 1) / 3)
    assert found["overlap_with_gold"].n_items == 2
    assert found["overlap_with_gold"].n_judgments == 3


def test_items_without_a_gold_span_and_declined_answers_enter_nothing():
    study = Study([(0, 0, 0, 4), (1, 0, 0, 4)], [None, None], [10, 10])
    found = of(table_of(study, declined=[(0, 1)]), [(0, 4), (-1, -1)])
    assert (found["identical_to_gold"].value, found["identical_to_gold"].n_judgments) == (1.0, 1)


def test_without_gold_the_reason_is_given():
    found = of(spans([(0, 4), (0, 2)]), [(-1, -1)])["identical_to_gold"]
    assert found.value is None
    assert found.reason == "No item with a span has a gold span."


def test_where_every_item_says_the_same_the_interval_is_wilsons():
    found = of(spans(*[[(0, 4)]] * 20), [(0, 4)] * 20)["identical_to_gold"]
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low == pytest.approx(20 / (20 + 1.959964**2), abs=1e-6)
    assert found.method.startswith("Wilson")


def test_the_order_of_answers_and_items_changes_nothing():
    table = simulated(30, seed=3)
    gold = table.anchor_start - 2, table.anchor_end + 3
    turned = np.arange(30)[::-1]
    other = table._replace(item=29 - table.item, length=table.length[turned])
    assert gold_estimates(gold_sums(table, *gold), 1) == gold_estimates(
        gold_sums(other, gold[0][turned], gold[1][turned]), 1
    )


def test_gold_of_another_length_is_refused():
    with pytest.raises(ValueError, match=r"one entry per item \(1\), but have 2 and 2"):
        gold_sums(spans([(0, 1)]), [0, 0], [1, 1])


def test_each_annotator_against_the_others_agrees_with_a_loop():
    table = simulated(25, seed=5)
    for each in annotator_spans(table, pairs_of(table)):
        own, found = table.annotator == each.annotator, []
        for item, start, end in zip(table.item[own], table.start[own], table.end[own], strict=True):
            for other in np.flatnonzero((table.item == item) & ~own):
                shared = max(0, min(end, table.end[other]) - max(start, table.start[other]))
                found.append(shared / (end - start + table.end[other] - table.start[other] - shared))
        assert each.n_pairs == len(found) == 50
        assert each.overlap == pytest.approx(np.mean(found))
        assert each.identical == pytest.approx(np.mean(np.array(found) == 1))
        assert each.median_length == np.median((table.end - table.start)[own])


def test_an_annotator_who_only_declined_has_counts_and_no_overlap():
    study = Study([(0, 0, 0, 4), (0, 1, 0, 4)], [None], [10])
    table = table_of(study, declined=[(0, 2)])
    last = annotator_spans(table, pairs_of(table))[-1]
    assert (last.annotator, last.n_spans, last.n_declined) == (2, 0, 1)
    assert (last.median_length, last.overlap, last.identical) == (None, None, None)


def test_leaving_one_out_is_the_value_of_the_rest():
    table = spans([(0, 4), (0, 2), (0, 4)])
    left_out = spans_without_each(table, OBSERVED_OVERLAP)
    assert [each.value for each in left_out] == [0.5, 1.0, 0.5]
