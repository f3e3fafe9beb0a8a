"""The tie rule against a full sort."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.errors import BadInput
from retrieval.engine.ranking import order

FEW = st.lists(st.sampled_from([-np.inf, -1.5, -0.0, 0.0, 0.1, 0.1 + 1e-17, 2.0, np.inf]), max_size=40)
MANY = st.lists(st.floats(allow_nan=False), max_size=200)


def full_sort(scores: list[float]) -> list[int]:
    row = np.array(scores, dtype=np.float64)
    return np.lexsort((np.arange(row.size), -row)).tolist()


@given(FEW | MANY, st.integers(0, 60))
def test_top_is_the_head_of_a_full_sort(scores: list[float], k: int) -> None:
    assert order.top(scores, k).tolist() == full_sort(scores)[:k]


@given(FEW | MANY, st.integers(1, 9))
def test_walk_gives_the_full_sort_of_what_is_ranked(scores: list[float], chunk: int) -> None:
    kept = [position for position in full_sort(scores) if scores[position] > order.UNRANKED]
    assert list(order.walk(scores, chunk=chunk)) == kept
    assert order.ranked(scores, 3 * chunk).tolist() == kept[: 3 * chunk]


def test_what_is_not_ranked_stands_last_by_position_and_is_not_listed() -> None:
    scores = [order.UNRANKED, 1, order.UNRANKED, 2]
    assert order.top(scores, 4).tolist() == [3, 1, 0, 2]
    assert order.ranked(scores, 4).tolist() == list(order.walk(scores)) == [3, 1]
    assert order.rank(scores, 2) == 4


@given(FEW.filter(bool), st.data())
def test_ranks_agree_with_the_full_sort(scores: list[float], data: st.DataObject) -> None:
    position = data.draw(st.integers(0, len(scores) - 1))
    assert order.rank(scores, position) == full_sort(scores).index(position) + 1


def test_of_equal_scores_the_earlier_positions_are_kept() -> None:
    assert order.top([1, 7, 1, 1, 7, 1], 3).tolist() == [1, 4, 0]
    assert order.rank([1, 7, 1, 1, 7, 1], 3) == 5


@pytest.mark.parametrize("k", [1, 2, 50, 1000, 19_999, 20_000])
@pytest.mark.parametrize("values", [1, 7, 10**9], ids=["all tied", "many ties", "few ties"])
def test_a_long_row(values: int, k: int) -> None:
    scores = np.random.default_rng(7).integers(0, values, 20_000).astype(float).tolist()
    assert order.top(scores, k).tolist() == full_sort(scores)[:k]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("values", [1, 3, 10**6], ids=["all tied", "many ties", "few ties"])
@pytest.mark.parametrize("k", [0, 1, 5, 60, 900])
def test_the_tops_of_rows_are_those_of_each(values: int, k: int, dtype: type) -> None:
    scores = np.random.default_rng(3).integers(0, values, (7, 700)).astype(dtype)
    scores[2, :400] = -np.inf
    scores[3, ::3] = np.inf
    found = order.tops(scores, k)
    assert found.tolist() == [full_sort(row.tolist())[:k] for row in scores]
    assert order.tops(scores[:0], k).shape == (0, min(k, 700))


@pytest.mark.parametrize("place", [0, 650, 699])
def test_a_row_with_a_score_that_is_no_number_has_no_top(place: int) -> None:
    scores = np.zeros((3, 700))
    scores[1, place] = np.nan
    with pytest.raises(BadInput, match="not a number"):
        order.tops(scores, 5)


def test_fewer_candidates_than_asked_for() -> None:
    assert order.top([0.5, 2.0], 10).tolist() == [1, 0]
    assert order.top([], 3).tolist() == []


@pytest.mark.parametrize(
    ("scores", "k", "says"),
    [
        ([1.0, float("nan"), 2.0], 1, "score of candidate 1 is not a number"),
        ([[1.0], [2.0]], 1, "one row"),
        ([1.0], -1, "must be 0 or more"),
    ],
)
def test_what_cannot_be_ordered_is_refused(scores: list, k: int, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        order.top(scores, k)


@pytest.mark.parametrize("position", [-1, 2])
def test_a_position_outside_has_no_rank(position: int) -> None:
    with pytest.raises(BadInput, match="2 positions count from 0"):
        order.rank([1.0, 2.0], position)
