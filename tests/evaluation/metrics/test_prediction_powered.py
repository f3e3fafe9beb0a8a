"""Prediction-powered estimates against the formula written out, by hand, and over simulated studies."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from benchmarks.anchoring import drawn, powered_cells, strata, world
from evaluation.metrics.validation.estimands import (
    Estimand,
    Estimated,
    agreement_with_machine,
    dcg,
    difference,
    estimated,
    histogram,
    mean_grade,
    precision,
    share_from,
)
from evaluation.metrics.validation.prediction_powered import merged, over_topics, powered, t_half_width
from evaluation.metrics.validation.saved import classical_half_width, saved
from evaluation.metrics.validation.weighted_kappa import weighted_kappa
from evaluation.metrics.validation.whole_topics import by_topic, estimated_of_topics, ndcg


def literal(z, f, h, s, lam=None, level=0.95):
    """Stratum by stratum, in plain loops."""
    groups = []
    for stratum in sorted(set(h.tolist())):
        own = h == stratum
        judged = own & s
        n, N = judged.sum(), own.sum()
        a = N**2 * (1 - n / N) / n
        groups.append((N, n, a, own, judged))
    if lam is None:
        together = sum(a * np.cov(z[j], f[j])[0, 1] for _, n, a, _, j in groups if n > 1)
        spread = sum(a * f[own].var(ddof=1) for N, _, a, own, _ in groups if N > 1)
        lam = 0.0 if spread < 1e-12 else min(1.0, max(0.0, together / spread))
    estimate = sum(N * (lam * f[own].mean() + (z - lam * f)[j].mean()) for N, _, _, own, j in groups)
    parts = [(a * (z - lam * f)[j].var(ddof=1), n - 1) for _, n, a, _, j in groups if n > 1]
    total = sum(v for v, _ in parts)
    df = max(1.0, total**2 / sum(v**2 / d for v, d in parts))
    half = stats.t.ppf((1 + level) / 2, df) * total**0.5
    return estimate, estimate - half, estimate + half, lam


@pytest.mark.parametrize("lam", [None, 0.0, 1.0])
@pytest.mark.parametrize("how", ["none", "grade × first ranks"])
def test_it_is_the_formula_written_out(how: str, lam: float | None) -> None:
    items = world("lenient", 3)
    h = strata(items, how)
    s = drawn(h, 0.1, np.random.default_rng(4))
    one = items.estimands()[1]
    z, f = one.coefficients * one.human, one.coefficients * one.machine
    found = powered(z, f, h, s, tuning=lam)
    assert (found.value, found.low, found.high, found.tuning) == pytest.approx(literal(z, f, h, s, lam))


def test_by_hand() -> None:
    """Four items in one stratum, two judged: λ = 1 gives 4 (mean f + mean of z - f)."""
    found = powered([1, 3, 0, 0], [1, 2, 2, 3], [0, 0, 0, 0], [True, True, False, False], tuning=1.0)
    assert found.value == 4 * (2 + 0.5)
    # v = 16 * (1 - 1/2) / 2 * .5 = 2, t with one degree of freedom 12.706
    assert found.half_width == pytest.approx(12.7062047 * 2**0.5)


def test_what_was_not_judged_is_not_read() -> None:
    z, s = np.array([1.0, 2, np.nan, np.nan]), np.array([True, True, False, False])
    assert np.isfinite(powered(z, [1, 2, 2, 1], [0] * 4, s).value)


def test_a_census_has_no_interval_to_speak_of() -> None:
    found = powered([1, 2, 3], [0, 0, 0], [0, 0, 1], [True] * 3)
    assert (found.value, found.half_width) == (6, 0)


def test_strata_of_the_machines_grade_leave_nothing_to_tune() -> None:
    items = world("good", 1)
    h = strata(items, "topic × grade")
    s = drawn(h, 0.4, np.random.default_rng(1))
    one = items.estimands()[0]
    found = powered(one.coefficients * one.human, one.coefficients * one.machine, merged(h, s), s)
    assert found.tuning == 0


def test_strata_too_small_are_refused_and_merged_with_their_neighbour() -> None:
    h, s = [0, 0, 0, 1, 1, 1, 2, 2], np.array([1, 1, 0, 1, 0, 0, 1, 0], dtype=bool)
    with pytest.raises(ValueError, match="two judged items"):
        powered(np.zeros(8), np.zeros(8), h, s)
    assert merged(h, s).tolist() == [0, 0, 0, 1, 1, 1, 1, 1]
    last = merged([0, 0, 0, 7, 7], np.array([1, 1, 0, 1, 0], dtype=bool))
    assert last.tolist() == [0, 0, 0, 0, 0]
    with pytest.raises(ValueError, match="Fewer than two"):
        merged([0, 0], np.array([True, False]))


def test_saved_judgments_of_the_printed_cells() -> None:
    """40 % of 3,500 items: mean grade ±.0201 by a good machine, ±.0444 by a poor one, ±.0485 by chance."""
    assert saved(3500, 1400, 0.0201, 0.0485) == 1383
    assert saved(3500, 1400, 0.0444, 0.0485) == 151
    assert saved(3500, 1400, 0.0485, 0.0485) == 0
    assert saved(3500, 1400, 0.01, 0.0) is None


def test_the_random_sample_is_told_from_the_stratified_one() -> None:
    items = world("good", 1)
    h, one = strata(items, "grade × first ranks"), items.estimands()[0]
    s = drawn(h, 0.4, np.random.default_rng(2))
    z = one.coefficients * one.human
    n, N = int(s.sum()), len(z)
    true = 1.9616 * (N**2 * (1 / n - 1 / N) * z.var(ddof=1)) ** 0.5
    assert classical_half_width(np.where(s, z, 0), h, s) == pytest.approx(true, rel=0.05)


@pytest.mark.parametrize(
    ("machine", "how"), [("good", "topic × grade"), ("lenient", "grade × first ranks"), ("poor", "none")]
)
def test_intervals_hold_the_true_value(machine: str, how: str) -> None:
    """A small seeded version of ``benchmarks.anchoring``: 95 % within what 60 studies can tell."""
    at_random = powered_cells(machine, 0.4, "none", 20, 5)[0].width
    for cell in powered_cells(machine, 0.4, how, 60, 5)[:3]:
        assert cell.cover >= 0.85
    if how != "none":
        assert powered_cells(machine, 0.4, how, 20, 5)[0].width < 0.6 * at_random


def test_prefilled_grades_in_the_sample_would_be_wrong() -> None:
    """A pull of .3 towards a lenient machine: the interval misses the truth in every study."""
    items = world("lenient", 2)
    h, one = strata(items, "topic × grade"), items.estimands()[0]
    draw, held = np.random.default_rng(3), 0
    for _ in range(20):
        s = drawn(h, 0.4, draw)
        shown = np.where(draw.random(len(h)) < 0.3, items.machine, items.human)
        found = powered(one.coefficients * shown, one.coefficients * items.machine, merged(h, s), s)
        held += found.low <= one.coefficients @ items.human <= found.high
    assert held == 0


def test_estimands_by_hand() -> None:
    human, machine, rank = [0, 1, 2, 4], [1, 1, 2, 3], np.array([1, 2, 0, 3])
    assert mean_grade(human, machine).coefficients @ np.array(human) == 7 / 4
    assert share_from(2, human, machine).human.tolist() == [0, 0, 1, 1]
    assert [one.human.sum() for one in histogram(5, human, machine)] == [1, 1, 1, 0, 1]
    p2 = precision("BM25", 2, rank, 1, 1, human, machine)
    assert p2.coefficients.tolist() == [0.5, 0.5, 0, 0]
    assert p2.coefficients @ p2.human == 0.5
    d = dcg("BM25", 3, rank, 1, human, machine)
    assert d.coefficients @ d.human == pytest.approx(0 + 1 / np.log2(3) + 4 / 2)
    assert difference(p2, p2).coefficients.tolist() == [0] * 4
    assert agreement_with_machine([1, 0.5]).coefficients @ np.array([1, 0.5]) == 0.75


def test_too_few_judged_items_that_count() -> None:
    items = world("poor", 1)
    h = strata(items, "none")
    s = drawn(h, 0.03, np.random.default_rng(0))
    found = estimated(items.estimands()[1], h, s, set_apart=False)
    assert found.saved is None
    assert found.n_counting == 9
    assert "9 judged items count here, and 100 are needed without strata for the first ranks: 91 more." in (
        found.reason
    )
    apart = estimated(items.estimands()[1], h, s, set_apart=True)
    assert "and 10 are needed: 1 more." in apart.reason
    more = drawn(h, 0.05, np.random.default_rng(0))
    assert "with care" in estimated(items.estimands()[1], h, more, set_apart=True).note
    first = dcg("A", 10, items.ranks[0], 35, items.human, items.machine)
    fifth = drawn(h, 0.2, np.random.default_rng(0))
    assert "100 are needed without" in estimated(first, h, fifth, set_apart=False).reason
    assert not estimated(first, h, fifth, set_apart=True).reason
    assert not estimated(items.estimands()[0], h, s, set_apart=False).reason
    nobody = estimated(items.estimands()[0], h, np.zeros(len(h), dtype=bool), set_apart=False)
    assert nobody.powered is None
    assert nobody.reason


def test_few_errors_of_the_machine_are_said() -> None:
    human, s = np.arange(400) % 2, np.arange(400) < 200

    def told(errors: int) -> Estimated:
        machine = np.where(np.arange(400) < errors, 1 - human, human)
        return estimated(mean_grade(human, machine), human * 0, s, set_apart=True)

    # Added are 1.92 errors beside x (1 - x / 200) that were seen: a tenth of both at 19.
    assert [told(errors).conservative for errors in (0, 2, 16, 20)] == [True, True, True, False]
    added = [each.added for errors in (0, 16) if (each := told(errors).powered)]
    assert added == pytest.approx([1, 1.9207 / (1.9207 + 16 * (1 - 16 / 200) * 200 / 199)], abs=1e-4)
    assert "differ on 2 of the 200" in told(2).note
    assert "would be enough" not in told(2).note  # 200 are left, and some 1,500 would be needed
    assert "Some 34 more would be enough to claim 95 %." in told(16).note
    assert not told(20).note


def test_errors_that_were_not_seen_are_allowed_for() -> None:
    """Of 400 items 100 are judged and all are right: as though z²/2 of the 100 were wrong."""
    right, s = np.arange(400) % 2, np.arange(400) < 100
    found = powered(right / 400, right / 400, right * 0, s, tuning=1.0, unseen=np.full(400, 1 / 400))
    variance = 400**2 * (1 - 0.25) / 100 * (1.959964**2 / 2) / 100 / 400**2
    assert found.half_width == pytest.approx(stats.t.ppf(0.975, 99) * variance**0.5)
    assert found.degrees == 99
    assert powered(right, right, right * 0, s, tuning=1.0).half_width == 0


@pytest.mark.parametrize(("n_items", "n"), [(400, 100), (3500, 350)])
def test_rare_errors_are_covered_however_few(n_items: int, n: int) -> None:
    """Over all samples of one stratum, by the hypergeometric: 1 to 40 errors expected."""
    for wrong in range(n_items // n, 40 * n_items // n, max(1, n_items // n // 2)):
        seen, held = np.arange(min(n, wrong) + 1), 0.0
        chances = stats.hypergeom.pmf(seen, n_items, wrong, n)
        for x, chance in zip(seen.tolist(), chances.tolist(), strict=True):
            if chance > 1e-6:
                variance = (1 - n / n_items) / n * (n / (n - 1) * x / n * (1 - x / n))
                more = (1 - n / n_items) / n * 1.959964**2 / 2 / n
                half, _ = t_half_width(np.array([variance]), [n - 1], more=more)
                held += chance * (abs(x / n - wrong / n_items) <= half)
        assert held >= 0.925, wrong


def test_an_interval_says_nothing_impossible() -> None:
    """Of 400 items 40 are judged and one is relevant: at least 1 and at most 361 are."""
    s = np.arange(400) < 40
    human = (np.arange(400) == 0).astype(np.int64)
    found = estimated(share_from(1, human, human * 0), human * 0, s, set_apart=True)
    assert found.powered is not None
    assert found.powered.low == pytest.approx(1 / 400)
    assert found.powered.value - found.powered.half_width < 0


def test_whole_topics() -> None:
    """Mean of the machine's over four topics, and the mean error on the two that people read."""
    found = over_topics([0.5, 0.7, 0, 0], [0.4, 0.4, 0.6, 0.6], np.array([1, 1, 0, 0], dtype=bool))
    assert found.value == pytest.approx(0.5 + (0.1 + 0.3) / 2)
    # v = 4² (1 - 1/2) / 2 * var((.1, .3) / 4)
    assert found.half_width == pytest.approx(12.7062047 * (16 * 0.25 * 0.02 / 16) ** 0.5)


