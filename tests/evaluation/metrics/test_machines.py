"""Machines beside people: likeness, paired tests and habits, by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from evaluation.metrics.common.intervals import wilson
from evaluation.metrics.machines.habits import places, repeated, words_and_grades
from evaluation.metrics.machines.likeness import compared, corrected, mean_likeness, shares


def test_right_and_wrong_have_wilsons_interval() -> None:
    found = mean_likeness([1, 1, 0, 1], [0, 1, 2, 3])
    assert (found.low, found.high) == wilson(3, 4)
    assert (found.value, found.n, found.n_items) == (0.75, 4, 4)
    assert mean_likeness([], []).value is None


def test_topics_are_left_out_whole() -> None:
    """Two topics of two items: means without each are 1 and 0.5; error .25, t(1) on the logit scale."""
    found = mean_likeness([1, 0, 1, 1], [0, 1, 2, 3], [7, 7, 9, 9])
    error = (1 / 2 * 2 * 0.25**2) ** 0.5
    reach = stats.t.ppf(0.975, 1) * error / (0.75 * 0.25)
    middle = np.log(3)
    assert found.low == pytest.approx(1 / (1 + np.exp(-(middle - reach))))
    assert found.high == pytest.approx(1 / (1 + np.exp(-(middle + reach))))
    assert "topics" in found.method
    assert mean_likeness([0.5, 0.2], [0, 1], [3, 3]).low is None
    assert mean_likeness([1, 1], [0, 1], [3, 4]).high == 1


def test_several_readers_of_an_item_are_one_item() -> None:
    once = mean_likeness([1, 0, 1, 0, 1], [0, 1, 2, 3, 4])
    thrice = mean_likeness(np.repeat([1, 0, 1, 0, 1], 3), np.repeat(np.arange(5), 3))
    assert thrice.n_items == 5 < thrice.n
    assert thrice.low is not None
    assert once.low is not None
    assert thrice.high - thrice.low > once.high - once.low  # type: ignore[operator]


def test_mcnemar_on_right_and_wrong() -> None:
    found = compared([1] * 6 + [0], [0] * 6 + [1], 1)
    assert found is not None
    assert found.p == pytest.approx(stats.binomtest(6, 7).pvalue)
    assert (found.only_machine, found.only_reader, found.test) == (6, 1, "McNemar, exact")
    spans = compared([0.5, 1, 0.3], [0.4, 0.2, 0.3], 1)
    assert spans is not None
    assert (spans.test, spans.p) == ("sign-flip, exact", 0.5)
    assert compared([], [], 1) is None
    assert [each.p_holm for each in corrected([found, spans])] == [found.p * 2, 0.5]
    assert corrected([]) == []


def test_repeated_by_grade() -> None:
    found = repeated([1, 1, 0, 1], [0, 1, 2, 3], [0, 0, 1, 1], 3)
    assert found.every.value == 0.75
    assert [each.value for each in found.by_grade] == [1, 0.5, None]
    assert repeated([1.0], [0]).by_grade == ()


def test_places_chosen_evenly_and_not() -> None:
    even = places([0, 1, 2, 0, 1, 2], 3, [1, 1], [0, 0], 1)
    assert even.test.counts == (2, 2, 2)
    assert even.test.p == 1
    first = places([0] * 12, 3, [0] * 8, range(8), 1)
    assert first.test.p == pytest.approx(3 / 3**12)
    assert first.same.value == 0


def test_a_machine_that_counts_words() -> None:
    draw = np.random.default_rng(1)
    words, people = draw.random(200), draw.integers(0, 4, 200).astype(float)
    found = words_and_grades(words, np.floor(words * 4), people, 4, 1)
    assert found.machine == pytest.approx(stats.spearmanr(words, np.floor(words * 4)).statistic)
    assert found.people == pytest.approx(stats.spearmanr(words, people).statistic)
    assert found.low is not None
    assert found.low > 0.5
    assert found.by_grade[0][0] < 0.25 < found.by_grade[3][0]  # type: ignore[operator]
    assert words_and_grades([0.5] * 5, [1] * 5, [1] * 5, 2, 1).difference is None


def test_shares_of_rows() -> None:
    assert shares([[1, 3], [0, 0]]).tolist() == [[0.25, 0.75], [0, 0]]
