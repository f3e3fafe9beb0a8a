"""A small simulation: intervals of reports hold the true value about as often as they say.

Hundreds of studies at once, so bounds are wide: 400 studies have a standard error of .011 at .95.
"""

import numpy as np
import pytest

from benchmarks.coverage import populations
from benchmarks.coverage.__main__ import coverage, why
from benchmarks.coverage.others import bootstrapped
from benchmarks.coverage.studies import BySpans, ByWeights
from evaluation.metrics.common.dominance import dominant
from evaluation.metrics.common.intervals import estimate
from evaluation.metrics.nominal.accuracy import INDIVIDUAL, MAJORITY, majority_counts
from evaluation.metrics.nominal.alpha import ALPHA
from evaluation.metrics.nominal.fleiss import FLEISS
from evaluation.metrics.nominal.randolph import RANDOLPH
from evaluation.metrics.nominal.table import patterns_from_counts
from evaluation.metrics.spans.report import SPAN_MEASURES

CHOICES = (INDIVIDUAL, MAJORITY, FLEISS, RANDOLPH, ALPHA)


def choices(design, n_items=20_000):
    return ByWeights(populations.choices(design, n_items=n_items), CHOICES)


@pytest.mark.parametrize("design", populations.DESIGNS)
def test_intervals_of_choices_hold_the_true_value(design):
    for found in choices(design).studies(40, 400, seed=3):
        cover, lost = coverage(found)
        assert (0.915 < cover < 0.985, lost) == (True, 0), found.measure.slug


def test_intervals_of_spans_hold_the_true_value():
    population = BySpans(populations.spans("items differ", n_items=600), SPAN_MEASURES)
    for found in population.studies(60, 300, seed=3):
        assert 0.91 < coverage(found)[0] < 0.99, found.measure.slug


def test_the_bootstrap_of_few_items_holds_it_less_often():
    """Accuracy of twelve items that differ: about .87 of the percentile intervals, at least .94 of ours."""
    population = ByWeights(populations.choices("items differ", n_items=20_000), (INDIVIDUAL,))
    drawn = bootstrapped(population, 12, 400, seed=1)[INDIVIDUAL.slug]
    (found,) = population.studies(12, 400, seed=1)
    assert drawn < 0.92 < 0.94 <= coverage(found)[0]


def test_a_simulated_study_has_the_interval_that_a_report_of_it_prints():
    population = choices("items and readers differ")
    weights = population.draw(30, 5, seed=2)
    for found in population.studies(30, 5, seed=2):
        made = found.intervals()
        for study, row in enumerate(weights):
            sample = population.sample._replace(items=row.astype(np.int64)).keep(row > 0)
            alone = estimate(found.measure, sample, np.zeros(0), seed=1)
            assert (alone.low, alone.high) == pytest.approx((made.low[study], made.high[study]), abs=1e-9)
            assert alone.method == made.method[study]


def test_a_simulated_span_study_has_the_interval_that_a_report_of_it_prints():
    population = BySpans(populations.spans("equal", n_items=200), SPAN_MEASURES)
    drawn = np.random.default_rng(2).integers(0, 200, (1, 200))[0]
    once = np.unique(drawn)
    table = population.items.keep(np.isin(np.arange(200), once))
    (seed,) = [2]
    made = {each.measure.slug: each for each in population.studies(200, 1, seed)}
    for one in SPAN_MEASURES:
        weights = np.bincount(drawn, minlength=200)[once][None, :].astype(float)
        assert made[one.slug].values[0] == pytest.approx(one.statistic(table, weights)[0])


def test_a_cell_in_its_bounds_needs_no_reason():
    (found, *_) = choices("equal").studies(40, 400, seed=3)
    assert (why(found, 0.95), why(found, 0.93)) == ("", "a")  # 40 x .2 wrong answers: fewer than ten


def test_majority_counts_by_hand():
    """Gold 0: 3 right, a tie, nobody's majority of three; without gold nothing is counted."""
    patterns = patterns_from_counts([[3, 0, 0], [1, 1, 0], [1, 1, 1], [0, 0, 1], [1, 0, 0]], [0, 0, 0, 0, -1])
    assert majority_counts(patterns, 3) == (4, {1: 1, 2: 1}, 2)


def test_dominance_is_a_part_above_a_twentieth_of_unequal_weights():
    assert dominant([1] * 10) is None
    assert dominant([0, 3, 1, 1, 0, 1]) == (1, 0.5, 0.25)
    assert dominant([2] + [1] * 38) is None  # 2 of 40: a twentieth, not more
    assert dominant([2] + [1] * 37).share == pytest.approx(2 / 39)
    assert dominant([]) is None
