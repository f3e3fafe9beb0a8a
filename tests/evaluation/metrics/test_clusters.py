"""Intervals over topics: leaving topics out and drawing them by hand; wider where they must be."""

import numpy as np
import pytest

from benchmarks.coverage import topics as simulation
from evaluation.metrics.common.clusters import (
    clusters_of,
    over_clusters,
    resample_clusters,
    without_each_cluster,
)
from evaluation.metrics.common.jackknife import jackknife_error, wilson
from evaluation.metrics.common.pairs_over_clusters import pair_estimates_over_clusters
from evaluation.metrics.common.ratings import ratings_and_rows
from evaluation.metrics.nominal.alpha import ALPHA
from evaluation.metrics.nominal.table import patterns_from_counts, rows_in
from evaluation.metrics.ordinal.agreement import EXACT_AGREEMENT
from evaluation.metrics.ordinal.alpha import ORDINAL_ALPHA
from evaluation.metrics.ordinal.overlap import RELEVANT_OVERLAP
from evaluation.metrics.ordinal.report import ORDINAL_MEASURES, PAIR_MEASURES, grade_report
from evaluation.metrics.ordinal.table import tabulate_grades
from evaluation.metrics.ordinal.weighted_kappa import LINEAR_KAPPA

OF_PAIRS = {one.slug for one in PAIR_MEASURES}


def study(seed=1, n_items=60, n_topics=7, q=4, n_readers=3):
    """Grades with gaps and some gold, and a topic for each item."""
    generator = np.random.default_rng(seed)
    truth = generator.integers(0, q, n_items)
    grade = np.clip(truth[:, None] + generator.integers(-2, 3, (n_items, n_readers)), 0, q - 1)
    item, reader = np.nonzero(generator.random(grade.shape) < 0.85)
    gold = np.where(generator.random(n_items) < 0.5, truth, -1)
    return tabulate_grades(item, reader, grade[item, reader], gold, q), generator.integers(
        0, n_topics, n_items
    )


def only(table, which):
    """The judgments on items where ``which`` (N,) is true, of however many times each item is there."""
    numbers = np.flatnonzero(which)
    new = np.full(len(table.gold), -1)
    new[numbers] = np.arange(len(numbers))
    kept = which[table.item]
    return tabulate_grades(
        new[table.item[kept]], table.annotator[kept], table.grade[kept], table.gold[numbers], table.grades
    )


def sample_of(table, slug):
    return table.ratings() if slug in OF_PAIRS else table.patterns


def clusters_for(table, topic, slug):
    if slug in OF_PAIRS:
        ratings, rows = ratings_and_rows(table.item, table.annotator, table.grade, None, table.grades)
        return clusters_of(rows, topic[: len(rows)], len(ratings.items))
    return clusters_of(table.rows(), topic, len(table.patterns.items))


@pytest.mark.parametrize("one", ORDINAL_MEASURES, ids=lambda one: one.slug)
def test_leaving_a_topic_out_is_the_study_without_it(one):
    table, topic = study()
    sample, clusters = sample_of(table, one.slug), clusters_for(table, topic, one.slug)
    found = without_each_cluster(sample, clusters, one)
    expected = [one.value(sample_of(only(table, topic != each), one.slug)) for each in np.unique(topic)]
    assert found == pytest.approx(expected, abs=1e-12)


def test_every_item_a_topic_of_its_own_gives_the_error_over_items():
    table, _ = study()
    patterns = table.patterns
    clusters = clusters_of(table.rows(), np.arange(len(table.gold)), len(patterns.items))
    entering = ORDINAL_ALPHA.enters(patterns)
    left_out = without_each_cluster(patterns.keep(entering), clusters.keep(entering), ORDINAL_ALPHA)
    n = len(left_out)
    error = np.sqrt((n - 1) / n * ((left_out - left_out.mean()) ** 2).sum())
    assert error == pytest.approx(jackknife_error(ORDINAL_ALPHA, patterns), abs=1e-12)


def test_drawing_topics_is_drawing_all_their_items():
    table, topic = study(n_topics=3)
    clusters = clusters_for(table, topic, LINEAR_KAPPA.slug)
    found = resample_clusters(table.ratings(), clusters, LINEAR_KAPPA, seed=5, resamples=40)
    times = np.random.default_rng(5).multinomial(3, np.full(3, 1 / 3), size=40)
    for value, drawn in zip(found, times, strict=True):
        items = np.concatenate([np.flatnonzero(topic == each).repeat(n) for each, n in enumerate(drawn)])
        rows = [
            (place, table.annotator[at], table.grade[at])
            for place, item in enumerate(items)
            for at in np.flatnonzero(table.item == item)
        ]
        again = tabulate_grades(*zip(*rows, strict=True), np.full(len(items), -1), table.grades)
        assert value == pytest.approx(LINEAR_KAPPA.value(again.ratings()), abs=1e-12)


