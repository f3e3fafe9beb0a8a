"""Places in the order of length: dealt out evenly, at the least cost, and so that lengths tell nothing."""

from collections import Counter
from itertools import permutations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.engine.ranking import places
from retrieval.engine.ranking.matching import Matching, cells
from retrieval.engine.ranking.places import Entry, Offer, deal

RULES = Matching().rules()
THREE = cells(Matching(context=False), 2)
BOTH = cells(Matching(), 2)


def entries(number, seed=0, options=6):
    """Excerpts whose golds are the cheaper in the longest place the longer they are, as with BM25."""
    draw = Random(seed)
    made = []
    for name in range(number):
        length = draw.randrange(40, 400)
        ranks = [[1 + draw.randrange(20 + abs(length - 130 * (cell % 3)))] * 2 for cell in range(options)]
        made.append(Entry(str(name), draw.choice([1, 1, 2]), length, [Offer(RULES, each) for each in ranks]))
    return made


@given(st.integers(0, 60), st.integers(1, 4), st.integers(0, 3))
def test_no_place_leads_by_more_than_one(number, negatives, seed):
    possible = cells(Matching(), negatives)
    dealt = deal(entries(number, seed, len(possible)), possible, seed)
    counts = Counter(possible[at].place for at in dealt)
    every = [counts[place] for place in range(negatives + 1)]
    assert sum(every) == number
    assert max(every) - min(every) <= 1


@given(st.integers(0, 60), st.integers(0, 3))
def test_each_place_of_length_stands_beside_each_of_shared_words_equally_often(number, seed):
    dealt = [BOTH[at] for at in deal(entries(number, seed, len(BOTH)), BOTH, seed)]
    pairs = Counter((each.place, each.sharing) for each in dealt)
    assert len(BOTH) == len(set(BOTH)) == 18
    every = [pairs[place, sharing] for place in range(3) for sharing in range(3)]
    assert max(every) - min(every) <= (number % 18 > 0) * 2
    shared = Counter(each.sharing for each in dealt)
    assert max(shared[at] for at in range(3)) - min(shared[at] for at in range(3)) <= 2


def test_two_jobs_with_one_seed_do_not_have_the_same_places_over():
    """Else what is over in the jobs of all books would add up."""
    over = set()
    for job in range(8):
        made = [each._replace(name=f"{job} {each.name}") for each in entries(1)]
        over.add(deal(made, THREE, 0)[0])
    assert len(over) > 1


@given(st.integers(1, 40), st.integers(0, 5), st.randoms())
def test_neither_the_order_of_the_excerpts_nor_a_second_call_changes_anything(number, seed, draw):
    made = entries(number)
    dealt = dict(zip((each.name for each in made), deal(made, THREE, seed), strict=True))
    draw.shuffle(made)
    assert dict(zip((each.name for each in made), deal(made, THREE, seed), strict=True)) == dealt


def test_another_seed_deals_otherwise():
    for number in (48, 50):
        made = entries(number)
        assert len({tuple(deal(made, THREE, seed)) for seed in range(8)}) > 1


def test_within_a_block_the_sum_of_log_ranks_is_the_least_there_is():
    made = entries(6, seed=3)
    dealt = deal(made, THREE, 0)
    best = min(
        sum(each.offers[at].cost for each, at in zip(made, order, strict=True))
        for order in permutations(range(6))
    )
    assert sum(each.offers[at].cost for each, at in zip(made, dealt, strict=True)) == pytest.approx(best)


def test_a_rule_that_holds_is_worth_more_than_any_rank():
    fine, broken = Offer(RULES, [900, 900]), Offer(RULES[1:], [1, 1])
    made = [
        Entry("one", 1, 100, [fine, broken, broken, broken, broken, broken]),
        Entry("two", 1, 100, [broken, fine, broken, broken, broken, broken]),
        *(Entry(f"{n}", 1, 100, [fine] * 6) for n in range(4)),
    ]
    assert deal(made, THREE, 1)[:2] == [0, 1]


@pytest.mark.parametrize("seed", range(5))
def test_the_length_of_the_options_does_not_tell_the_place(seed):
    """Taking the cheapest place for each would: short golds would be the shortest, long ones the longest."""
    made = entries(240, seed)
    dealt = deal(made, THREE, seed)
    cheapest = [min(range(6), key=lambda at, each=each: each.offers[at].cost) for each in made]

    def agreement(chosen):
        """How often “short, so the shortest; long, so the longest” is right."""
        told = [(each.length - 40) * 3 // 360 for each in made]
        return sum(THREE[at].place == min(2, tell) for at, tell in zip(chosen, told, strict=True)) / 240

    assert agreement(cheapest) > 0.4
    assert abs(agreement(dealt) - 1 / 3) < 0.07


def test_one_sentence_and_two_are_dealt_out_apart():
    """Of golds of one length those that are long for their number of sentences are not the longest."""
    draw = Random(5)
    made = [
        Entry(
            f"{n}",
            1 + n % 2,
            100 + n,
            [
                Offer(RULES, [draw.randrange(1, 9) + 40 * (THREE[at].place != 2 * (n % 2 == 0))])
                for at in range(6)
            ],
        )
        for n in range(96)
    ]
    dealt = deal(made, THREE, 0)
    for size in (1, 2):
        counts = Counter(THREE[at].place for each, at in zip(made, dealt, strict=True) if each.size == size)
        assert max(counts.values()) - min(counts.values()) <= 4


def test_blocks_hold_whole_sets_of_cells():
    assert places.BLOCK % len(THREE) == 0
    assert deal([], THREE, 0) == []
    assert deal(entries(3, options=1), [None], 0) == [0, 0, 0]
