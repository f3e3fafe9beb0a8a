"""Levels that are spent over looks: an integral over all looks, published bounds and drawn studies."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from evaluation.metrics.planning.looks import corrected_level, false_alarms, schedule
from evaluation.metrics.planning.spending import ALPHA, SPENDING, bounds, levels

NEAR = 1e-4
EQUAL = (20, 40, 60, 80, 100)
# Reboussin, DeMets, Kim and Lan (2000), Controlled Clinical Trials 21, 190-207: five equal looks, .05 on two
# sides, by the functions of Lan and DeMets (1983).
PUBLISHED = {
    "obrien_fleming": (4.8769, 3.3569, 2.6803, 2.2898, 2.0310),
    "pocock": (2.4380, 2.4268, 2.4101, 2.3966, 2.3859),
}
# Jennison and Turnbull (2000), Table 2.1: C_P(K, .05).
POCOCK = {2: 2.178, 3: 2.289, 4: 2.361, 5: 2.413, 10: 2.555, 20: 2.672}
# Lan and DeMets (1983), as they print them, beside what the module says of them.
MAY_BE_SPENT = {
    "obrien_fleming": lambda share: 2 * (2 - 2 * norm.cdf(norm.ppf(1 - ALPHA / 4) / np.sqrt(share))),
    "pocock": lambda share: ALPHA * np.log(1 + (np.e - 1) * share),
}


def spent(sizes, ends):
    """The chance that a test without a difference first leaves its bounds at the last of these looks.

    By one integral over all looks at once, whose tests are normal with the correlations sqrt(n_i / n_j): the
    module goes from look to look instead. Half of it lies below; the last look stands first, so that the
    error is a share of what is often a small chance.
    """
    n, c = np.array(sizes[::-1], dtype=float), np.array(ends[::-1])
    if len(n) == 1:
        return 2 * norm.sf(c[0])
    together = np.sqrt(np.minimum.outer(n, n) / np.maximum.outer(n, n))
    test = multivariate_normal(cov=together, seed=16, maxpts=20_000, abseps=1e-12, releps=1e-12)
    return 2 * test.cdf((-c[0], *c[1:]), lower_limit=(-np.inf, *-c[1:]))


@pytest.mark.parametrize("spending", SPENDING)
@pytest.mark.parametrize("sizes", [EQUAL, schedule(60, 7, 4), (200, 260, 500)])
def test_every_bound_spends_what_its_look_may_spend(spending, sizes):
    """No more than 1e-4 further out would a bound spend less, no more than that further in more."""
    found, before = bounds(sizes, spending), 0.0
    for look, size in enumerate(sizes):
        may = MAY_BE_SPENT[spending](size / sizes[-1])
        less, more = (spent(sizes[: look + 1], (*found[:look], found[look] + by)) for by in (NEAR, -NEAR))
        assert less < may - before < more, look
        before = may


@pytest.mark.parametrize("spending", SPENDING)
def test_bounds_are_the_published_ones(spending):
    found = bounds(EQUAL, spending)
    assert found == pytest.approx(PUBLISHED[spending], abs=2e-4)
    assert levels(EQUAL, spending)[-1] == pytest.approx(2 * norm.sf(PUBLISHED[spending][-1]), abs=2e-5)


@pytest.mark.parametrize(("looks", "bound"), POCOCK.items())
def test_one_level_for_all_looks_is_that_of_the_integral_and_of_the_published_table(looks, bound):
    sizes = tuple(range(1, looks + 1))
    found = norm.isf(corrected_level(sizes) / 2)
    less, more = (sum(spent(sizes[:look], (found + by,) * look) for look in sizes) for by in (NEAR, -NEAR))
    assert less < ALPHA < more
    assert found == pytest.approx(bound, abs=6e-4)


@pytest.mark.parametrize("spending", SPENDING)
@pytest.mark.parametrize("sizes", [schedule(20, 20, 20), schedule(60, 7, 30), (60, 80, 500), (100,)])
def test_all_looks_together_are_wrong_in_five_percent_of_drawn_studies(spending, sizes):
    n = 100_000
    drawn = np.random.default_rng(16).standard_normal((n, len(sizes))) * np.sqrt(np.diff((0, *sizes)))
    out = np.abs(np.cumsum(drawn, axis=1)) > np.array(bounds(sizes, spending)) * np.sqrt(sizes)
    assert out.any(axis=1).mean() == pytest.approx(ALPHA, abs=4 * math.sqrt(ALPHA * (1 - ALPHA) / n))


def test_looks_that_may_spend_nothing_decide_nothing_and_leave_it_to_the_next():
    found = bounds(schedule(20, 20, 50), "obrien_fleming")
    assert found[0] == math.inf
    assert levels(schedule(20, 20, 50), "obrien_fleming")[0] == 0
    assert list(found) == sorted(found, reverse=True)


def test_a_single_look_is_the_usual_test():
    assert bounds((60,), "pocock") == pytest.approx((1.959964,), abs=1e-5)


def test_looks_close_together_after_a_late_first_one_are_counted_exactly():
    """Steps that are small beside what is spread already: nodes too far apart would miss them."""
    sizes = schedule(1000, 1, 5)
    drawn = np.random.default_rng(16).standard_normal((400_000, 5)) * np.sqrt(np.diff((0, *sizes)))
    out = np.abs(np.cumsum(drawn, axis=1)) > 1.959964 * np.sqrt(sizes)
    assert false_alarms(sizes) == pytest.approx(out.any(axis=1).mean(), abs=0.0015)


@pytest.mark.parametrize("sizes", [(), (20, 20), (40, 20), (0, 20)])
def test_looks_must_rise(sizes):
    with pytest.raises(ValueError, match="rising"):
        bounds(sizes, "pocock")
