"""What makes items hard: the logistic model, against statsmodels' own and against what was drawn."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation.metrics.common.logistic import logistic


def drawn(n_items=200, readers=3, slope=-1.0, seed=1, level=1.0):
    rng = np.random.default_rng(seed)
    x = rng.normal(2.0, 3.0, n_items)
    item, reader = np.repeat(np.arange(n_items), readers), np.tile(np.arange(readers), n_items)
    logit = level + 0.3 * reader + slope * (x[item] - 2) / 3
    right = rng.random(len(item)) < 1 / (1 + np.exp(-logit))
    return right, x[item][:, None], ["length"], item, reader


def test_it_is_a_logit_with_a_level_for_each_reader_and_items_as_clusters():
    import statsmodels.api as sm

    right, x, names, item, reader = drawn()
    found = logistic(right, x, names, item, reader)
    levels = (reader[:, None] == np.arange(3)).astype(float)
    oracle = sm.GEE(
        right.astype(float),
        np.hstack([x, levels]),
        groups=item,
        family=sm.families.Binomial(),
        cov_struct=sm.cov_struct.Independence(),
    ).fit()
    (effect,) = found.effects
    assert effect.value == pytest.approx(oracle.params[0], abs=1e-6)
    # The same sandwich but for the correction for few clusters.
    error = (effect.high - effect.low) / 2 / 1.9719565
    assert error == pytest.approx(oracle.bse[0], rel=0.01)
    assert (found.n_items, found.n_answers, found.problem) == (200, 600, "")


def test_the_interval_covers_the_slope():
    held = 0
    for seed in range(200):
        (effect,) = logistic(*drawn(80, seed=seed)).effects
        held += effect.low <= -1 / 3 <= effect.high
    assert 0.90 <= held / 200 <= 0.99


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda y, x, names, item, reader: (np.ones_like(y), x, names, item, reader), "all are wrong"),
        (lambda y, x, names, item, reader: (y, x * 0, names, item, reader), "no feature differs"),
        (
            lambda y, x, names, item, reader: (y, np.hstack([x, 2 * x]), ["length", "rank"], item, reader),
            "length and rank go together",
        ),
        (lambda y, x, names, item, reader: (x[:, 0] > 2, x, names, item, reader), "without error"),
        (lambda y, x, names, item, reader: (y[:9], x[:9], names, item[:9], reader[:9]), "at least 5 items"),
        (lambda y, x, names, item, reader: (y[:0], x[:0], names, item[:0], reader[:0]), "there are none"),
    ],
)
def test_it_says_why_there_is_no_model(change, why):
    found = logistic(*change(*drawn()))
    assert found.effects == ()
    assert why in found.problem


def test_who_is_always_right_tells_no_item_from_another():
    right, x, _, item, reader = drawn()
    right = right | (reader == 2)
    found = logistic(right, np.hstack([x, x * 0]), ["length", "rank"], item, reader)
    assert (found.set_aside, found.n_answers, found.constant) == (1, 400, ("rank",))
    assert len(found.effects) == 1
