"""Measures of grades: exact slow values, published values, statsmodels, invariances, degenerate data."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.metrics.common.intervals import wilson
from evaluation.metrics.common.jackknife import jackknife_error, scale_of
from evaluation.metrics.common.pairwise_kappa import mean_kappa
from evaluation.metrics.nominal.alpha import ALPHA
from evaluation.metrics.nominal.cohen import COHEN
from evaluation.metrics.nominal.table import patterns_from_counts
from evaluation.metrics.ordinal.alpha import INTERVAL_ALPHA, ORDINAL_ALPHA
from evaluation.metrics.ordinal.annotators import annotator_grades
from evaluation.metrics.ordinal.gold import ABSOLUTE_DIFFERENCE
from evaluation.metrics.ordinal.report import (
    ORDINAL_MEASURES,
    PAIR_MEASURES,
    grade_lines,
    grade_report,
    guessing,
)
from evaluation.metrics.ordinal.table import coincidences, gold_confusion, tabulate_grades, without_each
from evaluation.metrics.ordinal.weighted_kappa import LINEAR_KAPPA, QUADRATIC_KAPPA
from evaluation.values.wording import interval, worded
from tests.evaluation.metrics.published import FLEISS_1971, KRIPPENDORFF_2011, krippendorff_counts
from tests.evaluation.metrics.slow_grades import by_item, exact_grades
from tests.evaluation.metrics.test_against_slow import studies

KAPPAS = (COHEN, LINEAR_KAPPA, QUADRATIC_KAPPA)
OF_PAIRS = (*KAPPAS, *PAIR_MEASURES)


def table_of(rows, gold, q):
    item, annotator, grade = zip(*rows, strict=True) if rows else ((), (), ())
    return tabulate_grades(item, annotator, grade, gold, q)


def value(one, table):
    return one.value(table.ratings() if one in OF_PAIRS else table.patterns)


def lines(table, **options):
    return {line.measure.slug: line for line in grade_lines(table, seed=7, **options)}


def close(one, other):
    return one is other is None or one == pytest.approx(other, abs=1e-9)


@given(studies())
@settings(max_examples=100, deadline=None)
def test_every_measure_equals_the_exact_implementation(study):
    rows, gold, q = study
    table = table_of(rows, gold, q)
    exact = exact_grades(rows, gold, q)
    found = lines(table, resamples=0)
    assert set(exact) == set(found) == {one.slug for one in (*ORDINAL_MEASURES, COHEN)}
    for slug, line in found.items():
        if exact[slug] is None:
            assert line.estimate.value is None, slug
            assert line.estimate.reason.endswith("."), slug
        else:
            assert line.estimate.value == pytest.approx(float(exact[slug]), abs=1e-9), slug
            low, high = line.measure.range
            assert low - 1e-9 <= line.estimate.value <= high + 1e-9, slug


@given(studies())
@settings(max_examples=60, deadline=None)
def test_annotators_and_confusions_equal_counting(study):
    rows, gold, q = study
    table = table_of(rows, gold, q)
    for each in annotator_grades(table, seed=1, resamples=0):
        own = [(item, grade) for item, who, grade in rows if who == each.annotator]
        against = [grade - gold[item] for item, grade in own if gold[item] >= 0]
        exact = exact_grades([(item, 0, grade) for item, grade in own], gold, q)
        assert (each.n_judgments, each.n_with_gold) == (len(own), len(against))
        assert close(each.exact.value, exact["exact_with_gold"])
        assert close(each.within_one.value, exact["within_one_of_gold"])
        assert close(each.difference.value, exact["difference"])
        assert close(each.absolute_difference.value, exact["absolute_difference"])
    seen, beside = np.zeros((q, q)), np.zeros((q, q))
    for item, answers in by_item(rows).items():
        for who, grade in answers.items():
            if gold[item] >= 0:
                seen[gold[item], grade] += 1
            for other, beside_it in answers.items():
                if who != other:
                    beside[grade, beside_it] += 1 / (len(answers) - 1)
    assert (gold_confusion(table.patterns) == seen).all()
    assert coincidences(table.patterns) == pytest.approx(beside)


@given(studies(), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_neither_who_is_who_nor_which_item_is_which_matters(study, random):
    rows, gold, q = study
    people, places = random.sample(range(5), 5), random.sample(range(len(gold)), len(gold))
    moved = [0] * len(gold)
    for item, right in enumerate(gold):
        moved[places[item]] = right
    renamed = [(places[item], people[who], grade) for item, who, grade in rows]
    before, after = table_of(rows, gold, q), table_of(renamed, moved, q)
    for one in (*ORDINAL_MEASURES, COHEN):
        assert close(value(one, before), value(one, after)), one.slug


@given(studies())
@settings(max_examples=60, deadline=None)
def test_turning_the_scale_round_only_turns_the_difference(study):
    rows, gold, q = study
    turned = [(item, who, q - 1 - grade) for item, who, grade in rows]
    before = table_of(rows, gold, q)
    after = table_of(turned, [q - 1 - right if right >= 0 else -1 for right in gold], q)
    for one in (*ORDINAL_MEASURES, COHEN):
        old, new = value(one, before), value(one, after)
        if one.slug == "difference":
            old = None if old is None else -old
        assert close(old, new), one.slug


@given(studies(), st.lists(st.integers(0, 3), min_size=5, max_size=5))
@settings(max_examples=60, deadline=None)
def test_what_a_stretched_scale_leaves_unchanged(study, gaps):
    """Ordinal α asks only for the order of grades, so it is the same on a stretched scale; interval α is not
    (see below), but is the same on one that is moved and stretched evenly."""
    rows, gold, q = study
    nothing = [-1] * len(gold)
    stretched = np.cumsum(np.array(gaps[:q]) + 1)
    table = table_of(rows, nothing, q)
    uneven = table_of([(i, who, int(stretched[g])) for i, who, g in rows], nothing, int(stretched[-1]) + 1)
    even = table_of([(i, who, 3 * g + 2) for i, who, g in rows], nothing, 3 * q)
    assert close(value(ORDINAL_ALPHA, table), value(ORDINAL_ALPHA, uneven))
    for one in (ORDINAL_ALPHA, INTERVAL_ALPHA, LINEAR_KAPPA, QUADRATIC_KAPPA):
        assert close(value(one, table), value(one, even)), one.slug


def test_interval_alpha_sees_the_distance_that_ordinal_alpha_does_not():
    near = table_of([(0, 0, 0), (0, 1, 1), (1, 0, 2), (1, 1, 2)], [-1, -1], 10)
    far = table_of([(0, 0, 0), (0, 1, 1), (1, 0, 9), (1, 1, 9)], [-1, -1], 10)
    assert value(ORDINAL_ALPHA, near) == pytest.approx(value(ORDINAL_ALPHA, far))
    assert value(INTERVAL_ALPHA, far) > value(INTERVAL_ALPHA, near) + 0.1


@given(studies())
@settings(max_examples=60, deadline=None)
def test_of_two_grades_every_weighting_and_every_distance_is_the_same(study):
    rows, gold, _ = study
    table = table_of([(item, who, min(grade, 1)) for item, who, grade in rows], [-1] * len(gold), 2)
    assert close(value(LINEAR_KAPPA, table), value(COHEN, table))
    assert close(value(QUADRATIC_KAPPA, table), value(COHEN, table))
    assert close(ORDINAL_ALPHA.value(table.patterns), ALPHA.value(table.patterns))
    assert close(INTERVAL_ALPHA.value(table.patterns), ALPHA.value(table.patterns))


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=12))
def test_quadratic_kappa_of_a_pair_is_lins_concordance_correlation(pairs):
    """2 cov / (var + var + difference of means squared), with 1/n (Lin 1989)."""
    table = table_of(
        [(i, who, pair[who]) for i, pair in enumerate(pairs) for who in (0, 1)], [-1] * len(pairs), 5
    )
    grades = np.array(pairs, dtype=float)
    spread = grades.var(axis=0).sum() + np.diff(grades.mean(axis=0))[0] ** 2
    found = value(QUADRATIC_KAPPA, table)
    if spread == 0:
        assert found is None
    else:
        assert found == pytest.approx(2 * np.cov(grades.T, ddof=0)[0, 1] / spread, abs=1e-9)


class TestPublished:
    rows = [
        (unit, observer, grade - 1)
        for observer, given in enumerate(KRIPPENDORFF_2011)
        for unit, grade in enumerate(given)
        if grade
    ]
    table = table_of(rows, [-1] * 12, 5)

    def test_krippendorff_2011(self):
        """Section C to E of the paper: nominal .743, ordinal .815, interval .849."""
        assert ALPHA.value(patterns_from_counts(krippendorff_counts())) == pytest.approx(0.743, abs=5e-4)
        assert ORDINAL_ALPHA.value(self.table.patterns) == pytest.approx(0.815, abs=5e-4)
        assert INTERVAL_ALPHA.value(self.table.patterns) == pytest.approx(0.849, abs=5e-4)

    def test_krippendorffs_coincidences(self):
        """The matrix of the paper; the 12th unit has one value and is not paired."""
        assert coincidences(self.table.patterns) == pytest.approx(
            np.array(
                [
                    [7, 4 / 3, 1 / 3, 1 / 3, 0],
                    [4 / 3, 10, 4 / 3, 1 / 3, 0],
                    [1 / 3, 4 / 3, 8, 1 / 3, 0],
                    [1 / 3, 1 / 3, 1 / 3, 4, 0],
                    [0, 0, 0, 0, 3],
                ]
            )
        )

    def test_cohen_1968(self):
        """Table 1 there: 200 cases, three diagnoses; κ .492, with its weights of disagreement .348."""
        weights = np.array([[0.0, 1, 3], [1, 0, 6], [3, 6, 0]])
        counts = [[88, 14, 18], [10, 40, 10], [2, 6, 12]]
        item, grades = 0, []
        for first, row in enumerate(counts):
            for second, times in enumerate(row):
                for _ in range(times):
                    grades += [(item, 0, first), (item, 1, second)]
                    item += 1
        ratings = table_of(grades, [-1] * item, 3).ratings()
        assert COHEN.value(ratings) == pytest.approx(0.492, abs=5e-4)
        weighted = mean_kappa(lambda q: weights)(ratings, ratings.items[None, :].astype(float))
        assert weighted == pytest.approx([0.348], abs=5e-4)


@pytest.mark.parametrize(("q", "n"), [(2, 30), (3, 200), (5, 80), (9, 50)])
def test_one_pair_equals_statsmodels(q, n):
    from statsmodels.stats.inter_rater import cohens_kappa

    generator = np.random.default_rng(q)
    first = generator.integers(0, q, n)
    second = np.clip(first + generator.integers(-1, 2, n), 0, q - 1)
    table = tabulate_grades(
        np.tile(np.arange(n), 2), np.repeat([3, 8], n), np.concatenate([first, second]), [-1] * n, q
    )
    counts = np.bincount(first * q + second, minlength=q * q).reshape(q, q)
    for one, weights in zip(KAPPAS, (None, "linear", "quadratic"), strict=True):
        kappa = cohens_kappa(counts, wt=weights, return_results=False)
        assert value(one, table) == pytest.approx(kappa, abs=1e-12)


class TestIntervals:
    generator = np.random.default_rng(2)
    truth = generator.integers(0, 5, 200)
    item = np.repeat(np.arange(200), 3)
    grade = np.clip(truth[item] + generator.integers(-2, 3, 600), 0, 4)
    table = tabulate_grades(item, np.tile(np.arange(3), 200), grade, np.where(truth > 0, truth, -1), 5)

    def test_every_line_has_one_round_its_value_whatever_the_order_of_rows(self):
        shuffled = np.random.default_rng(3).permutation(600)
        places = np.random.default_rng(4).permutation(200)
        gold = np.empty(200, dtype=int)
        gold[places] = self.table.gold
        other = tabulate_grades(
            places[self.item[shuffled]], np.tile(np.arange(3), 200)[shuffled], self.grade[shuffled], gold, 5
        )
        report = grade_report(self.table, seed=9)
        again = grade_report(other, seed=9)
        assert report.lines == again.lines
        assert report.annotators == again.annotators
        assert report.pairs == again.pairs
        assert report.lines != grade_report(self.table, seed=10).lines
        for line in report.lines:
            assert line.estimate.method == scale_of(line.measure)
            assert line.estimate.bootstrap.low < line.estimate.value < line.estimate.bootstrap.high
            assert line.estimate.low < line.estimate.value < line.estimate.high

    def test_nobody_two_grades_from_gold_gets_wilson(self):
        table = tabulate_grades(range(10), [0] * 10, [1, 2] * 5, [2] * 10, 5)
        found = lines(table)["within_one_of_gold"].estimate
        assert found.value == 1
        assert (found.low, found.high) == pytest.approx(wilson(10, 10))

    def test_equal_distances_from_gold_get_wilson_in_grades(self):
        """Every judgment is two grades off, half of the widest distance of five grades."""
        table = tabulate_grades(range(10), [0] * 10, [2] * 10, [0] * 10, 5)
        found = lines(table)["absolute_difference"].estimate
        assert found.value == 2
        assert (found.low, found.high) == pytest.approx(tuple(4 * end for end in wilson(5, 10)))

    def test_a_mean_has_the_error_that_books_give(self):
        """One annotator: s / sqrt(n) of the distances, t(39) = 2.022691, the bootstrap beside it."""
        known = np.flatnonzero(self.truth > 0)[:40]
        first = self.grade.reshape(200, 3)[known, 0]
        table = tabulate_grades(np.arange(40), [0] * 40, first, self.truth[known], 5)
        distances = np.abs(first - self.truth[known])
        error = distances.std(ddof=1) / np.sqrt(40)
        assert jackknife_error(ABSOLUTE_DIFFERENCE, table.patterns) == pytest.approx(error)
        found = annotator_grades(table, seed=1)[0].absolute_difference
        assert found.high == pytest.approx(distances.mean() + 2.022691 * error, abs=1e-6)
        assert found.bootstrap.high == pytest.approx(distances.mean() + 1.96 * error, abs=0.03)

    def test_no_interval_leaves_the_scale(self):
        """Two of three items are a whole scale off: t(2) reaches far, but no further than the scale."""
        found = lines(table_of([(0, 0, 2), (1, 0, 0), (2, 0, 1)], [0, 2, 1], 3))
        difference = found["difference"].estimate
        assert (difference.low, difference.high) == (-2.0, 2.0)
        distance = found["absolute_difference"].estimate
        assert distance.value == pytest.approx(4 / 3)
        assert (distance.low, distance.high) == (0.0, 2.0)


class TestGuessing:
    def test_enumerated_over_gold(self):
        """Gold 0, 2, 2 of five grades, the first judged twice."""
        table = table_of([(0, 0, 1), (0, 1, 4), (1, 0, 2), (2, 0, 0)], [0, 2, 2], 5)
        chance = guessing(table.patterns)
        assert chance["absolute_difference"] == pytest.approx((2 + 2 + 1.2 + 1.2) / 4)
        assert chance["difference"] == pytest.approx(1)
        assert chance["exact_with_gold"] == pytest.approx(1 / 5)
        assert chance["within_one_of_gold"] == pytest.approx((2 / 5 + 3 / 5) / 2)
        assert chance["exact_agreement"] == pytest.approx(1 / 5)
        near = sum(abs(one - other) <= 1 for one in range(5) for other in range(5))
        assert chance["within_one_agreement"] == pytest.approx(near / 25)

    def test_coefficients_print_a_zero_and_no_gold_prints_nothing(self):
        found = lines(table_of([(0, 0, 1), (0, 1, 4)], [-1], 5))
        assert (found["ordinal_alpha"].chance, found["ordinal_alpha"].exact) == (0.0, False)
        assert (found["absolute_difference"].chance, found["absolute_difference"].exact) == (None, False)
        assert (found["exact_agreement"].chance, found["exact_agreement"].exact) == (0.2, True)


class TestDegenerate:
    def test_nothing_judged(self):
        found = grade_report(tabulate_grades([], [], [], [2, -1], 5), seed=1)
        for line in found.lines:
            assert line.estimate.value is None
            assert line.estimate.reason.endswith(".")
        assert (found.annotators, found.pairs.pairs, found.pairs.n_pairs) == ((), (), 0)
        assert found.gold_confusion.sum() == found.coincidences.sum() == 0

    def test_one_annotator(self):
        found = grade_report(table_of([(0, 4, 1), (1, 4, 3)], [1, 0], 5), seed=1)
        reasons = {line.measure.slug: line.estimate.reason for line in found.lines}
        for slug in ("ordinal_alpha", "quadratic_kappa", "cohen_kappa", "exact_agreement"):
            assert reasons[slug] == "No item has two judgments."
        assert [each.annotator for each in found.annotators] == [4]
        assert found.annotators[0].difference.value == 1.5
        assert found.pairs == ((), 0)

    def test_one_grade_only(self):
        found = lines(table_of([(item, who, 3) for item in range(9) for who in range(3)], [3] * 9, 5))
        assert "without variation" in found["ordinal_alpha"].estimate.reason
        assert "without variation" in found["interval_alpha"].estimate.reason
        assert "chance agreement is 1" in found["quadratic_kappa"].estimate.reason
        assert found["exact_agreement"].estimate.value == 1
        assert found["exact_agreement"].estimate.low == pytest.approx(wilson(9, 9)[0])
        assert found["absolute_difference"].estimate.high == pytest.approx(4 * wilson(0, 9)[1])

    def test_no_gold(self):
        found = grade_report(table_of([(0, 0, 1), (0, 1, 2)], [-1], 5), seed=1)
        for line in found.lines[:4]:
            assert line.estimate.reason == "No judged item has a gold grade."
        assert found.annotators[0].exact.reason == "No judged item has a gold grade."

    def test_one_item(self):
        found = lines(table_of([(0, 0, 1), (0, 1, 2)], [1], 5))
        assert found["ordinal_alpha"].estimate.value == pytest.approx(0)
        assert found["ordinal_alpha"].estimate.low is None
        assert found["cohen_kappa"].estimate.value == 0
        assert found["absolute_difference"].estimate.value == 0.5

    def test_refused(self):
        with pytest.raises(ValueError, match="grade must be between 0 and 4, but entry 1 is 5"):
            tabulate_grades([0, 1], [0, 0], [4, 5], [-1, -1], 5)
        with pytest.raises(ValueError, match="item, annotator and grade must have one entry per judgment"):
            tabulate_grades([0, 1], [0, 0], [4], [-1, -1], 5)
        with pytest.raises(ValueError, match="annotator 0 has more than one judgment on item 1"):
            tabulate_grades([1, 1], [0, 0], [4, 2], [-1, -1], 5)


def test_leaving_an_annotator_out_leaves_the_others():
    rows = [(0, 0, 1), (0, 2, 1), (0, 5, 4), (1, 0, 3), (1, 2, 3), (1, 5, 0)]
    found = {who: value(INTERVAL_ALPHA, rest) for who, rest in without_each(table_of(rows, [-1, -1], 5))}
    assert found.keys() == {0, 2, 5}
    assert found[5] == 1
    assert found[0] == found[2] < 0


def test_grades_are_printed_as_grades():
    assert worded(ABSOLUTE_DIFFERENCE, 0.41666) == "0.417 grades"
    assert worded(ABSOLUTE_DIFFERENCE, 1.0) == "1.000 grades"
    assert interval(ABSOLUTE_DIFFERENCE, 0.3, 1.25) == "[0.300, 1.250]"


def test_alpha_of_six_judgments_an_item_follows_its_definition():
    """Fleiss (1971) read as grades: the closed form against sums over all pairs."""
    grades = [[k for k, times in enumerate(counts) for _ in range(times)] for counts in FLEISS_1971]
    rows = [(item, who, grade) for item, given in enumerate(grades) for who, grade in enumerate(given)]
    exact = exact_grades(rows, [-1] * 30, 5)
    table = table_of(rows, [-1] * 30, 5)
    assert value(ORDINAL_ALPHA, table) == pytest.approx(float(exact["ordinal_alpha"]), abs=1e-12)
    assert value(INTERVAL_ALPHA, table) == pytest.approx(float(exact["interval_alpha"]), abs=1e-12)
