"""Who answered what: rows of equal items, pairs of annotators, and the mean over them."""

import numpy as np
import pytest
from hypothesis import given, settings

from evaluation.metrics.common import pairwise_kappa
from evaluation.metrics.common.annotator_pairs import pair_table
from evaluation.metrics.common.intervals import BOOTSTRAP, estimate, resample, wilson
from evaluation.metrics.common.jackknife import ROOT, jackknife_error
from evaluation.metrics.common.measure import MeasureOf, ratio
from evaluation.metrics.common.pairwise_kappa import pair_estimates, quadratic
from evaluation.metrics.common.ratings import Ratings, ratings_of
from evaluation.metrics.nominal.cohen import COHEN
from evaluation.metrics.nominal.table import tabulate
from evaluation.metrics.ordinal.weighted_kappa import LINEAR_KAPPA, QUADRATIC_KAPPA
from tests.evaluation.metrics.slow_grades import by_item, common_answers, kappa
from tests.evaluation.metrics.test_against_slow import studies

MEASURES = (COHEN, LINEAR_KAPPA, QUADRATIC_KAPPA)


def ratings(rows, q, gold=None):
    item, annotator, answer = zip(*rows, strict=True) if rows else ((), (), ())
    n_items = max(item, default=0) + 1
    table = tabulate(item, annotator, answer, [-1] * n_items if gold is None else gold, q)
    return ratings_of(table.item, table.annotator, table.choice, None if gold is None else table.gold, q)


def complete(n_items, annotators, q, seed):
    """Rows of a study in which everybody judged everything, with some agreement."""
    generator = np.random.default_rng(seed)
    truth = generator.integers(0, q, n_items)
    return [
        (item, who, int(np.clip(truth[item] + generator.integers(-1, 2), 0, q - 1)))
        for item in range(n_items)
        for who in range(annotators)
    ]


@given(studies())
@settings(max_examples=60, deadline=None)
def test_rows_hold_every_item_once_with_all_who_answered_it(study):
    rows, gold, q = study
    found = ratings(rows, q, gold)
    unfolded = []
    for row, times in enumerate(found.items):
        own = found.row == row
        answers = tuple(zip(found.annotator[own].tolist(), found.answer[own].tolist(), strict=True))
        unfolded += [(answers, int(found.gold[row]))] * int(times)
    expected = [(tuple(sorted(given.items())), gold[item]) for item, given in by_item(rows).items()]
    assert sorted(unfolded) == sorted(expected)
    assert len(set(unfolded)) == len(found.items)
    assert found.n_items == len(expected)


def test_equal_items_are_one_row_however_many():
    assert len(ratings(complete(5000, 3, 3, 1), 3).items) <= 27


@pytest.mark.parametrize("one", MEASURES, ids=lambda one: one.slug)
@given(study=studies())
@settings(max_examples=40, deadline=None)
def test_leaving_out_in_one_pass_equals_leaving_out_item_by_item(one, study):
    rows, _, q = study
    found = ratings(rows, q)
    found = found.keep(one.enters(found))
    if one.undefined(found) is not None:
        return
    weights = found.items - np.eye(len(found.items))
    assert one.left_out(found) == pytest.approx(one.statistic(found, weights), abs=1e-9, nan_ok=True)


def test_the_jackknife_error_is_that_of_its_definition():
    rows = complete(25, 4, 3, 5)
    left_out = [COHEN.value(ratings([row for row in rows if row[0] != item], 3)) for item in range(25)]
    expected = np.sqrt(24 / 25 * np.sum((np.array(left_out) - np.mean(left_out)) ** 2))
    assert jackknife_error(COHEN, ratings(rows, 3)) == pytest.approx(expected, abs=1e-12)


