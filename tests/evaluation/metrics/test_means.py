"""Means of queries and their intervals."""

import numpy as np
import pytest

from evaluation.metrics.common import means as module
from evaluation.metrics.common.means import means, resampled


def test_value_and_standard_error_by_hand():
    (found,) = means([[1, 0, 0, 1]], seed=1)
    assert found.value == 0.5
    assert found.standard_error == pytest.approx(np.sqrt(1 / 3) / 2)
    assert (found.n_queries, found.resamples, found.level) == (4, 2000, 0.95)


@pytest.mark.parametrize("few", [0, 500])
def test_draws_are_those_of_a_plain_bootstrap(few, monkeypatch):
    monkeypatch.setattr(module, "_FEW_PATTERNS", few)
    values = np.random.default_rng(1).integers(0, 9, (2, 60)).astype(float)
    draws = resampled(values, seed=2, resamples=4000)
    generator = np.random.default_rng(3)
    slow = np.stack([values[:, generator.integers(0, 60, 60)].mean(axis=1) for _ in range(4000)], axis=1)
    error = values.std(axis=1) / np.sqrt(60)
    assert draws.mean(axis=1) == pytest.approx(values.mean(axis=1), abs=4 * error.max() / np.sqrt(4000))
    assert np.cov(draws) == pytest.approx(np.cov(slow), rel=0.2, abs=0.1 * error.max() ** 2)
    assert np.quantile(draws, 0.975, axis=1) == pytest.approx(
        np.quantile(slow, 0.975, axis=1), abs=0.2 * error.max()
    )


@pytest.mark.parametrize("few", [0, 500])
def test_the_seed_decides_and_the_order_of_queries_does_not(few, monkeypatch):
    monkeypatch.setattr(module, "_FEW_PATTERNS", few)
    values = np.random.default_rng(1).random((3, 70))
    order = np.random.default_rng(2).permutation(70)
    assert np.array_equal(resampled(values, 5, 300), resampled(values[:, order], 5, 300))
    assert not np.array_equal(resampled(values, 5, 300), resampled(values, 6, 300))


def test_equal_queries_give_a_share_wilsons_interval_and_others_none():
    nothing, ranks = means([[0.0] * 30, [7.0] * 30], seed=1, shares=(True, False))
    assert (nothing.low, nothing.high) == pytest.approx((0, 0.1135), abs=1e-4)
    assert nothing.method.startswith("Wilson")
    assert (ranks.value, ranks.low) == (7.0, None)
    assert "do not differ" in ranks.reason


def test_no_resamples_and_one_query():
    (found,) = means([[1, 0]], seed=1, resamples=0)
    assert (found.value, found.low, found.reason) == (0.5, None, "No resamples were asked for.")
    (one,) = means([[0.3]], seed=1)
    assert (one.value, one.standard_error) == (0.3, None)


@pytest.mark.parametrize(("values", "seed"), [([1, 2], 0), ([[float("nan")]], 0), ([[1.0]], -1)])
def test_refused(values, seed):
    with pytest.raises(ValueError, match="must be"):
        means(values, seed)
