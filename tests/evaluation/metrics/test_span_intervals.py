"""Intervals and tests of spans: seeds, order, items left out one by one, and the permutation test."""

from itertools import permutations, product

import numpy as np
import pytest

from evaluation.metrics.common.intervals import BOOTSTRAP
from evaluation.metrics.common.jackknife import scale_of
from evaluation.metrics.spans import intervals
from evaluation.metrics.spans.chance import permutation
from evaluation.metrics.spans.chance.moments import permuted_moments
from evaluation.metrics.spans.chance.permutation import permutation_test, placement_test
from evaluation.metrics.spans.chance.shapes import shapes_of
from evaluation.metrics.spans.intervals import estimates, resampled
from evaluation.metrics.spans.item_sums import item_sums
from evaluation.metrics.spans.report import SPAN_MEASURES, span_report
from evaluation.metrics.spans.table import pairs_of, tabulate_spans
from tests.evaluation.metrics.slow_intervals import ends, student
from tests.evaluation.metrics.slow_spans import Study, jaccard
from tests.evaluation.metrics.spanned import simulated, spans, table_of


def lines(report):
    return [line.estimate for line in report.lines]


def test_the_seed_decides_and_neither_the_order_of_rows_nor_the_numbers_of_items_do():
    table, generator = simulated(70, seed=2), np.random.default_rng(0)
    order, renamed = generator.permutation(table.n_spans), generator.permutation(70)
    columns = [column[order] for column in table[:4]]
    anchors = table.anchor_start, table.anchor_end, table.length
    moved = [column[np.argsort(renamed)] for column in anchors]
    once = span_report(table, seed=5, draws=99)
    again = span_report(tabulate_spans(*columns, *anchors), seed=5, draws=99)
    other_names = tabulate_spans(renamed[columns[0]], *columns[1:], *moved)
    assert lines(once) == lines(again)
    assert (once.permuted, once.presence, once.counts) == (again.permuted, again.presence, again.counts)
    for one, other in zip(lines(once), lines(span_report(other_names, seed=5, draws=9)), strict=True):
        assert (one.value, one.low, one.high) == pytest.approx(
            (other.value, other.low, other.high), abs=1e-12
        )
    other, same = lines(span_report(table, seed=6, draws=9))[1], lines(once)[1]
    assert (other.low, other.bootstrap == same.bootstrap) == (same.low, False)


def test_blocks_of_resamples_are_the_same_draws(monkeypatch):
    items = item_sums(simulated(20, seed=1))
    whole = resampled(items, SPAN_MEASURES, seed=1, resamples=50)
    monkeypatch.setattr(intervals, "_CELLS_AT_ONCE", 100)
    assert resampled(items, SPAN_MEASURES, seed=1, resamples=50) == pytest.approx(whole, abs=1e-12)


@pytest.mark.parametrize("one", SPAN_MEASURES, ids=lambda one: one.slug)
def test_many_items_the_jackknife_says_what_the_bootstrap_says(one, monkeypatch):
    items = item_sums(simulated(600, seed=4))
    (found,) = estimates(items, [one], seed=1, resamples=1000)
    assert (found.method, found.bootstrap.method, found.resamples) == (scale_of(one), BOOTSTRAP, 1000)
    drawn = found.bootstrap
    width = drawn.high - drawn.low
    assert found.high - found.low == pytest.approx(width, rel=0.12)
    assert found.low == pytest.approx(drawn.low, abs=0.12 * width)
    monkeypatch.setattr(intervals, "MOST_CELLS", 0)
    assert estimates(items, [one], seed=1) == (found._replace(bootstrap=None, resamples=0),)


@pytest.mark.parametrize("one", SPAN_MEASURES, ids=lambda one: one.slug)
def test_the_interval_is_that_of_items_left_out_one_by_one(one):
    """By tables that lack an item, Student's t of scipy and the scale written out."""
    table = simulated(25, seed=4)
    value = one.value(item_sums(table))
    left_out = [one.value(item_sums(table.only(np.arange(25) != item))) for item in range(25)]
    reach = student(left_out)
    found = estimates(item_sums(table), [one], seed=1, resamples=0)[0]
    assert (found.low, found.high) == pytest.approx(ends(one, value, reach), abs=1e-9)


def test_equal_items_have_wilsons_interval_or_none():
    items = item_sums(spans(*[[(0, 2), (0, 4)]] * 3, anchor=(0, 1)))
    share, alpha = estimates(items, (SPAN_MEASURES[1], SPAN_MEASURES[3]), seed=1, resamples=0)
    assert share.method.startswith("Wilson")
    assert alpha.low is None
    assert "items do not differ" in alpha.reason


