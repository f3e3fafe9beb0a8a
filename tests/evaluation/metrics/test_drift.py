"""Drift: slopes and autocorrelations that were put in are found, and order alone is not."""

from itertools import permutations

import numpy as np
import pytest

from evaluation.metrics.ordinal.drift import LIMIT, PERMUTED, drifts
from evaluation.metrics.ordinal.orders import Block, moments


def study(seed, slope=0.0, follow=0.0, n_topics=8, n_documents=20, n_readers=3):
    """Readers in orders of their own; grades on a line, so that what was put in is what is found."""
    generator = np.random.default_rng(seed)
    rows = []
    for topic in range(n_topics):
        truth = generator.normal(2, 1, n_documents)
        for reader in range(n_readers):
            order, error = generator.permutation(n_documents), 0.0
            for position, document in enumerate(order):
                error = follow * error + generator.normal(0, 0.3)
                grade = truth[document] + error + slope * position
                rows.append((topic * n_documents + document, reader, topic, position, grade))
    return zip(*rows, strict=True)


def drift(*rows, **how):
    """The drift of all together."""
    return drifts(*rows, most=0, **how).together


def test_a_slope_that_was_put_in_is_found():
    found = drift(*study(1, slope=0.05), seed=1)
    assert found.low < 0.05 < found.high
    assert found.high - found.low < 0.02
    assert found.slope_p < 0.001
    assert (found.n_judgments, found.n_groups, found.n_topics) == (480, 24, 8)
    assert found.method == PERMUTED


def test_a_slope_of_one_reader_is_found_whole_and_with_that_reader():
    item, reader, topic, position, grade = map(np.array, study(5, n_topics=20))
    grade = grade + 0.04 * position * (reader == 1)
    found = drifts(item, reader, topic, position, grade, 1, most=3)
    assert found.annotators[1].low < 0.04 < found.annotators[1].high
    assert found.annotators[1].slope_p < 0.001
    for other in (0, 2):
        assert abs(found.annotators[other].slope) < 0.01
        assert found.annotators[other].slope_p > 0.01
    assert found.together.n_judgments == sum(each.n_judgments for each in found.annotators.values())
    assert drifts(item, reader, topic, position, grade, 1, most=2).annotators == {}


def test_intervals_over_topics_hold_the_slope_that_was_put_in():
    """400 studies: 95 % of the intervals, with a standard error of 1.1 %."""
    found = [drift(*study(seed, 0.02, n_topics=6, n_documents=10), 1, draws=1) for seed in range(400)]
    assert 0.92 <= np.mean([each.low <= 0.02 <= each.high for each in found]) <= 0.98


def test_the_limit_has_the_mean_and_spread_of_all_orders():
    """Rows of two to five judgments, all orders of each written out."""
    random = np.random.default_rng(3)
    blocks, sums = [], [np.zeros(1), np.zeros(1)]
    for n in (2, 3, 4, 5):
        x, e = np.sort(random.normal(size=n)), random.normal(size=n)
        x, e = x - x.mean(), e - e.mean()
        blocks.append(Block(np.zeros(1, dtype=int), x[None], e[None], e[None]))
        orders = [e[list(order)] for order in permutations(range(n))]
        for at, each in enumerate(([x @ o for o in orders], [o[1:] @ o[:-1] for o in orders])):
            sums[at] = np.add.outer(sums[at], each).ravel()
    mean, slope, lag = moments(blocks)
    assert (mean, slope, lag) == pytest.approx((sums[1].mean(), sums[0].std(), sums[1].std()))


def test_the_limit_and_the_permutation_say_nearly_the_same():
    rows = list(study(7, slope=0.004, follow=0.1, n_topics=10))
    drawn, limit = drift(*rows, 1, draws=4999), drift(*rows, 1, draws=0)
    assert (drawn.method, limit.method) == (PERMUTED, LIMIT)
    assert limit.slope_p == pytest.approx(drawn.slope_p, abs=0.02)
    assert limit.lag_1_p == pytest.approx(drawn.lag_1_p, abs=0.02)
    assert limit[:3] == drawn[:3]


def test_grades_that_follow_each_other_are_found():
    found = drift(*study(2, follow=0.7), seed=1, draws=999)
    assert found.lag_1 > 0.3
    assert found.lag_1_p == 0.001
    assert found.lag_1_expected == pytest.approx(-1 / 20, abs=0.01)


