"""Which wrong passages are chosen, and what each rule leaves out."""

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.errors import BadInput
from retrieval.engine.ranking import order
from retrieval.engine.ranking.negatives import Candidate, Rules, hard_negatives
from retrieval.engine.text.passages import Passage

TEXTS = [
    "The ship left at dawn.",
    "Nobody on the quay saw it go.",
    "THE SHIP left, at _dawn_.",
    "* * *",
    "Her brother had written twice that winter, and twice she burned the letter unread.",
    "The lamp was still burning.",
    "The lamp was still burning!",
    "A gull cried over the roofs.",
]
GOLD = Passage(0, 1)
NONE = Rules(**{rule.name: False for rule in fields(Rules) if rule.name != "run"})


def chosen(negatives) -> list[int]:
    return [candidate.first for candidate in negatives.chosen]


def only(rule: str) -> Rules:
    return replace(NONE, **{rule: True})


def test_the_best_wrong_passages_in_rank_order_with_their_ranks_and_scores() -> None:
    found = hard_negatives([9, 1, 8, 7, 2, 5, 6, 0], GOLD, TEXTS, 2)
    assert found.chosen == (Candidate(6, 1, 4, 6.0), Candidate(4, 1, 6, 2.0))
    assert (found.gold_rank, found.gold_score, found.reason) == (1, 9.0, "")
    assert found.excluded == {"gold": 1, "gold_words": 1, "no_words": 1, "near_duplicate": 1}


def test_equal_scores_go_to_the_earlier_passage() -> None:
    found = hard_negatives([0.0] * 8, Passage(7, 1), TEXTS, 2)
    assert found.chosen == (Candidate(0, 1, 1, 0.0), Candidate(1, 1, 2, 0.0))
    assert found.gold_rank == 8


def test_a_passage_that_is_not_ranked_is_never_chosen() -> None:
    found = hard_negatives([-np.inf, 1, -np.inf, 7, -np.inf, 5, -np.inf, -np.inf], GOLD, TEXTS, 3)
    assert chosen(found) == [5, 1]
    assert (found.gold_rank, found.gold_score) == (4, -np.inf)
    assert found.reason.endswith("leave out 1 (no_words 1). 5 more are not ranked at all.")


@pytest.mark.parametrize(
    ("rule", "scores", "gold", "left_out"),
    [
        ("gold", [9, 8, 0, 0, 0, 0, 0, 0], GOLD, 0),
        ("gold_words", [0, 1, 9, 0, 0, 0, 0, 0], GOLD, 2),
        ("no_words", [0, 8, 0, 9, 0, 0, 0, 0], GOLD, 3),
        ("context_words", [0, 8, 0, 0, 9, 0, 0, 0], GOLD, 4),
    ],
)
def test_each_rule_leaves_out_its_passage_and_only_when_on(
    rule: str, scores: list, gold: Passage, left_out: int
) -> None:
    context = ["Here “twice that winter, and twice she burned the letter” tells all", "as we saw"]
    on = hard_negatives(scores, gold, TEXTS, 1, only(rule), context=context)
    off = hard_negatives(scores, gold, TEXTS, 1, NONE, context=context)
    assert chosen(off) == [left_out]
    assert off.excluded == {}
    assert chosen(on) == [1]
    assert on.excluded == {rule: 1}


def test_passages_that_share_a_sentence_with_the_gold() -> None:
    texts = [f"number {n} and number {n + 1}" for n in range(9)]
    scores = [0, 0, 7, 9, 8, 6, 0, 0, 0]
    assert chosen(hard_negatives(scores, Passage(3, 2), texts, 1, only("overlap"))) == [3]
    on = hard_negatives(scores, Passage(3, 2), texts, 1)
    assert chosen(on) == [5]
    assert on.excluded == {"gold": 1, "overlap": 2}


def test_a_negative_is_not_offered_twice() -> None:
    scores = [0, 0, 0, 0, 0, 9, 8, 7]
    assert chosen(hard_negatives(scores, GOLD, TEXTS, 2)) == [5, 7]
    assert chosen(hard_negatives(scores, GOLD, TEXTS, 2, replace(Rules(), near_duplicate=False))) == [5, 6]
    pairs = [f"number {n} and number {n + 1}" for n in range(9)]
    assert chosen(hard_negatives([0, 0, 0, 0, 0, 9, 8, 7, 6], Passage(0, 2), pairs, 2)) == [5, 7]


