"""The anchoring meter: by hand, over simulated readers with a known pull, and its planner."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from benchmarks.anchoring import DESIGNS, meter_cells, readings, true_shift
from evaluation.metrics.validation import planner
from evaluation.metrics.validation.anchoring import Arm, by_part, meter, pull, shift
from evaluation.metrics.validation.rankings import rank_effect, taus
from evaluation.metrics.validation.reveals import revisions


def test_shift_by_hand() -> None:
    """One stratum: blind 1 of 4, shown 3 of 4: Δ = .5, v = 2 * .25 / 4, six degrees of freedom."""
    found = shift([1, 0, 0, 0, 1, 1, 1, 0], [0] * 4 + [1] * 4, [0] * 8)
    assert (found.difference, found.blind, found.shown) == (0.5, 0.25, 0.75)
    half = stats.t.ppf(0.975, 6) * (2 * 0.25 / 4) ** 0.5
    assert (found.low, found.high) == pytest.approx((0.5 - half, 0.5 + half))
    assert found.p == pytest.approx(stats.ttest_ind([1, 1, 1, 0], [1, 0, 0, 0], equal_var=False).pvalue)
    swallowed = pull(found)
    assert swallowed.value == pytest.approx(0.5 / 0.75)
    error = (0.0625 + 0.0625 * (0.25 / 0.75) ** 2) ** 0.5 / 0.75
    assert swallowed.low == pytest.approx(0.5 / 0.75 - stats.t.ppf(0.975, 6) * error)
    assert swallowed.high == 1.0


def test_no_interval_of_agreement_goes_beyond_what_can_be() -> None:
    """Four blind readings, one of them like the machine's, and four shown, all like it: .75 ± .80."""
    values, seen = [1, 0, 0, 0, 1, 1, 1, 1], [0] * 4 + [1] * 4
    beyond = shift(values, seen, [0] * 8).high
    assert beyond is not None
    assert beyond > 1
    (part,) = by_part(values, seen, [0] * 8, [3] * 8)
    assert (part.shift.difference, part.shift.high) == (0.75, 1.0)


def test_strata_weigh_by_their_readings_and_thin_ones_join() -> None:
    values = [1, 1, 0, 0, 1, 1, 1, 1, 1, 0, 1, 1]
    shown = [1, 1, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0]
    found = shift(values, shown, [0] * 4 + [1] * 8)
    assert found.difference == pytest.approx(4 / 12 * 1 + 8 / 12 * 0.25)
    thin = shift(values, shown, [0] * 4 + [1] * 7 + [2])
    assert thin.difference == pytest.approx(found.difference)
    nobody = shift([1, 1], [1, 0], [0, 0])
    assert nobody.difference is None
    assert pull(nobody).value is None


def test_nothing_to_swallow() -> None:
    assert pull(shift([1, 1, 1, 1], [0, 0, 1, 1], [0] * 4)).value is None


def test_the_pull_is_recovered() -> None:
    """A small seeded version of ``benchmarks.anchoring``."""
    found = meter_cells(DESIGNS[1], 60, 7)
    assert found["shift"] == pytest.approx(true_shift(DESIGNS[1]), abs=0.012)
    assert min(found["cover"], found["pooled cover"], found["pull cover"], found["grade cover"]) >= 0.86
    assert found["pooled ±"] < found["±"]


def test_who_is_not_pulled_is_not_accused() -> None:
    assert meter_cells(DESIGNS[3], 60, 8)["found"] <= 0.1


def test_first_answers_of_reveal_that_differ_from_blind_ones_are_left_out() -> None:
    one = readings(DESIGNS[1], np.random.default_rng(1))
    learnt = one._replace(likeness=np.where(one.arm == Arm.REVEAL, 1.0, one.likeness))
    found = meter(learnt)
    assert found.blind_only
    assert found.headline == found.agreement == found.pooled
    honest = meter(one)
    assert not honest.blind_only
    assert honest.pooled.n_blind > honest.agreement.n_blind


def test_by_reader_and_by_grade() -> None:
    found = meter(readings(DESIGNS[1], np.random.default_rng(1)))
    assert [each.part for each in found.readers] == [0, 1, 2, 3]
    assert all(each.p_holm is not None and each.p_holm >= (each.shift.p or 0) for each in found.readers)
    rare = found.grades[-1]
    assert not rare.verdict
    assert rare.p_holm is None
    assert rare.shift.n_blind + rare.shift.n_shown > 0
    none = by_part([1.0, 0, 1, 0], [1, 1, 0, 0], [0] * 4, [0] * 4)
    assert none[0].p_holm is None


def test_answers_that_are_no_grades() -> None:
    one = readings(DESIGNS[4], np.random.default_rng(1))
    found = meter(one._replace(grade=np.full_like(one.grade, -1)))
    assert found.grade is None
    assert found.distance is None
    assert found.grades == ()


