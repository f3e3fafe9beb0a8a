"""Candidate pools: who is in, who is not, and that nobody can see which is the gold."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from common.errors import BadInput
from retrieval.engine.ranking import fusion, order, pools
from retrieval.engine.ranking.negatives import Rules
from retrieval.engine.text.passages import Passage

TEXTS = [f"Sentence number {n} speaks of thing {n}." for n in range(40)]
GOLD = Passage(30, 1)
DOWN = np.arange(40, 0, -1)


def firsts(pool):
    return sorted(passage.first for passage in pool.passages)


def test_the_best_of_one_ranker_with_the_gold_put_in() -> None:
    pool = pools.pool([DOWN], GOLD, TEXTS, seed=1, size=5)
    assert firsts(pool) == [0, 1, 2, 3, 30]
    assert pool.passages[pool.gold] == GOLD
    assert (pool.inserted, pool.reason, pool.excluded) == (True, "", {})
    assert pool.places[pool.gold] == pools.PoolRanks((31,), 31, 10.0)


def test_a_gold_that_was_found_takes_no_extra_place() -> None:
    pool = pools.pool([DOWN], Passage(4, 1), TEXTS, seed=1, size=5)
    assert firsts(pool) == [0, 1, 2, 3, 4]
    assert not pool.inserted
    assert pools.pool([DOWN], Passage(5, 1), TEXTS, seed=1, size=5).inserted


def test_a_gold_that_is_not_ranked_is_put_in_and_what_else_is_not_ranked_stays_out() -> None:
    scores = np.full(40, order.UNRANKED)
    scores[[3, 9]] = [1, 2]
    pool = pools.pool([scores], GOLD, TEXTS, seed=1, size=5)
    assert firsts(pool) == [3, 9, 30]
    assert pool.inserted
    assert pool.reason == "Only 3 of 5 passages: the others are not ranked."
    assert pool.places[pool.gold].score == order.UNRANKED


def test_fifty_by_default() -> None:
    texts = [f"Sentence number {n}." for n in range(400)]
    assert len(pools.pool([np.arange(400)], Passage(0, 1), texts, seed=1).passages) == 50


def test_fused_and_alternating() -> None:
    up = np.arange(40)
    alternating = pools.pool([DOWN, up], Passage(20, 1), TEXTS, seed=1, size=5, method="alternating")
    assert firsts(alternating) == [0, 1, 20, 38, 39]
    rrf = pools.pool([DOWN, up], Passage(20, 1), TEXTS, seed=1, size=5)
    best = order.top(fusion.reciprocal_rank([DOWN, up]), 4).tolist()
    assert firsts(rrf) == sorted([*best, 20])
    assert rrf.places[rrf.gold].ranks == (21, 20)


def test_near_copies_of_the_gold_are_no_wrong_answers_and_are_counted() -> None:
    texts = [*TEXTS, "Sentence number 30 speaks of thing 30!"]
    scores = np.zeros(41)
    scores[[40, 29, 31, 28]] = [9, 8, 7, 6]
    pool = pools.pool([scores], GOLD, texts, seed=1, size=3)
    assert firsts(pool) == [28, 29, 30] or firsts(pool) == [29, 30, 31]
    assert pool.excluded == {"gold_words": 1}
    longer = [f"{TEXTS[n]} {TEXTS[n + 1]}" for n in range(39)]
    near = np.zeros(39)
    near[[29, 31, 5]] = [9, 8, 7]
    pool = pools.pool([near], Passage(30, 2), longer, seed=1, size=3)
    assert 29 not in firsts(pool)
    assert 31 not in firsts(pool)
    assert pool.excluded["overlap"] == 2


@given(st.integers(0, 37), st.integers(1, 3), st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_gold_is_in_once_and_overlaps_no_more_than_the_others(first: int, size: int, seed: int) -> None:
    texts = [" ".join(TEXTS[n : n + size]) for n in range(41 - size)]
    scores = np.random.default_rng(seed).integers(0, 6, len(texts))
    gold = Passage(first, size)
    pool = pools.pool([scores], gold, texts, seed=seed, size=8)
    assert pool.passages.count(gold) == 1
    assert pool.passages[pool.gold] == gold
    assert not any(one.overlaps(other) for one, other in combinations(pool.passages, 2))
    assert len(pool.passages) == len(pool.places) == 8
    assert pool == pools.pool([scores], gold, texts, seed=seed, size=8)


def test_the_order_tells_nothing() -> None:
    places = Counter(pools.pool([DOWN], GOLD, TEXTS, seed=f"7:{n}", size=5).gold for n in range(1000))
    # Uniform over five places: 200 each, standard deviation 12.6.
    assert all(abs(places[place] - 200) < 4.5 * 12.6 for place in range(5))


def test_a_short_book_gives_a_short_pool_and_says_why() -> None:
    pool = pools.pool([[3, 2, 1]], Passage(0, 1), ["One here.", "* * *", "Two there."], seed=1, size=5)
    assert firsts(pool) == [0, 2]
    assert pool.reason == "Only 2 of 5 passages: the rules leave out all others (no_words 1)."
    assert not pool.inserted


def test_second_study_takes_golds_beyond_the_cutoff() -> None:
    assert pools.beyond([1000, 1001, 3, 5000.5, float("inf")]).tolist() == [1, 3, 4]
    assert pools.beyond([3, 4], cutoff=3).tolist() == [1]


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: pools.pool([DOWN], GOLD, TEXTS, seed=1, size=1), "2 or more"),
        (lambda: pools.pool([DOWN], GOLD, TEXTS, seed=1, method="best"), "choose rrf"),
        (lambda: pools.pool([], GOLD, TEXTS, seed=1), "no ranking"),
        (lambda: pools.pool([DOWN], Passage(90, 1), TEXTS, seed=1), "none of the 40 candidates"),
        (lambda: pools.pool([DOWN], GOLD, TEXTS, seed=1, rules=Rules(gold=False)), "cannot be switched off"),
        (lambda: pools.beyond([0]), "below 1"),
        (lambda: pools.beyond([3], cutoff=0), "1 or more"),
    ],
)
def test_refused(call, sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        call()
