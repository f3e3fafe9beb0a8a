"""Several spans in one answer: the table, α for unitising and overlap, held to slow definitions."""

from itertools import pairwise

import numpy as np
import pytest

from evaluation.metrics.common.jackknife import scale_of
from evaluation.metrics.spans.annotators import annotator_spans
from evaluation.metrics.spans.gold import gold_estimates, gold_sums
from evaluation.metrics.spans.intervals import estimates
from evaluation.metrics.spans.item_sums import item_sums
from evaluation.metrics.spans.overlap import OBSERVED_OVERLAP
from evaluation.metrics.spans.table import pairs_of
from evaluation.metrics.spans.token_alpha import TOKEN_ALPHA
from evaluation.metrics.spans.units.alpha import UNITISING_ALPHA
from evaluation.metrics.spans.units.report import (
    UNIT_MEASURES,
    gold_unit_sums,
    unit_report,
    units_without_each,
)
from evaluation.metrics.spans.units.table import tabulate_units, unit_pairs, unit_sums
from tests.evaluation.metrics.slow_spans import exact_unit_values
from tests.evaluation.metrics.spanned import simulated


def table_of(items, lengths):
    """One list of answers an item, each a tuple of spans, annotators 0, 1, ...; () is declined."""
    rows = [(item, who, each) for item, answers in enumerate(items) for who, each in enumerate(answers)]
    spans = [span for *_, each in rows for span in each]
    return tabulate_units(
        [item for item, *_ in rows],
        [who for _, who, _ in rows],
        [len(each) for *_, each in rows],
        [start for start, _ in spans],
        [end for _, end in spans],
        lengths,
    )


def drawn(generator, length):
    """An answer: cuts into units and gaps, some of them touching."""
    cuts = np.sort(generator.choice(length + 1, size=2 * generator.integers(1, 4), replace=True)).tolist()
    return tuple((start, end) for start, end in list(pairwise(cuts))[::2] if start < end)


def value(measure, table):
    return measure.value(unit_sums(table))


def test_the_worked_example_of_krippendorff_2019():
    """Figure 12.11: three observers of a continuum of 60, α .41 for units against gaps; by hand below."""
    alex = ((0, 7), (7, 13), (30, 32), (32, 37), (37, 44), (44, 60))
    paul = ((0, 7), (7, 13), (13, 21), (32, 44))
    suzan = ((0, 7), (7, 13), (13, 21), (32, 37), (37, 41), (41, 44))
    found = value(UNITISING_ALPHA, table_of([[alex, paul, suzan]], [60]))
    assert found == pytest.approx(0.413, abs=0.001)
    # 26 tokens of disagreement, 180 tokens, 109 of them in units, Q = 911 + 71.
    assert found == pytest.approx(1 - 26 * (180**2 - 982) / (180 * 109 * 71), abs=1e-12)


def test_token_alpha_of_the_digitised_example_of_krippendorff_1995():
    """Two observers of a continuum of 24: α .329 on single positions."""
    bertha, bill = ((2, 10), (14, 20)), ((4, 8), (15, 17))
    assert value(TOKEN_ALPHA, table_of([[bertha, bill]], [24])) == pytest.approx(0.329, abs=0.0005)


@pytest.mark.parametrize("seed", range(6))
def test_random_answers_have_the_values_of_the_slow_definitions(seed):
    generator = np.random.default_rng(seed)
    lengths = generator.integers(6, 14, 4).tolist()
    items = [[drawn(generator, length) for _ in range(generator.integers(1, 4))] for length in lengths]
    table = table_of(items, lengths)
    slow = exact_unit_values([[each for each in answers if each] for answers in items], lengths)
    for one in UNIT_MEASURES[:3]:
        assert value(one, table) == (
            None if slow[one.slug] is None else pytest.approx(float(slow[one.slug]), abs=1e-12)
        )


def test_one_span_each_gives_what_single_spans_give():
    single = simulated(40, seed=3)
    table = tabulate_units(
        single.item, single.annotator, np.ones(single.n_spans), single.start, single.end, single.length
    )
    pairs, own = pairs_of(single), unit_pairs(table)
    assert all((one == other).all() for one, other in zip(pairs, own, strict=True))
    for one in UNIT_MEASURES[1:]:
        assert value(one, table) == pytest.approx(one.value(item_sums(single)), abs=1e-12)
    with_others = [each.overlap for each in annotator_spans(single, pairs)]
    assert [each.overlap for each in unit_report(table, 1, 50).annotators] == pytest.approx(with_others)


def test_unitising_alpha_is_token_alpha_for_spans_of_one_token_and_above_it_for_longer_ones():
    short = table_of([[((0, 1), (4, 5)), ((0, 1), (6, 7))], [((2, 3),), ((2, 3),)]], [9, 9])
    assert value(UNITISING_ALPHA, short) == pytest.approx(value(TOKEN_ALPHA, short), abs=1e-12)
    longer = table_of([[((0, 3), (4, 5)), ((0, 1), (4, 7))]], [9])
    sums = unit_sums(longer).whole
    n, q = float(sums.tokens[0]), float(sums.squares[0] + sums.tokens[0] - sums.inside[0])
    token = value(TOKEN_ALPHA, longer)
    assert value(UNITISING_ALPHA, longer) == pytest.approx(token + (1 - token) * (q - n) / (n**2 - n))
    assert q > n