def test_ndcg_of_whole_topics_is_that_of_each_topic_on_average() -> None:
    """The run has the best of the first topic at rank 2, and all of the second in order."""
    rank, topic = np.array([2, 1, 0, 1, 2, 3]), np.array([0, 0, 0, 1, 1, 1])
    human, machine = np.array([3, 0, 1, 2, 1, 0]), np.array([0, 0, 0, 2, 1, 0])
    one = ndcg("bm25", 2, rank, topic, 2, human, machine)
    assert one.human[0] == pytest.approx((3 / np.log2(3)) / (3 + 1 / np.log2(3)))
    assert (one.human[1], list(one.machine)) == (pytest.approx(1), [0, 1])
    found = estimated_of_topics(one, np.array([True, True]))
    assert found.powered is not None
    assert found.powered.value == pytest.approx(one.human.mean())


def test_a_sum_over_items_is_the_mean_of_its_topics() -> None:
    human, topic = np.array([4, 0, 2, 2, 1]), np.array([0, 0, 1, 1, 2])
    one = by_topic(mean_grade(human, human), topic, 3)
    assert one.human.mean() == pytest.approx(human.mean())


def test_intervals_over_whole_topics_end_where_judged_topics_leave_nothing_possible() -> None:
    """Of three topics of two items, all four judged ones but one are relevant: .5 to .83 is possible."""
    human, machine, topic = [1, 1, 1, 0, 0, 0], [0, 0, 1, 0, 1, 1], np.repeat(np.arange(3), 2)
    judged = np.array([True, True, False])
    found = estimated_of_topics(by_topic(share_from(1, human, machine), topic, 3), judged).powered
    assert found is not None
    assert (found.low, found.high) == pytest.approx((3 / 6, 5 / 6))
    gain = estimated_of_topics(by_topic(mean_grade(human, machine), topic, 3), judged).powered
    assert gain is None or gain.high > 1


