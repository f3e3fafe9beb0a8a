"""Ranks of the gold and what is made of them: hand cases, a slow reference, published numbers."""

from math import inf, log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.metrics.ranking.gold_ranks import (
    MEAN_RANK,
    MEASURES,
    MRR,
    estimates,
    gold_ranks,
    ndcg_at,
    random_value,
    recall_at,
    stored_ranks,
    together,
)

GAINS = {
    "recall_at_1": lambda rank: float(rank <= 1),
    "recall_at_3": lambda rank: float(rank <= 3),
    "recall_at_10": lambda rank: float(rank <= 10),
    "mean_rank": float,
    "mrr": lambda rank: 1 / rank,
    "ndcg_at_10": lambda rank: 1 / log2(rank + 1) if rank <= 10 else 0.0,
}


def of(slug):
    return next(measure for measure in MEASURES if measure.slug == slug)


def test_ranks_count_greater_scores_and_keep_ties_as_a_range():
    ranks = gold_ranks([[5, 9, 5, 5, 1], [3, 2, 1, 0, 0]], [2, 0])
    assert ranks.lowest.tolist() == [2, 1]
    assert ranks.highest.tolist() == [4, 1]
    assert ranks.expected.tolist() == [3, 1]
    assert ranks.candidates.tolist() == [5, 5]
    assert ranks.n_tied == 1


def test_hand_case_without_ties():
    ranks = stored_ranks([1, 2, 4, 20], [100, 100, 100, 100])
    assert recall_at(1).per_query(ranks).mean() == 0.25
    assert recall_at(3).per_query(ranks).mean() == 0.5
    assert MEAN_RANK.per_query(ranks).mean() == 6.75
    assert MRR.per_query(ranks).mean() == pytest.approx((1 + 1 / 2 + 1 / 4 + 1 / 20) / 4)
    assert ndcg_at(10).per_query(ranks).tolist() == pytest.approx([1, 1 / log2(3), 1 / log2(5), 0])


def test_hand_case_with_ties():
    ranks = stored_ranks([2], [9], [4])
    assert recall_at(1).per_query(ranks).tolist() == [0]
    assert recall_at(3).per_query(ranks).tolist() == pytest.approx([2 / 3])
    assert recall_at(5).per_query(ranks).tolist() == [1]
    assert MRR.per_query(ranks).tolist() == pytest.approx([(1 / 2 + 1 / 3 + 1 / 4) / 3])


@given(st.lists(st.lists(st.integers(0, 4), min_size=12, max_size=12), min_size=1, max_size=6), st.data())
@settings(max_examples=60, deadline=None)
def test_ties_are_the_mean_over_every_order_of_the_tied(rows, data):
    golds = [data.draw(st.integers(0, 11)) for _ in rows]
    ranks = gold_ranks(rows, golds)
    for slug, gain in GAINS.items():
        slow = []
        for row, gold in zip(rows, golds, strict=True):
            better = sum(score > row[gold] for score in row)
            equal = sum(score == row[gold] for score in row)
            slow.append(sum(gain(better + place) for place in range(1, equal + 1)) / equal)
        assert of(slug).per_query(ranks).tolist() == pytest.approx(slow, abs=1e-12), slug


def test_random_row_is_the_mean_over_queries_and_equals_all_scores_tied():
    candidates = np.array([3, 50, 4888])
    tied = stored_ranks([1, 1, 1], candidates, candidates)
    for measure in MEASURES:
        assert random_value(measure, candidates) == pytest.approx(measure.per_query(tied).mean(), abs=1e-12)
    assert random_value(recall_at(10), candidates) == pytest.approx((1 + 10 / 50 + 10 / 4888) / 3)
    assert random_value(MEAN_RANK, candidates) == pytest.approx((2 + 25.5 + 2444.5) / 3)
    assert random_value(MEAN_RANK, []) is None


def test_a_gold_that_was_not_returned_has_no_mean_rank():
    ranks = stored_ranks([1, inf], [100, 100])
    found = {each.measure.slug: each.mean for each in estimates(ranks, seed=1, resamples=100)}
    assert found["recall_at_100"].value == 0.5
    assert found["mrr"].value == 0.5
    assert found["mean_rank"].value is None
    assert found["mean_rank"].reason == "1 of 2 queries have no value."


def test_estimates_carry_interval_and_number_of_queries():
    generator = np.random.default_rng(5)
    ranks = stored_ranks(generator.integers(1, 400, 300), np.full(300, 400))
    found = {each.measure.slug: each for each in estimates(ranks, seed=1)}
    recall = found["recall_at_100"]
    assert recall.mean.n_queries == 300
    assert recall.mean.low < recall.mean.value < recall.mean.high
    share = recall.mean.value
    assert recall.mean.high - recall.mean.low == pytest.approx(
        2 * 1.96 * np.sqrt(share * (1 - share) / 300), rel=0.1
    )
    assert recall.random == 0.25
    assert estimates(ranks, seed=1) == estimates(ranks.take(generator.permutation(300)), seed=1)


def test_no_queries_give_no_values():
    found = estimates(together([]), seed=1)
    assert {each.mean.value for each in found} == {None}
    assert found[0].mean.reason == "There is no query."


def test_parts_are_put_together_in_order():
    parts = [stored_ranks([3], [10]), stored_ranks([1, 2], [20, 20], [1, 5])]
    assert together(parts).lowest.tolist() == [3, 1, 2]
    assert together(parts).candidates.tolist() == [10, 20, 20]


@pytest.mark.parametrize(
    ("scores", "gold", "sentence"),
    [
        ([[1, 2]], [2], "between 0 and 1"),
        ([[1, 2]], [-1], "between 0 and 1"),
        ([[1, float("nan")]], [0], "NaN"),
        ([[1, 2]], [0, 1], "queries"),
        ([1, 2], [0], "queries"),
    ],
)
def test_refused_scores(scores, gold, sentence):
    with pytest.raises(ValueError, match=sentence):
        gold_ranks(scores, gold)


@pytest.mark.parametrize(
    ("low", "of", "high"), [([0], [5], None), ([6], [5], None), ([3], [5], [2]), ([1, 2], [5], None)]
)
def test_refused_ranks(low, of, high):
    with pytest.raises(ValueError, match="rank"):
        stored_ranks(low, of, high)
