"""No wrong passage in two items, where that can be."""

from random import Random

from retrieval.engine.ranking.reuse import FRESH, Alternative, take


def test_who_comes_later_takes_the_next_choice():
    same = [Alternative(8, ["a", "b"]), Alternative(8, ["c", "d"])]
    assert take(["one", "two"], [same, same]) == [(0, True), (1, True)]


def test_a_rule_or_two_are_given_up_for_it_and_not_more():
    cheap = [Alternative(8, ["a"]), Alternative(6, ["b"])]
    dear = [Alternative(8, ["a"]), Alternative(5, ["b"])]
    assert 2 < FRESH < 3
    assert take(["one", "two"], [cheap, cheap]) == [(0, True), (1, True)]
    assert take(["one", "two"], [dear, dear]) == [(0, False), (0, False)]


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
