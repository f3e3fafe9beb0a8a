"""Negatives that look like the gold: what they share with it, and what is given up where none do."""

import math
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.engine.ranking.matching import (
    DROPPED,
    OFF,
    SHIFTS,
    STANDS,
    WIDER,
    Cell,
    Matching,
    cells,
    recorded,
)
from retrieval.engine.ranking.negatives import Rules, hard_negatives
from retrieval.engine.ranking.shelf import LOOKS, shelf
from retrieval.engine.ranking.surface import surface
from retrieval.engine.text.passages import Passage

GOLD = Passage(0, 1)
LENGTH = replace(OFF, length=True)


def line(number, letters, *, small=False, mark=False, spoken=False):
    """A sentence of its own words and of so many characters."""
    first = f"{'a' if small else 'A'}{number}"
    opening = f"“{first}" if spoken else f"“{first}”" if mark else first
    closing = "”" if spoken else ""
    return f"{opening} {'waves ' * letters}"[: letters - len(closing) - 1] + "." + closing


TEXTS = st.lists(
    st.tuples(st.integers(20, 400), st.booleans(), st.booleans(), st.booleans()), min_size=3, max_size=60
)


def passages(kinds):
    return [line(n, letters, small=a, mark=b, spoken=c) for n, (letters, a, b, c) in enumerate(kinds)]


def ranked(texts, seed=0):
    """Scores in which the longer stand higher, as with BM25, but not always."""
    noise = np.random.default_rng(seed).normal(0, 30, len(texts))
    return np.array([len(text) for text in texts]) + noise


@given(TEXTS, st.integers(1, 4), st.integers(0, 5))
def test_with_every_rule_off_they_are_the_ranker_s_best(kinds, number, seed):
    texts = passages(kinds)
    scores = ranked(texts, seed)
    best = hard_negatives(scores, GOLD, texts, number)
    chosen = shelf(scores, GOLD, texts, Rules()).choose(OFF, number, None)
    assert chosen.chosen == best.chosen
    assert chosen.kept == ()


@settings(deadline=None)
@given(TEXTS, st.sampled_from(cells(Matching(), 2)), st.integers(0, 5))
def test_what_is_said_to_hold_holds(kinds, cell, seed):
    texts = passages(kinds)
    choice = shelf(ranked(texts, seed), GOLD, texts, Rules()).choose(Matching(), 2, cell)
    gold, others = surface(texts[0]), [surface(texts[each.first]) for each in choice.chosen]
    assert 0 not in [each.first for each in choice.chosen]
    assert [each.rank for each in choice.chosen] == sorted(each.rank for each in choice.chosen)
    assert choice.kept in {DROPPED[n:] for n in range(len(DROPPED) + 1)}
    for rule, seen in LOOKS.items():
        if rule in choice.kept:
            assert {getattr(each, seen) for each in others} == {getattr(gold, seen)}
    if "place" in choice.kept:
        assert sum(each.length < gold.length for each in others) == cell.place
        band = 1.2 if "band" in choice.kept else 1.2**WIDER
        at = [math.floor(cell.place + cell.stand + math.log(e.length / gold.length, band)) for e in others]
        assert sorted([*at, cell.place]) == [0, 1, 2]


def test_every_option_has_a_band_to_itself_and_the_best_in_it_is_taken():
    lengths = [100, 118, 121, 119, 90, 84, 82, 140, 139]
    texts = [line(n, letters) for n, letters in enumerate(lengths)]
    scores = -np.arange(len(texts), dtype=float)
    one = shelf(scores, GOLD, texts, Rules())
    # The gold at one third of its band of 1.2: the next begins at 113, the one after at 135.5, to 163.
    assert [each.first for each in one.choose(LENGTH, 2, Cell(0, 1 / 3)).chosen] == [1, 7]
    # The bands below end at 94 and at 78.4.
    assert [each.first for each in one.choose(LENGTH, 2, Cell(1, 1 / 3)).chosen] == [1, 4]