def test_touching_spans_are_two_units_and_one_set_of_tokens():
    apart, whole = [[((0, 2), (2, 5)), ((0, 5),)]], [[((0, 5),), ((0, 5),)]]
    for one in UNIT_MEASURES[1:]:
        assert value(one, table_of(apart, [9])) == value(one, table_of(whole, [9])) == 1
    assert value(UNITISING_ALPHA, table_of(apart, [9])) == 1
    split = [[((0, 2), (2, 5)), ((1, 5),)]], [[((0, 5),), ((1, 5),)]]
    assert value(UNITISING_ALPHA, table_of(split[0], [9])) < value(UNITISING_ALPHA, table_of(split[1], [9]))


def test_the_jackknife_leaves_out_items_one_by_one():
    generator = np.random.default_rng(8)
    items = [[drawn(generator, 20) or ((0, 1),) for _ in range(3)] for _ in range(12)]
    table = table_of(items, [20] * 12)
    without = [
        value(UNITISING_ALPHA, table_of([*items[:at], *items[at + 1 :]], [20] * 11)) for at in range(12)
    ]
    assert UNITISING_ALPHA.left_out(unit_sums(table)) == pytest.approx(without, abs=1e-12)
    (found,) = estimates(unit_sums(table), [UNITISING_ALPHA], seed=1, resamples=200)
    assert found.low < found.value < found.high
    assert found.method == scale_of(UNITISING_ALPHA)


def test_the_order_in_which_answers_came_decides_nothing():
    items = [[((0, 2), (5, 6)), ((1, 2),), ()], [((3, 4),), (), ((0, 1), (3, 5))]]
    rows = [(item, who, each) for item, answers in enumerate(items) for who, each in enumerate(answers)]
    tables = []
    for order in (rows, rows[::-1]):
        spans = [span for *_, each in order for span in each]
        item, who, each = zip(*order, strict=True)
        tables.append(
            tabulate_units(
                item, who, list(map(len, each)), [s for s, _ in spans], [e for _, e in spans], [9, 9]
            )
        )
    for one, other in zip(tables[0][1:], tables[1][1:], strict=True):
        assert (one == other).all()
    assert tables[0].hulls.declined_item.tolist() == [0, 1]
    assert [tables[0].start.tolist(), tables[0].n_units.tolist()] == [[0, 5, 1, 3, 0, 3], [2, 1, 1, 2]]


def test_each_annotator_and_the_counts():
    items = [[((0, 2), (5, 6)), ((0, 2),), ()], [((3, 4),), ((3, 4),), ((0, 1), (3, 5))]]
    table = table_of(items, [9, 9])
    found = unit_report(table, seed=1, resamples=50)
    assert (found.n_units, found.units_per_answer) == (7, {1: 3, 2: 2})
    assert (found.counts.n_spans, found.counts.n_declined, found.counts.n_pairs) == (5, 1, 4)
    first = found.annotators[0]
    assert (first.n_answers, first.n_spans, first.mean_spans, first.median_tokens) == (2, 3, 1.5, 2.0)
    assert (first.n_pairs, first.overlap) == (3, pytest.approx((2 / 3 + 1 + 1 / 3) / 3))
    assert found.annotators[2].n_declined == 1
    left_out = units_without_each(table, OBSERVED_OVERLAP)
    assert [each.value for each in left_out] == [pytest.approx(each) for each in (1 / 3, 1 / 3, 5 / 6)]


def test_against_gold_as_single_spans_are():
    single = simulated(20, seed=5)
    start = np.where(np.arange(20) % 3 == 0, -1, 58)
    gold = np.flatnonzero(start >= 0)
    ones = np.ones(len(gold))
    units = tabulate_units(
        single.item, single.annotator, np.ones(single.n_spans), single.start, single.end, single.length
    )
    golden = tabulate_units(gold, ones * 0, ones, start[gold], start[gold] + 5, single.length)
    expected = gold_estimates(gold_sums(single, start, np.where(start < 0, -1, start + 5)), 1, 50)
    assert gold_estimates(gold_unit_sums(units, golden), 1, 50) == expected


def test_undefined_values_have_a_sentence():
    alone = unit_sums(table_of([[((0, 1),)]], [4]))
    assert UNITISING_ALPHA.undefined(alone) == "No item has two spans."
    full = unit_sums(table_of([[((0, 4),), ((0, 4),)]], [4]))
    assert "without gaps" in UNITISING_ALPHA.undefined(full)
    assert UNITISING_ALPHA.value(full) is None


@pytest.mark.parametrize(
    ("spans", "sentence"),
    [
        (((2, 2),), r"The span \[2, 2\) of answer 0 must end after it starts\."),
        (((0, 3), (2, 4)), r"The spans \[0, 3\) and \[2, 4\) of answer 0 must stand in order"),
        (((4, 5), (0, 1)), r"The spans \[4, 5\) and \[0, 1\) of answer 0 must stand in order"),
        (((0, 1), (8, 10)), r"must lie in a passage of 9 tokens"),
    ],
)
def test_refused_spans(spans, sentence):
    with pytest.raises(ValueError, match=sentence):
        table_of([[spans]], [9])
