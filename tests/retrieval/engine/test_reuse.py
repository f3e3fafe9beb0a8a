"""No wrong passage in two items, where that can be."""

from random import Random

import pytest

from retrieval.engine.ranking.reuse import FRESH, RULE, Alternative, take


def test_who_comes_later_takes_the_next_choice():
    same = [Alternative(8, ["a", "b"]), Alternative(8, ["c", "d"])]
    assert take(["one", "two"], [same, same]) == [(0, True), (1, True)]


def test_rules_are_given_up_for_it():
    rows = [Alternative(8, ["a"]), Alternative(0, ["b"])]
    assert FRESH > 8
    assert take(["one", "two"], [rows, rows]) == [(0, True), (1, True)]


def test_a_rule_is_worth_some_rank_and_not_all():
    near = [Alternative(8, ["a"], RULE - 0.1), Alternative(7, ["b"], 0.0)]
    far = [Alternative(8, ["a"], RULE + 0.1), Alternative(7, ["b"], 0.0)]
    assert [take(["one"], [rows])[0].number for rows in (near, far)] == [0, 1]


def lopsided(number, seed):
    """Excerpts whose cheapest choice puts the gold above its options in one measure, below in another."""
    draw = Random(seed)
    made = []
    for at in range(number):
        leans = sorted(((draw.gauss(0.5, 1), draw.gauss(-0.5, 2)) for _ in range(8)), reverse=True)
        made.append([Alternative(8, [f"{at} {n}"], 0.2 * n, lean) for n, lean in enumerate(leans)])
    return made


@pytest.mark.parametrize("seed", range(5))
def test_golds_lie_as_far_above_their_options_as_below_over_the_job(seed):
    made = lopsided(20, seed)
    names = [f"{n:02}" for n in range(20)]
    taken = [rows[one.number].leans for rows, one in zip(made, take(names, made), strict=True)]
    cheapest = [rows[0].leans for rows in made]
    for measure, spread in ((0, 1), (1, 2)):
        assert abs(sum(each[measure] for each in taken)) < 1.2 * spread
    assert abs(sum(each[0] for each in cheapest)) > 20


def test_without_measures_the_cheapest_is_taken():
    bare = [[each._replace(leans=()) for each in rows] for rows in lopsided(6, 0)]
    assert take([f"{n}" for n in range(6)], bare) == [(0, True)] * 6
    assert take([], []) == []


def test_a_measure_in_which_nothing_differs_moves_nothing():
    rows = [Alternative(8, ["a"], 0.1, (0.0,)), Alternative(8, ["b"], 0.0, (0.0,))]
    assert take(["one"], [rows]) == [(1, True)]


def test_where_nothing_is_left_the_best_is_offered_again():
    assert take(["one", "two"], [[Alternative(8, ["a"])]] * 2) == [(0, False), (0, False)]


def test_the_order_in_which_they_come_does_not_count():
    draw = Random(1)
    names = [f"{n}" for n in range(30)]
    offered = {
        name: [Alternative(draw.randrange(9), draw.sample("abcdefghijkl", 2)) for _ in range(4)]
        for name in names
    }
    first = dict(zip(names, take(names, list(offered.values())), strict=True))
    draw.shuffle(names)
    assert dict(zip(names, take(names, [offered[name] for name in names]), strict=True)) == first