def test_intervals_over_whole_topics_cover() -> None:
    draw, held = np.random.default_rng(4), 0
    for _ in range(300):
        truth = draw.random(40)
        machine = np.clip(truth + draw.normal(0, 0.2, 40), 0, 1)
        judged = np.zeros(40, dtype=bool)
        judged[draw.choice(40, 16, replace=False)] = True
        one = Estimand("m", "m", "", np.full(40, 1 / 40), truth, machine)
        found = estimated_of_topics(one, judged).powered
        assert found is not None
        held += found.low <= truth.mean() <= found.high
    assert 0.92 <= held / 300 <= 0.98


def test_weighted_kappa_of_a_census_is_cohens() -> None:
    human, machine = [0, 0, 1, 1, 2, 2], [0, 1, 1, 1, 2, 0]
    found = weighted_kappa(human, machine, [0] * 6, np.ones(6, dtype=bool), 3, power=0)
    # observed 4/6; expected (2/6)(2/6) + (2/6)(3/6) + (2/6)(1/6) = 1/3
    assert found.value == pytest.approx((4 / 6 - 1 / 3) / (1 - 1 / 3))
    assert found.low == pytest.approx(found.high)


def test_weighted_kappa_weighs_by_the_design() -> None:
    """Eight items of stratum 0 stand behind two judged ones: the table is that of all twelve."""
    h = np.array([0] * 8 + [1] * 4)
    s = np.array([1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1], dtype=bool)
    human = np.array([0, 1, 0, 0, 0, 0, 0, 0, 1, 1, 0, 1])
    machine = np.array([0] * 8 + [1] * 4)
    found = weighted_kappa(human, machine, h, s, 2, power=1)
    assert (12 * found.confusion).tolist() == [[4, 1], [4, 3]]
    assert found.low is not None
    assert found.high is not None
    assert found.low < (found.value or 0) < found.high


def test_weighted_kappa_of_one_category() -> None:
    assert weighted_kappa([0, 0], [0, 0], [0, 0], np.ones(2, dtype=bool), 2).value is None


def test_weighted_kappa_covers() -> None:
    items = world("poor", 4)
    h, draw, held = strata(items, "grade × first ranks"), np.random.default_rng(5), 0
    every = np.ones(len(h), dtype=bool)
    true = weighted_kappa(items.human, items.machine, h, every, 5).value or 0
    for _ in range(40):
        found = weighted_kappa(items.human, items.machine, h, drawn(h, 0.1, draw), 5)
        held += (found.low or 0) <= true <= (found.high or 0)
    assert held >= 34