def test_cells_of_pairs_stand_for_items_in_every_interval():
    table, topic = study(n_items=300, n_topics=25, n_readers=6)
    ratings, clusters = table.ratings(), clusters_for(table, topic, LINEAR_KAPPA.slug)
    found = pair_estimates_over_clusters(ratings, clusters, PAIR_MEASURES, seed=2, resamples=300)
    for one, each in zip(PAIR_MEASURES, found, strict=True):
        slow = over_clusters(one, ratings, clusters, seed=2, resamples=300)
        assert (each.low, each.value, each.high) == pytest.approx(
            (slow.low, slow.value, slow.high), abs=1e-12
        )
        assert each.bootstrap[:2] == pytest.approx(slow.bootstrap[:2], abs=1e-12)
        assert (each.n_items, each.n_judgments, each.method) == (slow.n_items, slow.n_judgments, slow.method)


def test_pairs_that_share_nothing_have_no_interval():
    table = tabulate_grades([0, 1], [0, 1], [1, 2], [-1, -1], 3)
    clusters = clusters_for(table, np.array([0, 1]), LINEAR_KAPPA.slug)
    (found,) = pair_estimates_over_clusters(table.ratings(), clusters, [LINEAR_KAPPA], seed=1)
    assert (found.value, found.reason) == (None, "No item has two judgments.")


def test_the_rows_of_items_are_those_of_the_patterns():
    table, _ = study()
    rows = table.rows()
    for item, row in enumerate(rows):
        given = np.bincount(table.grade[table.item == item], minlength=table.grades)
        if row < 0:
            assert not given.any()
        else:
            assert table.patterns.counts[row].tolist() == given.tolist()
            assert table.patterns.gold[row] == table.gold[item]
    assert np.bincount(rows[rows >= 0]).tolist() == table.patterns.items.tolist()


def test_rows_of_counts_too_large_for_one_number_each():
    counts = np.array([[10**6, 0, 3, 1], [2, 2, 2, 2], [10**6, 0, 3, 1], [0, 0, 0, 0]])
    patterns = patterns_from_counts(counts)
    assert rows_in(patterns, counts, np.full(4, -1)).tolist() == [1, 0, 1, -1]


def test_a_report_with_topics_has_its_intervals_over_topics():
    table, topic = study(n_items=200, n_topics=20)
    plain, over = grade_report(table, seed=1), grade_report(table, seed=1, topics=topic)
    beside = [line for line in over.lines if line.measure.slug != RELEVANT_OVERLAP.slug]
    assert len(beside) == len(over.lines) - 1
    for one, other in zip(plain.lines, beside, strict=True):
        assert one.estimate.value == other.estimate.value
        assert "over topics" in other.estimate.method
        assert "over topics" in other.estimate.bootstrap.method
        assert other.estimate.low < other.estimate.value < other.estimate.high
    assert [each.kappa.value for each in over.pairs.pairs] == [each.kappa.value for each in plain.pairs.pairs]
    assert all("over topics" in each.kappa.method for each in over.pairs.pairs)
    with pytest.raises(ValueError, match="one topic an item, but there are 3 for 200 items"):
        grade_report(table, seed=1, topics=topic[:3])


class TestWithout:
    def test_one_topic(self):
        table, _ = study()
        clusters = clusters_of(table.rows(), np.zeros(60, dtype=int), len(table.patterns.items))
        found = over_clusters(ORDINAL_ALPHA, table.patterns, clusters, seed=1, resamples=50)
        assert (found.low, found.reason) == (
            None,
            "No interval: with one topic left out there would be no value.",
        )

    def test_no_value(self):
        table = tabulate_grades([0, 1], [0, 0], [1, 2], [-1, -1], 3)
        clusters = clusters_of(table.rows(), [0, 1], len(table.patterns.items))
        found = over_clusters(ORDINAL_ALPHA, table.patterns, clusters, seed=1)
        assert (found.value, found.reason) == (None, "No item has two judgments.")

    def test_equal_topics(self):
        patterns = patterns_from_counts([[2, 0], [1, 1], [0, 2]])
        clusters = clusters_of([0, 1, 2, 0, 1, 2], [0, 0, 0, 5, 5, 5], 3)
        patterns = patterns._replace(items=patterns.items * 2)
        found = over_clusters(ALPHA, patterns, clusters, seed=1, resamples=0)
        assert found.reason == "No interval: the topics do not differ, so leaving them out shows no spread."
        share = over_clusters(EXACT_AGREEMENT, patterns, clusters, seed=1, resamples=0)
        assert share.method == "Wilson score over topics (all equal)"
        assert (share.low, share.high) == pytest.approx(wilson(2 * share.value, 2))

    def test_refused(self):
        with pytest.raises(ValueError, match="2 items and 1 numbers"):
            clusters_of([0, 0], [1], 1)
        with pytest.raises(ValueError, match="must be 0 or more"):
            clusters_of([0], [-1], 1)


def test_where_readers_shift_by_topic_intervals_over_topics_hold_the_value_and_over_items_do_not():
    """Forty studies: about .61 of the bootstraps over items, and at least .85 over topics."""
    found = simulation.coverage(0.4, 30, 100, 2, studies=40, resamples=300, seed=1)
    for label in ("Krippendorff α (ordinal)", "linear weighted κ, pooled", "Gwet AC2"):
        _, items, _, topics, ours = found[label]
        assert items < 0.8 < 0.85 <= topics, label
        assert ours >= 0.85, label