def test_the_gold_s_own_band_holds_no_other():
    texts = [line(n, letters) for n, letters in enumerate([100, 101, 99, 130, 150])]
    choice = shelf(-np.arange(5.0), GOLD, texts, Rules()).choose(LENGTH, 2, Cell(0, 1 / 3))
    assert [each.first for each in choice.chosen] == [3, 4]


def test_what_cannot_be_kept_is_given_up_in_order_and_said():
    # The gold has no word of the context, and all others are to share more of theirs.
    gold, cell = strange(line(0, 100, small=True, mark=True, spoken=True)), Cell(0, 1 / 3, 0)
    alike = [line(n, length, small=True, mark=True, spoken=True) for n, length in ((1, 125), (2, 150))]
    left = [
        alike,
        [line(3, 126, small=True, mark=True), line(4, 151, small=True, mark=True)],
        [line(5, 127, small=True), line(6, 152, small=True)],
        [line(7, 130, small=True), line(8, 190, small=True)],
        [strange(line(9, 131, small=True)), strange(line(10, 191, small=True))],
        [broken_off(line(11, 132, small=True)), broken_off(line(12, 192, small=True))],
        [broken_off(line(13, 133)), broken_off(line(14, 193))],
        [line(15, 30), line(16, 31)],
        [line(17, 32), line(18, 33)],
    ]
    assert DROPPED == ("dialogue", "mark", "band", "context", "ending", "case", "place", "reuse")
    for dropped in range(len(DROPPED) + 1):
        texts = [gold, *(text for pair in left[dropped:] for text in pair)]
        scores = -np.arange(len(texts), dtype=float)
        golds = range(len(texts) - 2, len(texts))
        found = shelf(scores, GOLD, texts, Rules(), context=("Deep waves.",), golds=golds)
        choice = found.choose(Matching(), 2, cell)
        assert choice.kept == DROPPED[dropped:]
        assert [texts[each.first] for each in choice.chosen] == left[dropped]


def strange(text):
    """Without a word that the context has."""
    return text.replace("waves", "tides")


def broken_off(text):
    return f"{text[:-1]},"


@pytest.mark.parametrize("sharing", [0, 1, 2])
def test_as_many_share_fewer_words_with_the_context_as_was_dealt(sharing):
    texts = [
        "Sea and sand.",
        "Sea, sand, foam.",
        "Sea and foam.",
        "Rock and rime.",
        "Rock, rime.",
        "Sea, sand.",
    ]
    found = shelf(-np.arange(6.0), GOLD, texts, Rules(), context=("The sea’s sand", "on the sea"))
    choice = found.choose(replace(OFF, context=True), 2, Cell(None, 0.0, sharing))
    # Two thirds of the gold's words stand there; of number 1 as many, of 2, 3 and 4 fewer, of 5 all.
    assert [each.first for each in choice.chosen] == {0: [1, 2], 1: [2, 5], 2: [2, 3]}[sharing]
    assert choice.kept == (("context",) if sharing else ())
    assert found.keeps(Cell(None, 0.0, sharing), choice.chosen) == bool(sharing)


def test_alternatives_are_the_best_without_all_or_one_and_end_where_there_are_no_more():
    texts = [line(n, 100 + n) for n in range(5)]
    found = shelf(-np.arange(5.0), GOLD, texts, Rules())
    choices = found.alternatives(replace(OFF, case=True), 2, None, 4)
    firsts = [[each.first for each in choice.chosen] for choice in choices]
    assert firsts == [[1, 2], [3, 4], [2, 3], [1, 3]]
    every = found.alternatives(replace(OFF, case=True), 2, None, 40)
    assert sorted([each.first for each in choice.chosen] for choice in every) == [
        [1, 2],
        [1, 3],
        [1, 4],
        [2, 3],
        [2, 4],
        [3, 4],
    ]


def test_golds_lean_by_length_marks_and_words_of_the_context():
    texts = ["Sea, sand.", "Rock and rime and foam!", "Sea: rime, foam; sand."]
    found = shelf(-np.arange(3.0), GOLD, texts, Rules(), context=("The sea’s sand", "on the sea"))
    chosen = found.choose(OFF, 2, None).chosen
    lengths = [math.log(len(each)) for each in texts]
    expected = (
        lengths[0] - sum(lengths) / 3,
        1 - (1 + 1 / 5 + 1) / 3,
        1 - (1 + 0 + 1 / 2) / 3,
    )
    assert found.leans(chosen) == pytest.approx(expected)


