"""Span measures: worked cases, rulings, and equality with an exact implementation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.metrics.registry import ALL_MEASURES, measure
from evaluation.metrics.spans.item_sums import item_sums
from evaluation.metrics.spans.report import SPAN_MEASURES, span_report
from evaluation.metrics.spans.table import pairs_of, tabulate_spans
from tests.evaluation.metrics.slow_spans import Study, exact_values
from tests.evaluation.metrics.spanned import simulated, spans, table_of


@st.composite
def studies(draw, most_items=5):
    """Anchored and unanchored items, gaps, unequal numbers of spans, rows in any order."""
    n_items, n_annotators = draw(st.integers(0, most_items)), draw(st.integers(1, 4))
    rows, anchors, lengths = [], [], []
    for item in range(n_items):
        length = draw(st.integers(1, 9))
        first = draw(st.integers(0, length - 1))
        anchor = (first, draw(st.integers(first + 1, min(length, first + 2))))
        anchor = anchor if draw(st.booleans()) else None
        lengths.append(length)
        anchors.append(anchor)
        for who in range(n_annotators):
            if draw(st.integers(0, 4)) == 0:
                continue
            start = draw(st.integers(0, anchor[0] if anchor else length - 1))
            rows.append((item, who, start, draw(st.integers(anchor[1] if anchor else start + 1, length))))
    return Study(draw(st.permutations(rows)), anchors, lengths)


def values(table, weighting="pair"):
    items = item_sums(table, weighting)
    return {one.slug: one.value(items) for one in SPAN_MEASURES}


@given(studies(), st.sampled_from(["pair", "item"]))
@settings(max_examples=150, deadline=None)
def test_every_measure_equals_the_exact_implementation(study, weighting):
    items, exact = item_sums(table_of(study), weighting), exact_values(study, weighting)
    assert set(exact) == {one.slug for one in ALL_MEASURES if one.data == "spans"}
    for one in SPAN_MEASURES:
        found = one.value(items)
        if exact[one.slug] is None:
            assert found is None, one.slug
            assert one.undefined(items), one.slug
        else:
            assert found == pytest.approx(float(exact[one.slug]), abs=1e-9), one.slug
            assert one.range[0] - 1e-9 <= found <= one.range[1] + 1e-9


@given(studies(), st.data())
@settings(max_examples=60, deadline=None)
def test_weights_are_copies_of_items_and_left_out_items_are_gone(study, data):
    """What bootstrap and jackknife weigh equals the value of a table with items more often or not."""
    items = item_sums(table_of(study))
    compared = sorted(study.by_item())
    often = data.draw(st.lists(st.integers(0, 3), min_size=len(compared), max_size=len(compared)))
    without = [one.of(items.without_each) for one in SPAN_MEASURES]
    cases = [(np.array(often, dtype=float), None)]
    cases += [(np.arange(len(compared)) != left, left) for left in range(len(compared))]
    for weights, left in cases:
        again = item_sums(table_of(_copies(study, compared, weights)))
        for one, leaving in zip(SPAN_MEASURES, without, strict=True):
            value = one.value(again)
            value = np.nan if value is None else value
            weighted = one.statistic(items, weights[None, :].astype(float))[0]
            assert weighted == pytest.approx(value, abs=1e-9, nan_ok=True), one.slug
            if left is not None:
                assert leaving[left] == pytest.approx(value, abs=1e-9, nan_ok=True), one.slug


def _copies(study, compared, weights):
    rows, anchors, lengths = [], [], []
    for item, times in zip(compared, weights, strict=True):
        for _ in range(int(times)):
            rows += [(len(lengths), *row[1:]) for row in study.rows if row[0] == item]
            anchors.append(study.anchors[item])
            lengths.append(study.lengths[item])
    return Study(rows, anchors, lengths)


@given(studies(most_items=8))
@settings(max_examples=60, deadline=None)
def test_the_papers_kappa_is_a_covariance(study):
    """κ = -Cov(U, O) / E[D] exactly: it says whether long spans overlap less, not how much they agree."""
    table = table_of(study)
    pairs = pairs_of(table)
    found = measure("lcs_overlap_kappa").value(item_sums(table))
    if found is not None:
        covariance = np.mean(pairs.union * pairs.overlap) - pairs.union.mean() * pairs.overlap.mean()
        assert found == pytest.approx(-covariance / np.mean(pairs.union - pairs.shared), abs=1e-9)


class TestWorkedCases:
    def test_two_items(self):
        table = spans([(0, 2), (0, 2)], [(0, 10), (5, 15)])
        found = values(table)
        assert found["observed_overlap"] == pytest.approx(2 / 3)
        assert span_report(table, seed=1, resamples=0, draws=9).expected_overlap == pytest.approx(7 / 17)
        assert found["lcs_overlap_kappa"] == pytest.approx(13 / 30)
        assert found["identical_pairs"] == 0.5

    def test_unbounded_below(self):
        """O = 1/3 of one token in three and O = 1 of ten: O_e = 11/13 and κ = (2/3 - 11/13) / (2/13)."""
        assert values(spans([(0, 2), (1, 3)], [(0, 10), (0, 10)]))["lcs_overlap_kappa"] == pytest.approx(
            -7 / 6
        )
        # A / U = 1/3 and 20/20: O_o = 2/3, O_e = 21/23, κ = (2/3 - 21/23) / (2/23) = -17/6.
        assert values(spans([(0, 2), (1, 3)], [(0, 20), (0, 20)]))["lcs_overlap_kappa"] == pytest.approx(
            -17 / 6
        )

    def test_overlap_that_does_not_depend_on_length_gives_nothing(self):
        found = values(spans([(0, 4), (0, 5)], [(0, 8), (0, 10)], [(0, 12), (3, 15)], [(0, 16), (0, 20)][:2]))
        assert found["observed_overlap"] == pytest.approx((0.8 + 0.8 + 9 / 15 + 0.8) / 4)
        equal = values(spans([(0, 4), (0, 5)], [(0, 8), (0, 10)], [(0, 16), (0, 20)]))
        assert equal["lcs_overlap_kappa"] == pytest.approx(0, abs=1e-12)

    def test_span_alpha_by_hand(self):
        """Shapes (0,1) and (0,2) on one item, (0,2) twice on the other. δ = 1/2 between the two shapes:
        D_o = 2 · 1/2 / 4 = 1/4, D_e = 2 · 3 · 1/2 / 12 = 1/4."""
        found = values(spans([(5, 6), (5, 7)], [(5, 7), (5, 7)], anchor=(5, 6)))
        assert found["span_alpha"] == pytest.approx(0, abs=1e-12)

    def test_placement_by_hand(self):
        """One token each in four: they meet in one of four placements, E = 1/4."""
        assert values(spans([(0, 1), (0, 1)], [(0, 1), (2, 3)], length=4))[
            "placement_kappa"
        ] == pytest.approx(1 / 3)

    def test_token_alpha_grows_with_the_passage(self):
        short, long = (values(spans([(5, 8), (5, 9)], length=length))["token_alpha"] for length in (12, 120))
        assert short < long

    def test_same_data_many_answers(self):
        """With boundary jitter the paper's statistic is near 0 where all companions see agreement."""
        found = values(simulated(2000, seed=3))
        assert 0.6 < found["observed_overlap"] < 0.75
        assert abs(found["lcs_overlap_kappa"]) < 0.25
        assert 0.3 < found["span_alpha"] < found["placement_kappa"] < found["token_alpha"]


