"""The span table: what it keeps, drops and refuses; offsets, Figure 3, Table 1, declined answers."""

import numpy as np
import pytest

from evaluation.metrics.common.intervals import wilson
from evaluation.metrics.spans.offsets import boundary_offsets
from evaluation.metrics.spans.overlap import overlap_distribution
from evaluation.metrics.spans.presence import presence
from evaluation.metrics.spans.report import span_counts
from evaluation.metrics.spans.reuse import lexical_overlap
from evaluation.metrics.spans.table import pairs_of, tabulate_spans
from tests.evaluation.metrics.slow_spans import Study
from tests.evaluation.metrics.spanned import spans, table_of


class TestTable:
    def test_declined_answers_and_lone_spans_are_counted_and_enter_no_pair(self):
        study = Study([(0, 2, 1, 4), (0, 0, 1, 3), (1, 0, 0, 2)], [None] * 4, [9, 9, 9, 9])
        table = table_of(study, declined=[(1, 1), (2, 0), (0, 1)])
        assert table.annotator.tolist() == [0, 2, 0]
        counts = span_counts(table, pairs_of(table))
        assert (counts.n_spans, counts.n_declined, counts.n_alone, counts.n_without) == (3, 3, 1, 2)
        assert (counts.n_compared, counts.n_compared_spans, counts.n_pairs) == (1, 2, 1)
        assert counts.spans_per_item == {0: 2, 1: 1, 2: 1}
        assert counts.mean_length == 9
        assert sum(counts.spans_per_item.values()) == counts.n_items

    def test_pairs_of_unequal_numbers(self):
        pairs = pairs_of(spans([(0, 2), (0, 4)], [(0, 3)], [(0, 10), (5, 15), (20, 21)]))
        assert pairs.item.tolist() == [0, 2, 2, 2]
        assert pairs.shared.tolist() == [2, 5, 0, 0]
        assert pairs.union.tolist() == [4, 15, 11, 11]
        assert pairs.overlap.tolist() == [0.5, 5 / 15, 0, 0]

    def test_no_items(self):
        table = tabulate_spans([], [], [], [], [], [], [])
        assert (table.n_items, table.n_spans, len(pairs_of(table).item)) == (0, 0, 0)

    @pytest.mark.parametrize(
        ("span", "sentence"),
        [
            ((5, 5), r"The span \[5, 5\) of annotator 1 on item 0 must end after it starts"),
            ((6, 5), r"The span \[6, 5\) .* must end after it starts"),
            ((-2, 6), r"\[-2, 6\) .* must lie in a passage of 20 tokens\."),
            ((5, 21), r"\[5, 21\) .* must lie in a passage of 20 tokens\."),
            ((6, 9), r"\[6, 9\) .* must contain the anchor, \[5, 7\)\."),
        ],
    )
    def test_refused_spans(self, span, sentence):
        with pytest.raises(ValueError, match=sentence):
            tabulate_spans([0, 0], [0, 1], [4, span[0]], [8, span[1]], [5], [7], [20])

    @pytest.mark.parametrize("anchor", [(-1, 3), (3, -1), (4, 4), (19, 21), (-2, -2)])
    def test_refused_anchors(self, anchor):
        with pytest.raises(ValueError, match="anchor"):
            tabulate_spans([0], [0], [0], [20], [anchor[0]], [anchor[1]], [20])

    def test_refused_shapes_and_repeats(self):
        with pytest.raises(ValueError, match="annotator 3 has more than one judgment on item 0"):
            tabulate_spans([0, 0], [3, 3], [0, -1], [1, -1], [-1], [-1], [5], [False, True])
        with pytest.raises(ValueError, match="one entry per answer"):
            tabulate_spans([0], [0, 1], [0], [1], [-1], [-1], [5])
        with pytest.raises(ValueError, match="one entry per item"):
            tabulate_spans([0], [0], [0], [1], [-1], [-1, -1], [5])
        with pytest.raises(ValueError, match=r"start must hold whole numbers, but entry 0 is 0\.5"):
            tabulate_spans([0], [0], [0.5], [1], [-1], [-1], [5])
        with pytest.raises(ValueError, match="length must be at least 1"):
            tabulate_spans([0], [0], [0], [1], [-1], [-1], [0])