def test_revisions_by_hand() -> None:
    found = revisions([0, 2, 1, 1, 3, 0], [0, 0, 1, 2, 1, 1], [0, 1, 1, 1, 1, 1])
    assert (found.towards, found.away, found.lateral, found.changed) == (2, 2, 1, 5)
    assert (found.n, found.n_disagreeing, found.share, found.p) == (6, 4, 0.5, 1.0)
    assert revisions([2] * 6, [0] * 6, [1] * 6).p == pytest.approx(2 / 2**6)
    assert revisions([0], [0], [0]).share is None


def test_tau_is_scipys() -> None:
    draw = np.random.default_rng(1)
    one, other = draw.integers(0, 4, (2, 20, 6)).astype(float)
    wanted = [stats.kendalltau(*pair).statistic for pair in zip(one, other, strict=True)]
    assert taus(one, other) == pytest.approx(wanted, nan_ok=True)


def test_systems_under_both_arms() -> None:
    """Six systems, the better the more relevant documents; the shown arm turns their order round."""
    draw = np.random.default_rng(2)
    n, topic = 1200, np.arange(1200) % 30
    good = draw.random(n) < 0.5
    systems = np.stack([draw.random(n) < np.where(good, 0.2 + 0.1 * s, 0.8 - 0.1 * s) for s in range(6)])
    shown = draw.random(n) < 0.5
    same = rank_effect(systems, good, np.ones(n), topic, shown, 1, splits=10, resamples=200)
    turned = rank_effect(
        systems, np.where(shown, ~good, good), np.ones(n), topic, shown, 1, splits=10, resamples=200
    )
    assert (same.tau.value or 0) > 0.5 > 0 > (turned.tau.value or 0)
    assert same.halves.value == turned.halves.value
    assert abs((same.same_size.value or 0) - (same.halves.value or 0)) < 0.25
    assert same.n_topics == 30
    assert (same.tau.low or 0) <= (same.tau.value or 0) <= (same.tau.high or 0)
    one = rank_effect(systems[:1], good, np.ones(n), topic, shown, 1, splits=2, resamples=10)
    assert one.tau.value is None


@pytest.mark.parametrize(
    ("agreement", "half", "third", "fifth"),
    [
        (0.6, (2936, 707, 299), (3332, 813, 350), (4661, 1148, 501)),
        (0.7, (2496, 581, 236), (2861, 683, 287), (4033, 982, 422)),
        (0.8, (1806, 393, 145), (2108, 483, 193), (3013, 717, 300)),
    ],
)
def test_planner_prints_the_table(agreement: float, half: tuple, third: tuple, fifth: tuple) -> None:
    for blind, wanted in ((1 / 2, half), (1 / 3, third), (1 / 5, fifth)):
        found = tuple(planner.items_for_shift(agreement, points, blind) for points in (0.05, 0.1, 0.15))
        assert found == wanted


def test_power_and_refusals() -> None:
    assert planner.power_for_shift(0.77, 0.07, 70, 140) == pytest.approx(0.21, abs=0.01)
    assert planner.power_for_shift(0.7, 0.1, 291, 290) == pytest.approx(0.8, abs=0.005)
    for wrong in ((0.0, 0.1, 0.5), (0.95, 0.1, 0.5), (0.7, 0.1, 1.0), (0.7, -0.1, 0.5)):
        with pytest.raises(ValueError, match="between 0 and 1"):
            planner.items_for_shift(*wrong)


def test_reveal_is_cheaper() -> None:
    """Power of the exact test, against its own simulation."""
    n = planner.items_for_reveal(0.10, 0.01)
    draw = np.random.default_rng(1)
    counts = draw.multinomial(n, (0.1, 0.01, 0.89), size=400)
    p = {
        pair: stats.binomtest(pair[0], sum(pair)).pvalue
        for pair in {(int(a), int(b)) for a, b, _ in counts if a + b}
    }
    found = np.mean([p.get((int(a), int(b)), 1.0) <= 0.05 for a, b, _ in counts])
    assert found == pytest.approx(planner.reveal_power(n, 0.1, 0.01), abs=0.05)
    assert 100 <= n <= 150 < planner.items_for_reveal(0.05, 0.01) <= 400
    with pytest.raises(ValueError, match="greater"):
        planner.items_for_reveal(0.01, 0.05)
    with pytest.raises(ValueError, match="More than"):
        planner.items_for_reveal(0.011, 0.01, most=1000)


def test_width() -> None:
    left, whole = planner.variances_of_share(0.25, 0.9)
    assert whole == 0.25 * 0.75
    # yes: 22.5 + 7.5 of 100 items; no: 2.5 + 67.5
    assert left == pytest.approx(0.3 * 0.75 * 0.25 + 0.7 * (2.5 / 70) * (67.5 / 70))
    found = planner.items_for_width(3500, 0.02, left, whole)
    assert found.saved == found.at_random - found.with_machine > 0
    error = (left * (1 / found.with_machine - 1 / 3500)) ** 0.5
    assert 1.96 * error == pytest.approx(0.02, rel=0.002)
    assert planner.items_for_width(100, 0.001, 0.0, 0.25) == (2, 100, 100)
    with pytest.raises(ValueError, match="half width"):
        planner.items_for_width(100, 0, 0.1, 0.2)