def test_without_drift_p_is_even():
    found = [drift(*study(seed, n_topics=3, n_documents=10), seed=seed, draws=199) for seed in range(200)]
    for name in ("slope_p", "lag_1_p"):
        below = np.mean([getattr(each, name) <= 0.1 for each in found])
        assert 0.04 <= below <= 0.17, name


def test_by_hand():
    """Two readers on three documents: the second gives 1 more at each position, the first nothing."""
    item, reader, position = [0, 1, 2] * 2, [0] * 3 + [1] * 3, [0, 1, 2] * 2
    grade = [2, 2, 2, 2, 3, 4]
    found = drift(item, reader, [0] * 6, position, grade, seed=1, draws=99)
    # Residues within reader are (1, 0, -1) and (-1, 0, 1): opposite slopes.
    assert found.slope == pytest.approx(0)
    assert found.lag_1 == pytest.approx(0)


def test_p_tends_to_the_share_over_all_orders():
    """One reader moves, the other does not: p against all 5! orders of each reader's residues."""
    grades = np.array([0, 1, 1, 3, 4, 2, 2, 2, 2, 2], dtype=float)
    item, reader, position = np.tile(np.arange(5), 2), np.repeat([0, 1], 5), [0, 1, 2, 3, 4, 3, 0, 4, 1, 2]
    found = drift(item, reader, np.zeros(10), position, grades, seed=1, draws=20_000)
    residue = 2 * grades - (grades[:5] + grades[5:])[item]
    residue = (residue.reshape(2, 5) - residue.reshape(2, 5).mean(axis=1)[:, None]).ravel()
    at = np.array(position).reshape(2, 5) - 2
    ordered = [residue[:5], residue[5:]]
    observed = sum((x * e).sum() for x, e in zip(at, ordered, strict=True))
    sums = [[(at[k] * np.array(each)).sum() for each in permutations(ordered[k])] for k in (0, 1)]
    every = np.add.outer(*sums)
    assert found.slope == pytest.approx(observed / 20)
    assert found.slope_p == pytest.approx((np.abs(every) >= abs(observed) - 1e-9).mean(), abs=0.01)


def test_the_same_seed_gives_the_same_p_whatever_the_order_of_rows():
    rows = np.array(list(zip(*study(3), strict=True)))
    mixed = rows[np.random.default_rng(1).permutation(len(rows))]
    assert drift(*rows.T, seed=4, draws=99) == drift(*mixed.T, seed=4, draws=99)


def test_one_common_order_hides_what_all_do_and_mirrors_what_one_does():
    item, reader, topic, position, grade = map(np.array, study(6, n_topics=20))
    assert abs(drift(item, reader, topic, position, grade, 1).alike) < 0.2
    common = item % 20
    # Had all readers the items in the order of their numbers, and reader 1 a slope of .05:
    found = drifts(item, reader, topic, common, grade + 0.05 * common * (reader == 1), 1, most=3)
    assert found.together.alike == pytest.approx(1)
    assert found.together.slope == pytest.approx(0)
    assert [found.annotators[who].slope for who in range(3)] == pytest.approx(
        [-0.025, 0.05, -0.025], abs=0.01
    )


class TestWithout:
    def test_items_of_one_reader_do_not_enter(self):
        found = drift([0, 1, 2], [0, 0, 0], [0, 0, 0], [0, 1, 2], [1, 2, 3], seed=1)
        assert (found.slope, found.n_judgments) == (None, 0)
        assert found.reason == "No annotator has two documents of a topic that others judged as well."

    def test_all_alike(self):
        found = drift([0, 1, 0, 1], [0, 0, 1, 1], [0] * 4, [0, 1, 1, 0], [1, 3, 1, 3], seed=1)
        assert (found.slope_p, found.lag_1) == (None, None)
        assert "nothing is left that could drift" in found.reason

    def test_refused(self):
        with pytest.raises(ValueError, match="one entry per judgment"):
            drift([0, 1], [0], [0, 0], [0, 1], [1, 2], seed=1)
        with pytest.raises(ValueError, match="two judgments at one position of a topic"):
            drift([0, 1, 0, 1], [0, 0, 1, 1], [0] * 4, [1, 1, 0, 1], [1, 2, 3, 0], seed=1)