def _incomplete():
    """Annotator 0 on items 0-2, 1 on 0-3, 2 on 1 and 3: 3! 4! 2! = 288 shuffles."""
    rows = [
        (0, 0, 4, 6), (1, 0, 5, 6), (2, 0, 2, 9), (0, 1, 5, 7), (1, 1, 3, 6), (2, 1, 0, 9), (3, 1, 5, 9),
        (1, 2, 5, 6), (3, 2, 4, 8),
    ]  # fmt: skip
    return Study(rows, [(5, 6)] * 4, [10] * 4)


def _all_shuffles(study):
    """O_o of every shuffle within annotators, by sets of tokens (all anchors at one place)."""
    own = [[row for row in study.rows if row[1] == who] for who in range(3)]
    for orders in product(*(permutations([row[2:] for row in rows]) for rows in own)):
        placed = [
            (row[0], span)
            for rows, order in zip(own, orders, strict=True)
            for row, span in zip(rows, order, strict=True)
        ]
        yield np.mean(
            [
                float(jaccard(one[1], other[1]))
                for here, one in enumerate(placed)
                for other in placed[here + 1 :]
                if one[0] == other[0]
            ]
        )


class TestPermutation:
    def test_moments_are_those_of_all_shuffles(self):
        table = table_of(_incomplete())
        found = list(_all_shuffles(_incomplete()))
        assert len(found) == 288
        expected, deviation = permuted_moments(table, table.annotator, shapes_of(table))
        assert expected == pytest.approx(np.mean(found), abs=1e-12)
        assert deviation == pytest.approx(np.std(found), abs=1e-12)

    def test_draws_are_shuffles(self):
        table = table_of(_incomplete())
        found = np.array(list(_all_shuffles(_incomplete())))
        exact = (found >= pairs_of(table).overlap.mean() - 1e-9).mean()
        test = permutation_test(table, seed=1, draws=4999)
        assert test.p == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 4999))
        assert (test.method, test.draws, test.n_items, test.n_spans, test.n_pairs) == (
            "4,999 draws",
            4999,
            4,
            9,
            6,
        )

    def test_agreement_is_found(self):
        test = permutation_test(simulated(30, seed=1), seed=1, draws=999)
        assert test.p == 0.001
        assert test.observed > test.expected + 0.1

    def test_uniform_where_annotators_know_nothing_but_the_anchor(self):
        p = [permutation_test(simulated(12, seed, common=False), seed, draws=99).p for seed in range(200)]
        assert np.mean(p) == pytest.approx(0.505, abs=4 * 0.289 / np.sqrt(200))
        assert np.mean(np.array(p) <= 0.1) == pytest.approx(0.1, abs=4 * 0.3 / np.sqrt(200))

    @pytest.mark.parametrize("test", [permutation_test, placement_test])
    def test_the_normal_limit_is_that_of_the_draws(self, test, monkeypatch):
        """Data with a p in the middle: nothing common when permuted, and short spans anywhere when placed."""
        if test is permutation_test:
            table = simulated(250, 11, common=False)
        else:
            generator = np.random.default_rng(3)
            item, start = np.repeat(np.arange(250), 3), generator.integers(0, 15, 750)
            none = np.full(250, -1)
            table = tabulate_spans(item, np.tile(np.arange(3), 250), start, start + 5, none, none, none + 20)
        drawn = test(table, seed=1, draws=1999)
        monkeypatch.setattr(permutation, "MOST_CELLS", 0)
        limit = test(table, seed=1, draws=1999)
        assert 0.02 < drawn.p < 0.98
        assert limit.p == pytest.approx(drawn.p, abs=0.05)
        assert (limit.draws, limit.observed, limit.expected) == (0, drawn.observed, drawn.expected)
        assert limit.method.startswith("normal limit")

    def test_the_limit_is_never_below_what_draws_can_show(self, monkeypatch):
        monkeypatch.setattr(permutation, "MOST_CELLS", 0)
        assert permutation_test(simulated(200, seed=1), seed=1, draws=999).p == 0.001
        monkeypatch.setattr(permutation, "MOST_ANNOTATORS", 2)
        assert "3 annotators on 600 spans are too many" in permutation_test(simulated(200, seed=1), 1).reason

    def test_placed_spans_reach_the_exact_mean(self):
        table = simulated(40, seed=1, anchored=False)
        test = placement_test(table, seed=1, draws=400)
        drawn = permutation._placed(table, pairs_of(table), 1, 400, permutation._mean)
        assert drawn.mean() == pytest.approx(test.expected, abs=4 * drawn.std() / np.sqrt(400))
        assert (test.chance, test.p) == ("placed", 1 / 401)

    def test_nothing_to_test(self):
        anchored = simulated(5, seed=1)
        assert placement_test(anchored, 1).reason == "No item with two spans is without an anchor."
        assert permutation_test(spans([(0, 1)], anchor=(0, 1)), 1).p is None