def test_the_bootstrap_of_rows_is_the_bootstrap_of_items():
    """Means and spreads within four Monte-Carlo errors of drawing items one by one."""
    rows = by_item(complete(80, 3, 3, 6))
    whole = ratings([(i, who, answer) for i, given in rows.items() for who, answer in given.items()], 3)
    fast = resample(whole, [COHEN.statistic], seed=3, resamples=3000)[0]
    generator, slow = np.random.default_rng(4), []
    for _ in range(600):
        drawn = [rows[item] for item in generator.integers(0, 80, 80).tolist()]
        slow.append(
            COHEN.value(
                ratings([(i, who, a) for i, given in enumerate(drawn) for who, a in given.items()], 3)
            )
        )
    assert np.mean(fast) == pytest.approx(np.mean(slow), abs=4 * np.std(slow) / np.sqrt(600))
    assert np.std(fast) == pytest.approx(np.std(slow), rel=4 / np.sqrt(2 * 600))


def test_blocks_of_resamples_are_the_same_values(monkeypatch):
    found = ratings(complete(60, 4, 3, 1), 3)
    whole = resample(found, [QUADRATIC_KAPPA.statistic], seed=1, resamples=50)
    monkeypatch.setattr(pairwise_kappa, "_CELLS_AT_ONCE", 1000)
    assert resample(found, [QUADRATIC_KAPPA.statistic], 1, 50) == pytest.approx(whole, abs=1e-12)


def test_the_bootstrap_beside_it_is_nearly_the_same_and_left_out_where_it_takes_too_long(monkeypatch):
    found = ratings(complete(400, 4, 4, 2), 4)
    drawn = pair_estimates(found, MEASURES, seed=1)
    monkeypatch.setattr(pairwise_kappa, "MOST_RESAMPLED_CELLS", 1000)
    for each, alone in zip(drawn, pair_estimates(found, MEASURES, seed=1), strict=True):
        assert (each.method, each.bootstrap.method, each.resamples) == (ROOT, BOOTSTRAP, 2000)
        assert each.high - each.low == pytest.approx(each.bootstrap.high - each.bootstrap.low, rel=0.1)
        assert alone == each._replace(bootstrap=None, resamples=0)


def test_too_many_pairs_of_answers_are_refused_in_a_sentence(monkeypatch):
    monkeypatch.setattr(pairwise_kappa, "MOST_PAIRS_OF_ANSWERS", 100)
    (found,) = pair_estimates(ratings(complete(300, 8, 4, 2), 4), [COHEN], seed=1)
    assert found.value is None
    assert found.reason.endswith("pairs of answers, more than are compared one by one: read Krippendorff α.")


def test_a_pair_that_never_differs_in_itself_does_not_enter_the_mean():
    """0 and 1 agree by chance alone on items 0 to 3; 2 and 3 always say 1 on the others."""
    crossed = [(0, 0, 0), (0, 1, 0), (1, 0, 0), (1, 1, 1), (2, 0, 1), (2, 1, 0), (3, 0, 1), (3, 1, 1)]
    same = [(item, who, 1) for item in range(4, 9) for who in (2, 3)]
    assert COHEN.value(ratings(crossed + same, 2)) == pytest.approx(0)
    assert COHEN.value(ratings(crossed + same, 2)) == COHEN.value(ratings(crossed, 2))
    pairs = pair_table(ratings(crossed + same, 2), COHEN, seed=1).pairs
    assert [(each.first, each.second, each.n_items, each.agreement) for each in pairs] == [
        (0, 1, 4, 0.5), (2, 3, 5, 1.0),
    ]  # fmt: skip
    assert pairs[1].kappa.value is None
    assert pairs[1].kappa.reason.startswith("No pair of annotators used two answers")


def test_pairs_count_with_their_common_items():
    """κ 1 on eight items and κ 0 on four: (8 · 1 + 4 · 0) / 12."""
    agreeing = [(item, who, item % 2) for item in range(8) for who in (0, 1)]
    crossed = [(8 + n, who, answer) for n, pair in enumerate([(0, 0), (0, 1), (1, 0), (1, 1)])
               for who, answer in zip((2, 3), pair, strict=True)]  # fmt: skip
    assert COHEN.value(ratings(agreeing + crossed, 2)) == pytest.approx(2 / 3)


