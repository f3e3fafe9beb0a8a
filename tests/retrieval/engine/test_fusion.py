"""Several rankings made one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.errors import BadInput
from retrieval.engine.ranking import fusion, order

ROWS = st.integers(1, 12).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, 5), min_size=n, max_size=n), min_size=1, max_size=3)
)


def test_ranks_follow_the_tie_rule() -> None:
    assert fusion.ranks([1, 3, 3, 2]).tolist() == [4, 1, 2, 3]


def test_reciprocal_rank_by_hand() -> None:
    fused = fusion.reciprocal_rank([[9, 8, 7], [1, 2, 3]])
    assert fused.tolist() == pytest.approx([1 / 61 + 1 / 63, 2 / 62, 1 / 63 + 1 / 61])
    assert fusion.reciprocal_rank([[9, 8, 7], [1, 3, 2]], k=0).tolist() == pytest.approx([4 / 3, 1.5, 5 / 6])


@given(ROWS)
def test_reciprocal_rank_is_the_sum_over_the_rankers(rows: list) -> None:
    slow = [sum(1 / (60 + order.rank(row, at)) for row in rows) for at in range(len(rows[0]))]
    assert fusion.reciprocal_rank(rows).tolist() == pytest.approx(slow, abs=1e-15)


@given(ROWS)
def test_one_ranking_keeps_its_order_whatever_the_method(rows: list) -> None:
    row = rows[0]
    expected = order.top(row, len(row)).tolist()
    for fused in (fusion.reciprocal_rank([row]), fusion.alternating([row]), fusion.combine([row])):
        assert order.top(fused, len(row)).tolist() == expected


def test_scores_are_brought_to_one_scale() -> None:
    assert fusion.combine([[0, 5, 10], [3, 2, 1]]).tolist() == pytest.approx([1, 1, 1])
    assert fusion.combine([[0, 5, 10], [7, 7, 7]]).tolist() == pytest.approx([0, 0.5, 1])
    z = fusion.combine([[0, 5, 10]], normalise="z")
    assert (z.mean(), z.std()) == pytest.approx((0, 1))


@given(ROWS)
def test_alternating_takes_turns_and_passes_over_what_was_taken(rows: list) -> None:
    merged: list[int] = []
    for place in range(len(rows[0])):
        for row in rows:
            candidate = int(order.top(row, len(row))[place])
            if candidate not in merged:
                merged.append(candidate)
    assert order.top(fusion.alternating(rows), len(merged)).tolist() == merged


def test_what_one_ranker_leaves_out_has_the_others_score_and_what_all_do_has_none() -> None:
    none = order.UNRANKED
    rows = [[none, 4, 2, none], [1, none, 3, none]]
    assert fusion.reciprocal_rank(rows).tolist() == pytest.approx([1 / 62, 1 / 61, 1 / 62 + 1 / 61, none])
    assert fusion.alternating(rows).tolist() == [-3, 0, -1, none]
    assert fusion.combine(rows).tolist() == pytest.approx([0, 1, 0 + 1, none])
    # Of each row the mean is 3 or 2 and the deviation 1: the worst has −1, and so has who is left out.
    assert fusion.combine(rows, normalise="z").tolist() == pytest.approx([-2, 0, 0, none])


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: fusion.reciprocal_rank([]), "no ranking to fuse"),
        (lambda: fusion.alternating([[1, 2], [1]]), "1 and 2 scores"),
        (lambda: fusion.combine([[1, float("nan")]]), "not a number"),
        (lambda: fusion.combine([[1, float("inf")]]), "infinite"),
        (lambda: fusion.combine([[1, 2]], normalise="rank"), "choose min-max or z"),
        (lambda: fusion.reciprocal_rank([[1, 2]], k=-1), "0 or more"),
    ],
)
def test_refused(call, sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        call()


def test_the_rows_given_are_not_changed() -> None:
    row = np.array([3.0, 1.0, 2.0])
    fusion.combine([row], normalise="z")
    fusion.reciprocal_rank([row, row])
    assert row.tolist() == [3.0, 1.0, 2.0]
