"""The overlap of what annotators call relevant: by hand, by sets, and as a measure over pairs."""

from itertools import combinations

import numpy as np
import pytest

from evaluation.metrics.common.ratings import ratings_of
from evaluation.metrics.ordinal.overlap import overlap_at, overlaps

# Documents a, b, c, d of one topic by A, B and C (C left c undone), and one of another topic by A and B.
BY_HAND = [
    *[(0, who, 0, grade) for who, grade in enumerate((2, 2, 2))],
    *[(1, who, 0, grade) for who, grade in enumerate((2, 0, 2))],
    *[(2, who, 0, grade) for who, grade in enumerate((0, 2))],
    *[(3, who, 0, grade) for who, grade in enumerate((0, 0, 0))],
    *[(4, who, 1, 2) for who in range(2)],
]


def columns(rows):
    return [np.array(each) for each in zip(*rows, strict=True)]


def study(seed, n_items=120, n_readers=4, n_topics=7):
    """Judgments with gaps, items of topics here and there."""
    random = np.random.default_rng(seed)
    topic = random.integers(0, n_topics, n_items)
    return [
        (item, who, int(topic[item]), int(random.integers(0, 5)))
        for item in range(n_items)
        for who in range(n_readers)
        if random.random() < 0.8
    ]


def test_pairs_and_all_by_hand():
    found = {each.annotators: each for each in overlaps(*columns(BY_HAND), 2)[2]}
    both = found[0, 1]
    assert (both.n_items, both.n_common, both.n_any, both.n_topics, both.overlap) == (5, 2, 4, 2, 0.5)
    assert both.by_topic == pytest.approx((1 / 3 + 1) / 2)
    three = found[0, 1, 2]
    assert (three.n_items, three.n_common, three.n_any, three.overlap) == (3, 1, 2, 0.5)
    assert len(found) == 4


@pytest.mark.parametrize("seed", range(3))
def test_against_sets(seed):
    rows = study(seed)
    found = overlaps(*columns(rows), 2, 1)[2]
    assert [each.annotators for each in found] == [*combinations(range(4), 2), (0, 1, 2, 3)]
    for each in found:
        graded = [{item for item, who, _, _ in rows if who == one} for one in each.annotators]
        common = set.intersection(*graded)
        sets = [
            {item for item, who, _, grade in rows if who == one and grade >= 2 and item in common}
            for one in each.annotators
        ]
        assert each.n_items == len(common)
        assert (each.n_common, each.n_any) == (len(set.intersection(*sets)), len(set.union(*sets)))
        topic_of = {item: topic for item, _, topic, _ in rows}
        shares = []
        for topic in set(topic_of.values()):
            own = [{item for item in one if topic_of[item] == topic} for one in sets]
            if set.union(*own):
                shares.append(len(set.intersection(*own)) / len(set.union(*own)))
        assert each.by_topic == pytest.approx(np.mean(shares))
        assert each.n_topics == len(shares)


@pytest.mark.parametrize(("relevant", "kappa"), [(0.10, 0.58), (0.25, 0.49), (0.50, 0.24)])
def test_an_overlap_of_45_hundredths_is_another_kappa_where_more_is_relevant(relevant, kappa):
    n = 10_000
    size = round(relevant * n)
    common = round(0.45 * 2 * size / 1.45)
    one, other = np.zeros(n, dtype=int), np.zeros(n, dtype=int)
    one[:size] = other[size - common : 2 * size - common] = 1
    item = np.arange(n)
    (found,) = overlaps(
        [*item, *item], np.repeat([0, 1], n), np.zeros(2 * n), np.concatenate([one, other]), 1
    )[1]
    assert found.overlap == pytest.approx(0.45, abs=1e-3)
    assert found.relevant == relevant
    assert found.kappa == pytest.approx(kappa, abs=0.005)


def test_the_measure_is_all_pairs_in_one_ratio():
    item, who, _, grade = columns(study(5))
    found = overlaps(item, who, np.zeros_like(item), grade, 3)[3][:-1]
    measure = overlap_at(3)
    value = measure.value(ratings_of(item, who, grade, None, 5))
    assert value == pytest.approx(sum(each.n_common for each in found) / sum(each.n_any for each in found))
    assert "grade 3 or more" in measure.definition
    assert (measure.slug, overlap_at(1, usual=False).slug) == (
        "relevant_overlap",
        "relevant_overlap_from_1",
    )


def test_where_there_is_none():
    alone = ratings_of(np.arange(3), np.zeros(3, dtype=int), np.full(3, 4), None, 5)
    assert overlap_at(2).undefined(alone) == "No item has two judgments."
    low = ratings_of(np.zeros(2, dtype=int), np.arange(2), np.ones(2, dtype=int), None, 5)
    assert overlap_at(2).undefined(low) == "Nobody called any item of several readers relevant."
    assert overlaps([0, 1], [0, 1], [0, 0], [1, 1], 1) == {1: ()}
    (nothing,) = overlaps([0, 0], [0, 1], [0, 0], [1, 1], 2)[2]
    assert (nothing.overlap, nothing.by_topic, nothing.n_topics) == (None, None, 0)
    with pytest.raises(ValueError, match="must be 1 or more, not 0"):
        overlaps([], [], [], [], 0)
    with pytest.raises(ValueError, match="one entry per judgment"):
        overlaps([0], [0, 1], [0], [0], 1)