def test_few_common_items_are_cautioned_of():
    """300 annotators who saw ten items each share one or two with another."""
    generator = np.random.default_rng(1)
    rows = []
    for item in range(1000):
        truth = int(generator.integers(0, 5))
        rows += [(item, int(who), truth) for who in generator.choice(300, 3, replace=False)]
    (sparse,) = pair_estimates(ratings(rows, 5), [QUADRATIC_KAPPA], seed=1)
    assert sparse.reason.endswith("κ of so few items is biased towards 0; read Krippendorff α.")
    (dense,) = pair_estimates(ratings(complete(50, 3, 5, 1), 5), [QUADRATIC_KAPPA], seed=1)
    assert dense.reason == ""


class TestPairTable:
    rows = complete(70, 4, 3, 8)[:-9]

    def test_every_pair_equals_counting(self):
        found = pair_table(ratings(self.rows, 3), QUADRATIC_KAPPA, seed=1)
        expected = common_answers(self.rows)
        assert found.n_pairs == 6
        assert [(each.first, each.second) for each in found.pairs] == sorted(expected)
        for each in found.pairs:
            answers = expected[each.first, each.second]
            same = sum(one == other for one, other in answers)
            assert each.n_items == len(answers) == each.kappa.n_items
            assert each.agreement == pytest.approx(same / len(answers))
            assert (each.low, each.high) == pytest.approx(wilson(same, len(answers)))
            assert each.kappa.value == pytest.approx(float(kappa(answers, lambda k, m: (k - m) ** 2)))
            assert each.kappa.low < each.kappa.value < each.kappa.high

    def test_of_many_pairs_those_with_most_common_items_are_listed(self):
        rows = [row for row in self.rows if row[1] != 2 or row[0] < 12]
        found = pair_table(ratings(rows, 3), COHEN, seed=1, resamples=50, most=3)
        assert (found.n_pairs, len(found.pairs)) == (6, 3)
        assert all(2 not in (each.first, each.second) for each in found.pairs)

    def test_the_order_of_rows_does_not_matter(self):
        other = [((item * 31) % 70, who, answer) for item, who, answer in reversed(self.rows)]
        assert pair_table(ratings(self.rows, 3), COHEN, 1) == pair_table(ratings(other, 3), COHEN, 1)


def test_a_measure_of_single_annotators_is_written_like_any_other():
    """The lowest accuracy of any annotator: one statistic, and intervals come with it."""

    def statistic(sample, weights):
        known, right = sample.gold[sample.row] >= 0, sample.gold[sample.row] == sample.answer
        by_annotator = np.eye(int(sample.annotator.max()) + 1)[sample.annotator]
        answers = weights[:, sample.row]
        return ratio((answers * right) @ by_annotator, (answers * known) @ by_annotator).min(axis=1)

    lowest = MeasureOf[Ratings](
        "lowest", "lowest accuracy", "Of the annotator who is right least often.", "min", "own", (0.0, 1.0),
        statistic, lambda sample: sample.gold >= 0, lambda sample: None,
    )  # fmt: skip
    gold = [item % 3 for item in range(60)]
    rows = [(item, who, gold[item] if (item + who) % (3 + who) else (gold[item] + 1) % 3)
            for item in range(60) for who in range(3)]  # fmt: skip
    sample = ratings(rows, 3, gold)
    accuracies = [
        np.mean([answer == gold[item] for item, who, answer in rows if who == one]) for one in range(3)
    ]
    found = estimate(lowest, sample, resample(sample, [statistic], 1, 500)[0], 1)
    assert found.value == pytest.approx(min(accuracies))
    assert found.low < found.value < found.high
    assert found.n_items == 60


def test_quadratic_disagreement():
    assert quadratic(3).tolist() == [[0, 1, 4], [1, 0, 1], [4, 1, 0]]
