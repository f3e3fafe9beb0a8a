"""The test of gold's place and the randomisation test of position bias."""

from itertools import product
from math import factorial, prod

import numpy as np
import pytest

from evaluation.metrics.nominal import position as module
from evaluation.metrics.nominal.position import (
    position_bias,
    position_counts_test,
    roles_suspected,
)


@pytest.mark.parametrize("counts", [(6, 0, 0), (3, 2, 1), (2, 2, 2), (0, 5), (4, 3), (1, 4, 0, 2)])
def test_exact_p_equals_the_sum_over_all_count_vectors(counts):
    total, options = sum(counts), len(counts)

    def ways(vector):
        return factorial(total) // prod(factorial(count) for count in vector)

    vectors = [vector for vector in product(range(total + 1), repeat=options) if sum(vector) == total]
    expected = sum(ways(vector) for vector in vectors if ways(vector) <= ways(counts)) / options**total
    test = position_counts_test(counts)
    assert test.p == pytest.approx(expected, rel=1e-9)
    assert (test.counts, test.method) == (counts, "exact multinomial")


def test_drawn_p_is_near_the_exact_one(monkeypatch):
    exact = position_counts_test([50, 70, 80])
    monkeypatch.setattr(module, "_EXACT_ROWS", 10)
    drawn = position_counts_test([50, 70, 80], seed=1)
    assert drawn.method == "multinomial, 9999 draws, seed 1"
    assert drawn.p == pytest.approx(exact.p, abs=4 * (exact.p / 9999) ** 0.5)
    assert drawn == position_counts_test([50, 70, 80], seed=1)


def test_large_studies():
    assert position_counts_test([33_400, 33_300, 33_300]).p > 0.5
    assert position_counts_test([100_000, 0, 0]).p == 1 / 10_000


def test_gold_first_is_suspected_from_eight_items_of_three_options_on():
    assert roles_suspected([7, 0, 0]) == ""
    assert roles_suspected([8, 0, 0]).startswith("Caution: gold stands at option 1, 2, … in 8, 0, 0 items")
    assert roles_suspected([0, 0, 0]) == ""


class TestPositionBias:
    @staticmethod
    def judgments(n_items, pull, seed):
        """Three judgments an item; an erring annotator takes what stands first with probability ``pull``."""
        generator = np.random.default_rng(seed)
        rows = []
        for item in range(n_items):
            shown = generator.permutation(3)  # shown[position] = candidate; candidate 0 is gold
            for _ in range(3):
                candidate = int(generator.choice([0, 0, 0, 1, 1, 2]))  # candidate 1 tempts more than 2
                if candidate and generator.random() < pull and shown[0]:
                    candidate = int(shown[0])
                rows.append((item, candidate, int(np.flatnonzero(shown == candidate)[0]), candidate != 0))
        return [np.array(column) for column in zip(*rows, strict=True)]

    def test_p_is_uniform_when_only_candidates_tempt(self, monkeypatch):
        monkeypatch.setattr(module, "_DRAWS", 999)  # p is uniform with any number of draws
        found = [position_bias(*self.judgments(60, 0.0, seed), 3, seed=1).p for seed in range(120)]
        assert np.mean(found) == pytest.approx(0.5, abs=4 * (1 / 12 / 120) ** 0.5)
        assert sum(p < 0.05 for p in found) <= 14  # binomial(120, .05): P(more than 14) < .002

    def test_a_pull_to_the_first_place_is_found(self):
        result = position_bias(*self.judgments(200, 0.6, 1), 3, seed=1)
        assert result.p < 0.001
        assert result.errors[0] > result.errors[1]
        assert result == position_bias(*self.judgments(200, 0.6, 1), 3, seed=1)

    def test_grouped_draws_are_redrawn_shuffles(self):
        shuffle, candidate, seen, wrong = self.judgments(12, 0.3, 3)
        fast = position_bias(shuffle, candidate, seen, wrong, 3, seed=1)
        generator, large, draws = np.random.default_rng(2), 0, 4000
        expected = sum(fast.errors) / 3
        for _ in range(draws):
            places = np.array([generator.permutation(3) for _ in range(12)])
            errors = np.bincount(places[shuffle[wrong], candidate[wrong]], minlength=3)
            large += ((errors - expected) ** 2 / expected).sum() >= fast.chi_square - 1e-7
        assert fast.p == pytest.approx(large / draws, abs=4 * 0.5 / draws**0.5)

    def test_no_errors(self):
        result = position_bias([0, 1], [0, 0], [2, 1], [False, False], 3, seed=9)
        assert result == ((0, 0, 0), None, None, 0, 9)

    def test_refused(self):
        with pytest.raises(ValueError, match="position must be between 0 and 2"):
            position_bias([0], [1], [3], [True], 3, seed=1)
