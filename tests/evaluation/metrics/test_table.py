"""Judgments → table: what is counted, and what is refused in which words."""

import numpy as np
import pytest

from evaluation.metrics.nominal.table import gold_histogram, patterns_from_counts, tabulate

ITEM, ANNOTATOR, CHOICE, GOLD = [0, 0, 1, 1, 3], [0, 1, 0, 2, 0], [2, 2, 0, 1, 2], [2, -1, 0, 2]


def test_counts_patterns_and_what_nobody_judged():
    table = tabulate(ITEM, ANNOTATOR, CHOICE, GOLD, 3)
    assert table.counts.tolist() == [[0, 0, 2], [1, 1, 0], [0, 0, 0], [0, 0, 1]]
    assert table.patterns.counts.tolist() == [[0, 0, 1], [0, 0, 2], [1, 1, 0]]
    assert table.patterns.gold.tolist() == [2, 2, -1]
    assert table.patterns.items.tolist() == [1, 1, 1]
    assert (table.patterns.n_items, table.patterns.n_judgments) == (3, 5)
    assert table.patterns.histogram() == {1: 1, 2: 2}
    assert gold_histogram(table.patterns) == {1: 1, 2: 1}
    assert table.patterns.margins.tolist() == [1, 1, 3]
    assert not table.patterns.balanced


def test_row_order_and_float_arrays_change_nothing():
    order = [3, 0, 4, 2, 1]
    once = tabulate(ITEM, ANNOTATOR, CHOICE, GOLD, 3)
    again = tabulate(*(np.array(column, dtype=float)[order] for column in (ITEM, ANNOTATOR, CHOICE)), GOLD, 3)
    for ours, theirs in zip(once.patterns, again.patterns, strict=True):
        assert ours.tolist() == theirs.tolist()


def test_an_option_that_nobody_used_is_still_an_option():
    assert tabulate([0, 0], [0, 1], [0, 1], [-1], 4).patterns.counts.tolist() == [[1, 1, 0, 0]]


@pytest.mark.parametrize("options", [2, 3, 12, 40])
def test_patterns_are_the_same_by_every_route(options):
    """Few option numbers are packed into one key that is counted, more are sorted, many compared as rows."""
    generator = np.random.default_rng(options)
    counts = generator.multinomial(3, np.full(options, 1 / options), size=500)
    gold = generator.integers(-1, options, 500)
    item = np.repeat(np.arange(500), 3)
    choice = np.repeat(np.tile(np.arange(options), 500), counts.ravel())
    packed = tabulate(item, np.tile(np.arange(3), 500), choice, gold, options).patterns
    compared = patterns_from_counts(counts, gold)
    for ours, theirs in zip(packed, compared, strict=True):
        assert ours.tolist() == theirs.tolist()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"item": [0, 0, 1, 1, 4]}, "item must be between 0 and 3, but entry 4 is 4."),
        ({"choice": [2, 3, 0, 1, 2]}, "choice must be between 0 and 2, but entry 1 is 3."),
        ({"choice": [2, -1, 0, 1, 2]}, "choice must be between 0 and 2, but entry 1 is -1."),
        ({"choice": [2, float("nan"), 0, 1, 2]}, "choice must hold whole numbers, but entry 1 is nan."),
        ({"choice": [2, 1.5, 0, 1, 2]}, "choice must hold whole numbers, but entry 1 is 1.5."),
        ({"choice": ["a", "b", "c", "a", "a"]}, "choice must hold whole numbers, but holds"),
        ({"choice": [None, 1, 0, 1, 2]}, "choice must hold whole numbers, but holds object."),
        ({"choice": [[1], [1]]}, "choice must be a flat array, but has 2 dimension"),
        ({"annotator": [0, -1, 0, 2, 0]}, "annotator must be at least 0, but entry 1 is -1."),
        (
            {"annotator": [0, 1, 0]},
            "item, annotator and choice must have one entry per judgment, but have 5, 3 and 5",
        ),
        ({"annotator": [0, 1, 0, 0, 0]}, "annotator 0 has more than one judgment on item 1"),
        ({"annotator": [0, 0, 0, 2, 2**61]}, "annotator must be a small index"),
        ({"gold": [2, -1, 0, 3]}, "gold must be between -1 and 2, but entry 3 is 3."),
        ({"gold": []}, "gold must have one entry per item"),
        ({"options": 1}, "options must be a whole number of at least 2, but is 1."),
        ({"options": 2.5}, "options must be a whole number of at least 2, but is 2.5."),
    ],
)
def test_refused(change, sentence):
    good = {"item": ITEM, "annotator": ANNOTATOR, "choice": CHOICE, "gold": GOLD, "options": 3}
    tabulate(**good)
    with pytest.raises(ValueError, match=r"\.$") as caught:
        tabulate(**(good | change))
    assert str(caught.value).startswith(sentence)


def test_repeats_are_found_when_annotator_numbers_are_wide_apart():
    wide = 10**9
    tabulate([0, 0, 1], [0, wide, wide], [0, 1, 1], [0, 1], 2)
    with pytest.raises(ValueError, match=f"annotator {wide} has more than one judgment on item 0"):
        tabulate([0, 1, 0], [wide, 0, wide], [0, 1, 1], [0, 1], 2)


def test_empty_study():
    table = tabulate([], [], [], [], 3)
    assert (table.patterns.n_items, table.counts.shape) == (0, (0, 3))
    assert tabulate([], [], [], [0, 1], 3).patterns.n_items == 0


def test_counts_with_repeated_and_empty_rows():
    patterns = patterns_from_counts([[1, 0], [1, 0], [0, 0], [0, 2]], items=[2, 3, 9, 0])
    assert (patterns.counts.tolist(), patterns.items.tolist()) == ([[1, 0]], [5])


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (([1, 2],), "counts must be a table of rows x options"),
        (([[1, -2]],), "counts must be at least 0"),
        (([[1, 2]], [2]), "gold must be between -1 and 1"),
        (([[1, 2]], [0, 0]), "gold and items must have one entry per row of counts"),
    ],
)
def test_counts_refused(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        patterns_from_counts(*arguments)