def test_no_sentence_of_another_gold_is_part_of_a_negative():
    sentences = [line(n, 60) for n in range(8)]
    texts = [f"{a} {b}" for a, b in pairwise(sentences)]
    found = shelf([0, 0, 9, 8, 7, 6, 5], Passage(0, 2), texts, Rules(), golds={0, 1, 4})
    assert [each.first for each in found.choose(replace(OFF, reuse=True), 1, None).chosen] == [2]
    assert [each.first for each in found.choose(replace(OFF, reuse=True), 2, None).chosen] == [2, 5]


def test_too_few_passages_are_all_there_are():
    texts = [line(0, 100), line(1, 300)]
    choice = shelf([1.0, 2.0], GOLD, texts, Rules()).choose(Matching(), 2, Cell(1, 1 / 3))
    assert [each.first for each in choice.chosen] == [1]
    assert choice.kept == ()


@pytest.mark.parametrize("on", [True, False])
def test_two_that_read_the_same_are_one_unless_that_is_switched_off(on):
    texts = [line(0, 100), "The tide was out.", "The tide was out!", line(3, 100)]
    choice = shelf([1.0, 9.0, 8.0, 7.0], GOLD, texts, Rules(near_duplicate=on)).choose(
        replace(OFF, case=True), 2, None
    )
    assert [each.first for each in choice.chosen] == ([1, 3] if on else [1, 2])


def test_overlapping_negatives_are_refused():
    sentences = [line(n, 60) for n in range(8)]
    texts = [f"{a} {b}" for a, b in pairwise(sentences)]
    choice = shelf([0, 0, 0, 9, 8, 7, 6], Passage(0, 2), texts, Rules()).choose(
        replace(OFF, case=True), 2, None
    )
    assert [each.first for each in choice.chosen] == [3, 5]


def test_the_others_look_like_the_gold_in_whatever_the_chosen_do():
    texts = [line(0, 100), line(1, 115), line(2, 130), line(3, 90, small=True), line(4, 95), line(5, 300)]
    one = shelf(-np.arange(6.0), GOLD, texts, Rules())
    choice = one.choose(Matching(), 2, Cell(0, 5 / 6))
    assert [each.first for each in choice.chosen] == [1, 2]
    assert [each.first for each in one.others(Matching(), choice.chosen)] == [1, 2, 4]


def test_cells_are_places_and_stands():
    assert cells(replace(OFF, case=True), 2) == [None]
    assert cells(LENGTH, 1) == [Cell(place, stand) for stand in STANDS for place in (0, 1)]
    assert cells(Matching(length=False), 2) == [Cell(None, 0.0, sharing) for sharing in range(3)]
    pairs = {(cell.place, cell.sharing) for cell in cells(Matching(), 2)}
    assert pairs == {(place, sharing) for place in range(3) for sharing in range(3)}


def test_of_many_options_not_every_pair_of_places_is_a_cell():
    many = cells(Matching(), 50)
    assert len(many) == 2 * SHIFTS * 51
    assert set(Counter(each.sharing for each in many).values()) == {2 * SHIFTS}


def test_a_rule_alone_is_the_only_one():
    alone = Matching(dialogue=False, band=1.3).alone()
    assert list(alone) == ["length", "case", "mark", "ending", "context", "reuse"]
    assert alone["ending"] == replace(OFF, ending=True, band=1.3)
    assert not OFF
    assert OFF.rules() == ()
    assert LENGTH.rules() == ("band", "place")


def test_what_a_job_does_not_name_is_younger_than_the_job():
    former = {"length": True, "case": True, "mark": False, "dialogue": True, "band": 1.3}
    assert recorded(former) == Matching(
        mark=False, ending=False, context=False, reuse=False, balance=False, band=1.3
    )