def test_boundary_offsets_per_pair_of_annotators():
    study = Study(
        [(0, 0, 5, 9), (0, 7, 3, 9), (1, 0, 5, 9), (1, 7, 5, 12), (2, 0, 4, 6), (2, 7, 5, 6), (2, 3, 1, 9)],
        [None] * 3,
        [20] * 3,
    )
    table = table_of(study)
    found = boundary_offsets(table, pairs_of(table))
    assert [(each.first, each.second, each.n_items) for each in found] == [(0, 3, 1), (0, 7, 3), (3, 7, 1)]
    left, right = found[1].left, found[1].right
    assert (left.values.tolist(), left.counts.tolist()) == ([-2, 0, 1], [1, 1, 1])
    assert (left.median, left.median_absolute, left.equal) == (0, 1, pytest.approx(1 / 3))
    assert (right.values.tolist(), right.counts.tolist()) == ([0, 3], [2, 1])
    assert (found[2].left.values.tolist(), found[2].right.values.tolist()) == ([4], [-3])
    nothing = spans([(0, 3)])
    assert boundary_offsets(nothing, pairs_of(nothing)) == ()


def test_overlap_histogram_and_cumulative_curve():
    table = spans([(0, 10), (0, 10)], [(0, 3), (0, 10)], [(0, 1), (5, 6)], [(0, 6), (0, 10)])
    found = overlap_distribution(pairs_of(table), bins=10)
    # .3 and .6 open their bins, and 1 is in the last one.
    assert np.flatnonzero(found.counts).tolist() == [0, 3, 6, 9]
    assert found.counts.sum() == found.n_pairs == 4
    assert found.values.tolist() == [0, 0.3, 0.6, 1]
    assert found.cumulative.tolist() == [0.25, 0.5, 0.75, 1]
    assert (found.mean, found.identical) == (pytest.approx(1.9 / 4), 0.25)
    nothing = overlap_distribution(pairs_of(spans([(0, 3)])))
    assert (len(nothing.values), nothing.counts.sum(), nothing.n_pairs, nothing.mean) == (0, 0, 0, None)


def test_lexical_overlap_of_table_1():
    """Spans "a b a", "c" and nothing; references "b d", "e" and "a"."""
    found = lexical_overlap([0, 0, 0, 1], [1, 2, 1, 3], [0, 0, 1, 2], [2, 4, 5, 1], 3)
    assert found.jaccard.tolist() == [pytest.approx(1 / 3), 0, 0]
    assert found.shared.tolist() == [1, 0, 0]
    assert found.histogram.tolist() == [2, 1]
    assert found.source_length == pytest.approx((4 / 3, np.std([3, 1, 0], ddof=1)))
    assert found.reference_length == pytest.approx((4 / 3, np.std([2, 1, 1], ddof=1)))
    assert found.jaccard_spread.mean == pytest.approx(1 / 9)
    assert lexical_overlap([], [], [], [], 0).jaccard_spread == (None, None)
    with pytest.raises(ValueError, match="reference_item must be between 0 and 0"):
        lexical_overlap([0], [1], [1], [1], 1)


class TestPresence:
    def test_alpha_of_span_or_none(self):
        """Ten items of two: 6 both mark, 2 both decline, 2 one of each. n = 20, 14 spans: D_e = 168/380."""
        study = Study(
            [(i, who, 0, 1) for i in range(8) for who in range(2 if i < 6 else 1)], [None] * 10, [5] * 10
        )
        declined = [(6, 1), (7, 1), (8, 0), (8, 1), (9, 0), (9, 1)]
        found = presence(table_of(study, declined), seed=1)
        observed, alpha, _ = found.estimates
        assert (found.n_spans, found.n_declined) == (14, 6)
        assert observed.value == pytest.approx(0.8)
        assert alpha.value == pytest.approx(1 - 0.2 / (168 / 380))
        assert alpha.low < alpha.value < alpha.high

    def test_nobody_declined(self):
        observed, alpha, _ = presence(spans([(0, 1), (0, 1)], [(0, 1), (0, 2)]), seed=1).estimates
        assert (observed.value, observed.low) == (1, pytest.approx(wilson(2, 2)[0]))
        assert (alpha.value, alpha.reason) == (
            None, "Nobody declined: without variation chance agreement is 1."
        )  # fmt: skip

    def test_no_answers(self):
        table = tabulate_spans([], [], [], [], [], [], [])
        assert [each.value for each in presence(table, seed=1).estimates] == [None] * 3
