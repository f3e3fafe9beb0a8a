"""Paired comparisons: all signings by hand, drawn ones close to them, Holm within a table."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.metrics.common.mcnemar import mcnemar_exact
from evaluation.metrics.common.paired import comparisons, sign_flip


def slow(differences):
    """The share of all signings at least as far from 0."""
    seen = abs(sum(differences))
    sums = [sum(s * d for s, d in zip(signs, differences, strict=True)) for signs in
            product((1, -1), repeat=len(differences))]  # fmt: skip
    return sum(abs(each) >= seen - 1e-9 for each in sums) / len(sums)


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=9))
@settings(max_examples=40, deadline=None)
def test_exact_p_counts_every_signing(differences):
    found = sign_flip(differences, np.zeros(len(differences)), seed=1)
    assert found.exact
    assert found.p == pytest.approx(slow(differences))
    assert found.difference == pytest.approx(np.mean(differences))


def test_on_0_and_1_it_is_mcnemar():
    first, second = [1] * 9 + [0] * 2 + [1] * 5, [0] * 9 + [1] * 2 + [1] * 5
    assert sign_flip(first, second, seed=1).p == pytest.approx(mcnemar_exact(first, second))


def test_eighteen_that_differ_are_exact_and_nineteen_are_drawn():
    values = np.arange(1, 20) / 7
    assert sign_flip(values[:18], np.zeros(18), seed=1)[-2:] == (2**18, True)
    assert sign_flip([*values[:18], 0.5], [0.0] * 18 + [0.5], seed=1).exact
    drawn = sign_flip(values, np.zeros(19), seed=1)
    assert drawn[-2:] == (100_000, False)
    assert drawn.p == pytest.approx(1 / 100_001, abs=1e-4)


def test_drawn_p_is_close_to_the_exact_one_and_depends_on_the_seed_only():
    differences = np.random.default_rng(4).normal(0.25, 1, 20)
    sums = np.zeros(1)
    for one in differences:
        sums = np.concatenate((sums + one, sums - one))
    exact = np.mean(np.abs(sums) >= abs(differences.sum()) - 1e-9)
    found = sign_flip(differences, np.zeros(20), seed=9)
    assert 0.01 < exact < 0.9
    assert found.p == pytest.approx(exact, abs=4 * np.sqrt(exact / 100_000))
    assert found == sign_flip(differences, np.zeros(20), seed=9)
    assert found.p != sign_flip(differences, np.zeros(20), seed=10).p


def test_a_table_is_corrected_by_holm_and_names_its_tests():
    generator = np.random.default_rng(1)
    base = generator.integers(0, 2, 60)
    better = np.maximum(base, generator.integers(0, 2, 60))
    found = comparisons({"a": base, "b": better, "c": base + 0.5}, "a", seed=3)
    assert [each.name for each in found] == ["b", "c"]
    assert found[0].test == "McNemar, exact"
    assert found[0].p == mcnemar_exact(better, base)
    assert found[1].test == "sign-flip permutation, 100,000 draws"
    low, high = sorted(each.p for each in found)
    assert sorted(each.p_holm for each in found) == pytest.approx([min(1, 2 * low), max(2 * low, high)])
    assert found[0].low < found[0].difference < found[0].high


def test_equal_systems():
    (found,) = comparisons({"a": [0.5, 0.2], "b": [0.5, 0.2]}, "a", seed=1)
    assert (found.difference, found.p, found.low) == (0, 1, None)


@pytest.mark.parametrize(
    ("first", "second", "sentence"),
    [([1, 2], [1], "same queries"), ([], [], "same queries"), ([1, float("inf")], [1, 1], "finite")],
)
def test_refused(first, second, sentence):
    with pytest.raises(ValueError, match=sentence):
        sign_flip(first, second, seed=1)


def test_an_unknown_reference_is_refused():
    with pytest.raises(ValueError, match="'z' is not among the systems: a"):
        comparisons({"a": [1]}, "z", seed=1)
