"""The random row against the list of all outcomes."""

from fractions import Fraction
from itertools import product
from math import factorial

import pytest

from evaluation.metrics.nominal.chance import random_row
from tests.evaluation.metrics.slow import exact_values


def test_relics_random_row():
    row = random_row(3, 3)
    assert [round(100 * value, 1) for value in row[:2]] == [33.3, 25.9]
    assert [round(100 * value, 1) for value in (row.all_agree, row.none_agree)] == [11.1, 22.2]


@pytest.mark.parametrize(("judgments", "options"), [(1, 2), (2, 3), (3, 3), (4, 3), (5, 2), (5, 4), (6, 3)])
def test_equals_the_mean_over_all_outcomes(judgments, options):
    outcomes = list(product(range(options), repeat=judgments))
    cases = [exact_values([(0, choice) for choice in outcome], [0], options) for outcome in outcomes]
    for slug, expected in random_row(judgments, options)._asdict().items():
        if judgments == 1 and slug in ("all_agree", "none_agree", "observed_agreement"):
            assert expected is None
        else:
            assert expected == pytest.approx(float(sum(case[slug] for case in cases) / len(cases))), slug


def test_more_judgments_than_options_cannot_all_differ():
    assert random_row(4, 3).none_agree == 0


def test_unequal_numbers_of_judgments_are_averaged_over_items():
    row, three, one = random_row({3: 30, 1: 10}, 3), random_row(3, 3), random_row(1, 3)
    assert row.majority_accuracy == pytest.approx(
        0.75 * three.majority_accuracy + 0.25 * one.majority_accuracy
    )
    assert row.all_agree == three.all_agree


def test_no_items():
    assert random_row({}, 3) == (None,) * 6


@pytest.mark.parametrize(("judgments", "options"), [(0, 3), (3, 1), ({3: -1}, 3)])
def test_refused(judgments, options):
    with pytest.raises(ValueError, match="must be at least"):
        random_row(judgments, options)


@pytest.mark.parametrize(("judgments", "options"), [(12, 2), (30, 6), (17, 25)])
def test_many_answers_equal_the_product_of_the_series(judgments, options):
    """The only mode with h of m guesses: m! / h! times the coefficient of x^(m-h) in the others' series."""
    ways = Fraction(0)
    for hits in range(1, judgments + 1):
        others = [Fraction(1)] + [Fraction(0)] * (judgments - hits)
        for _ in range(options - 1):
            others = [
                sum(others[n - k] / factorial(k) for k in range(min(n, hits - 1) + 1))
                for n in range(len(others))
            ]
        ways += others[judgments - hits] * Fraction(factorial(judgments), factorial(hits))
    exact = float(ways / options**judgments)
    assert random_row(judgments, options).plurality_accuracy == exact


def test_a_random_row_of_many_numbers_of_answers_is_each_row_once():
    several = random_row({m: m for m in range(1, 41)}, 7)
    alone = [m * random_row(m, 7).plurality_accuracy for m in range(1, 41)]
    assert several.plurality_accuracy == pytest.approx(sum(alone) / sum(range(1, 41)))