def test_a_passage_left_out_does_not_make_others_its_duplicates() -> None:
    pairs = ["one", "* * *", "two", "three", "four"]
    found = hard_negatives([0, 9, 8, 7, 0], Passage(0, 2), pairs, 2, replace(Rules(), overlap=False))
    assert chosen(found) == [2, 4]
    assert found.excluded == {"no_words": 1, "near_duplicate": 1, "gold": 1}


@pytest.mark.parametrize(
    ("context", "is_left_out"),
    [
        (["before the lamp was still burning after", ""], True),
        (["before the lamp was", "still burning after"], False),
        (["the lamp was still burningly"], False),
        ([], False),
    ],
    ids=["in one side", "across the gap", "part of a word", "no context"],
)
def test_a_passage_whose_words_stand_in_the_context(context: list[str], is_left_out: bool) -> None:
    found = hard_negatives([0, 1, 0, 0, 0, 9, 0, 0], GOLD, TEXTS, 1, context=context)
    assert (found.excluded["context_words"] == 1) is is_left_out


@pytest.mark.parametrize(("run", "is_left_out"), [(8, True), (9, False)])
def test_how_long_a_run_of_the_context_counts(run: int, is_left_out: bool) -> None:
    context = ["winter and twice she burned the letter unread"]
    found = hard_negatives([0, 1, 0, 0, 9, 0, 0, 0], GOLD, TEXTS, 1, Rules(run=run), context=context)
    assert (chosen(found) == [1]) is is_left_out


def test_fewer_than_asked_for_come_with_the_reason() -> None:
    found = hard_negatives([3, 2, 1], Passage(0, 1), ["One.", "Two.", "One!"], 2)
    assert chosen(found) == [1]
    assert found.reason == (
        "Only 1 of 2 negatives: of 3 candidates the rules leave out 2 (gold 1, gold_words 1)."
    )


def test_a_book_of_one_sentence_has_no_negative() -> None:
    found = hard_negatives([1.5], GOLD, ["Call me."], 2)
    assert found.chosen == ()
    assert found.reason.startswith("Only 0 of 2 negatives")


def test_a_book_that_repeats_one_sentence_has_no_negative() -> None:
    found = hard_negatives([1.5] * 4, Passage(2, 1), ["Yes."] * 4, 1)
    assert found.chosen == ()
    assert found.excluded == {"gold": 1, "gold_words": 3}


@given(st.lists(st.sampled_from(["a", "b", "c", "* *", "d e"]), min_size=1, max_size=12), st.data())
def test_what_is_chosen_is_what_a_sorted_list_would_give(texts: list[str], data: st.DataObject) -> None:
    scores = data.draw(st.lists(st.integers(0, 3), min_size=len(texts), max_size=len(texts)))
    gold = Passage(data.draw(st.integers(0, len(texts) - 1)), 1)
    expected: list[int] = []
    for position in order.top(scores, len(texts)).tolist():
        seen = [texts[gold.first], "* *", *(texts[other] for other in expected)]
        if position != gold.first and texts[position] not in seen:
            expected.append(position)
    found = hard_negatives(scores, gold, texts, 3)
    assert chosen(found) == expected[:3]
    assert found.gold_rank == order.rank(scores, gold.first)
    assert bool(found.reason) is (len(expected) < 3)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"k": 0}, "negatives asked for is 0; it must be 1 or more"),
        ({"scores": [1.0] * 7}, "7 scores and 8 texts"),
        ({"gold": Passage(8, 1)}, "begins at sentence 8, where none of the 8 candidates begins"),
        ({"gold": Passage(-1, 1)}, "begins at sentence -1"),
        ({"scores": np.array([1.0] * 7 + [np.nan])}, "score of candidate 7 is not a number"),
        ({"rules": Rules(run=0)}, "run is 0 words"),
    ],
)
def test_input_that_does_not_fit_is_refused(change: dict, says: str) -> None:
    given = {"scores": [1.0] * 8, "gold": GOLD, "texts": TEXTS, "k": 2} | change
    with pytest.raises(BadInput, match=says):
        hard_negatives(**given)