class TestRulings:
    def test_unequal_numbers_weigh_pairs_or_items(self):
        """Item 0: one pair, O = 1. Item 1: three pairs, O = 1/2, 1/2, 1."""
        table = spans([(0, 2), (0, 2)], [(0, 2), (0, 2), (0, 4)])
        assert values(table)["observed_overlap"] == pytest.approx(3 / 4)
        assert values(table, "item")["observed_overlap"] == pytest.approx((1 + 2 / 3) / 2)
        assert values(table, "item")["lcs_overlap_kappa"] == pytest.approx(
            (5 / 6 - (2 + 2) / (2 + 10 / 3)) / (1 - (2 + 2) / (2 + 10 / 3))
        )
        same = simulated(30, seed=1)
        assert values(same) == pytest.approx(values(same, "item"))
        with pytest.raises(ValueError, match="weighting must be pair or item, not 'items'"):
            item_sums(table, "items")

    def test_one_span_only(self):
        report = span_report(spans([(0, 2)], [(0, 3)], anchor=(0, 1)), seed=1, draws=9)
        assert report.counts.n_alone == 2
        for line in report.lines:
            assert (line.estimate.value, line.estimate.low, line.test) == (None, None, None)
        assert {line.estimate.reason for line in report.lines} == {
            "No item has two spans.",
            "No item with two spans has an anchor: read placement_kappa.",
        }

    def test_lone_spans_change_nothing(self):
        with_lone = spans([(0, 4), (0, 5)], [(0, 9)], [(2, 8), (0, 10)], anchor=(3, 4))
        without = spans([(0, 4), (0, 5)], [(2, 8), (0, 10)], anchor=(3, 4))
        assert values(with_lone) == pytest.approx(values(without))

    def test_disjoint(self):
        found = values(spans([(0, 3), (10, 13)], [(5, 9), (20, 21)]))
        assert (found["observed_overlap"], found["lcs_overlap_kappa"]) == (0, 0)
        assert found["placement_kappa"] < 0
        assert found["token_alpha"] < 0

    def test_identical_everywhere_is_undefined_for_the_paper_and_one_for_the_others(self):
        report = span_report(spans([(0, 3)] * 3, [(0, 5)] * 3, anchor=(0, 1)), seed=1, draws=99)
        lines = {line.measure.slug: line.estimate for line in report.lines}
        assert lines["lcs_overlap_kappa"].value is None
        assert lines["lcs_overlap_kappa"].reason.startswith(
            "Every pair of spans is identical: O_o and O_e are"
        )
        for slug in ("span_alpha", "placement_kappa", "token_alpha"):
            assert lines[slug].value == pytest.approx(1)
            assert lines[slug].low is None
        assert (lines["observed_overlap"].value, lines["observed_overlap"].high) == (1, pytest.approx(1))
        assert lines["observed_overlap"].method.startswith("Wilson")
        assert report.expected_overlap == 1

    def test_no_variation(self):
        whole = span_report(spans([(0, 5), (0, 5)], length=5, anchor=(2, 3)), seed=1, draws=9)
        reasons = {line.measure.slug: line.estimate.reason for line in whole.lines if not line.estimate.value}
        assert reasons["span_alpha"].startswith("Every span reaches equally far round its anchor")
        assert reasons["placement_kappa"].startswith("Every span covers its whole passage")
        assert reasons["token_alpha"].startswith("Every token is inside every span")

    def test_anchors_of_mixed_studies(self):
        study = Study([(0, 0, 1, 3), (0, 1, 1, 4), (1, 0, 0, 9), (1, 1, 0, 8)], [(1, 2), None], [9, 9])
        lines = {line.measure.slug: line for line in span_report(table_of(study), seed=1, draws=99).lines}
        assert (lines["span_alpha"].estimate.n_items, lines["span_alpha"].estimate.n_judgments) == (1, 2)
        assert lines["placement_kappa"].estimate.n_items == 2
        assert lines["span_alpha"].test.chance == "permuted"
        assert lines["placement_kappa"].test.chance == "placed"
        assert lines["span_alpha"].test.n_items == lines["placement_kappa"].test.n_items == 1

    def test_nothing_at_all(self):
        report = span_report(tabulate_spans([], [], [], [], [], [], []), seed=1, draws=9)
        assert [line.estimate.value for line in report.lines] == [None] * 6
        assert (report.expected_overlap, report.overlap.mean, report.offsets) == (None, None, ())
