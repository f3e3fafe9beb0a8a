"""McNemar's exact test and Holm's correction."""

from math import comb

import numpy as np
import pytest

from evaluation.metrics.common.mcnemar import holm, mcnemar_exact


def test_discordant_items_decide():
    first, second = [1] * 9 + [0] * 2 + [1] * 5 + [0] * 4, [0] * 9 + [1] * 2 + [1] * 5 + [0] * 4
    result = mcnemar_exact(first, second)
    assert result == pytest.approx(2 * sum(comb(11, k) for k in range(3)) / 2**11)
    assert mcnemar_exact(second, first) == pytest.approx(result)


def test_no_discordant_item_and_booleans():
    assert mcnemar_exact([True, False], [True, False]) == 1.0


@pytest.mark.parametrize(
    ("first", "second", "sentence"),
    [
        ([1, 0], [1], "the same items in both"),
        ([], [], "one result per item"),
        ([1, 2], [1, 0], "first must be a flat array of 0 and 1"),
        ([1, 0], [float("nan"), 0], "second must be a flat array of 0 and 1"),
    ],
)
def test_refused(first, second, sentence):
    with pytest.raises(ValueError, match=sentence):
        mcnemar_exact(first, second)


def test_holm_keeps_the_order_given():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx((0.03, 0.06, 0.06))
    assert holm([]) == ()
    assert holm([0.2]) == (0.2,)
    with pytest.raises(ValueError, match="between 0 and 1"):
        holm([0.5, float("nan")])


def test_holm_is_statsmodels():
    from statsmodels.stats.multitest import multipletests

    p_values = np.random.default_rng(4).uniform(0, 1, 40).round(1) ** 3
    assert holm(list(p_values)) == pytest.approx(multipletests(p_values, method="holm")[1], abs=1e-15)
