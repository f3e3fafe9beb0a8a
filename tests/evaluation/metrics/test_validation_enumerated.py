"""Estimates of a validation sample: over all samples that could have been drawn, and by plain loops."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from evaluation.metrics.common.mcnemar import holm
from evaluation.metrics.machines import habits
from evaluation.metrics.machines.likeness import compared
from evaluation.metrics.validation.anchoring import by_part, pull, shift
from evaluation.metrics.validation.estimands import (
    agreement_with_machine,
    estimated,
    precision,
    share_from,
)
from evaluation.metrics.validation.planner import reveal_power
from evaluation.metrics.validation.prediction_powered import merged, over_topics, powered
from evaluation.metrics.validation.rankings import stands_for, taus
from evaluation.metrics.validation.reveals import revisions
from evaluation.metrics.validation.saved import classical_half_width
from evaluation.metrics.validation.weighted_kappa import weighted_kappa

SIZES, DRAWN = (4, 3, 2, 1), (2, 2, 2, 1)
"""Strata of a small list; the last two are judged whole."""
STRATUM = np.repeat(np.arange(4), SIZES)


def every_sample():
    """(N,) masks: all samples of DRAWN items a stratum, which are equally likely."""
    places = [np.flatnonzero(h == STRATUM).tolist() for h in range(4)]
    for chosen in product(*(combinations(own, n) for own, n in zip(places, DRAWN, strict=True))):
        mask = np.zeros(len(STRATUM), dtype=bool)
        mask[[place for part in chosen for place in part]] = True
        yield mask


def variance(half_width: float, degrees: float) -> float:
    return (half_width / stats.t.ppf(0.975, degrees)) ** 2


@pytest.mark.parametrize("tuning", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("machine", ["random", "right", "constant"])
def test_over_all_samples_the_estimate_is_right_and_so_is_its_variance(machine: str, tuning: float) -> None:
    draw = np.random.default_rng(1)
    z = draw.integers(0, 5, len(STRATUM)).astype(float)
    f = {"random": draw.normal(size=len(z)), "right": z, "constant": np.ones(len(z))}[machine]
    found = [powered(z, f, STRATUM, s, tuning=tuning) for s in every_sample()]
    values = np.array([each.value for each in found])
    assert values.mean() == pytest.approx(z.sum())
    told = np.mean([variance(each.half_width, each.degrees) for each in found])
    assert told == pytest.approx(values.var(), abs=1e-9)
    if machine == "right" and tuning == 1:
        assert values == pytest.approx(z.sum())


def test_over_all_samples_the_spread_of_a_random_one_is_right() -> None:
    z = np.random.default_rng(2).normal(5, 1, len(STRATUM))
    n, N = sum(DRAWN), len(z)
    widths = [classical_half_width(np.where(s, z, 0), STRATUM, s) for s in every_sample()]
    told = np.mean([variance(width, n - 1) for width in widths])
    assert told == pytest.approx(N**2 * (1 / n - 1 / N) * z.var(ddof=1))


def test_over_all_draws_of_topics_the_mean_is_right() -> None:
    human, machine = np.random.default_rng(3).random((2, 7))
    found = []
    for chosen in combinations(range(7), 3):
        found.append(over_topics(human, machine, np.isin(np.arange(7), chosen)))
    values = np.array([each.value for each in found])
    assert values.mean() == pytest.approx(human.mean())
    assert np.mean([variance(each.half_width, 2) for each in found]) == pytest.approx(values.var())


def test_over_all_lots_the_shift_is_right_and_never_too_sure() -> None:
    """Two strata of four readings, two of each shown: what seeing it does differs from reading to reading."""
    draw, stratum = np.random.default_rng(4), np.repeat([0, 1], 4)
    blind, shown = draw.random((2, 8))
    found = []
    for one, other in product(combinations(range(4), 2), combinations(range(4, 8), 2)):
        seen = np.isin(np.arange(8), [*one, *other])
        found.append(shift(np.where(seen, shown, blind), seen, stratum))
    values = np.array([each.difference for each in found])
    assert values.mean() == pytest.approx((shown - blind).mean())
    effects = (shown - blind).reshape(2, 4).var(axis=1, ddof=1)
    told = np.mean([sum(each.variances) for each in found])
    assert told - values.var() == pytest.approx((effects / 4 / 4).sum())


def test_readings_of_each_arm_stand_for_all_items() -> None:
    draw = np.random.default_rng(12)
    for _ in range(200):
        n = int(draw.integers(4, 30))
        h = draw.integers(0, 6, n)
        h = np.unique(h, return_inverse=True)[1]
        place = draw.integers(0, n, int(draw.integers(4, 40)))
        shown = draw.random(len(place)) < 0.4
        shown[:2], shown[2:4] = True, False
        weight = stands_for(h, place, shown)
        assert weight[shown].sum() == pytest.approx(n)
        assert weight[~shown].sum() == pytest.approx(n)
    # Only the first stratum has a reading of each arm: both strata join, each reading stands for two items.
    assert stands_for([0, 0, 1, 1], [0, 0, 1, 2], [1, 1, 0, 0]).tolist() == [2] * 4


def random_case(draw: np.random.Generator):
    """z, f, strata and a sample of few items: ties, constants, strata judged whole, once or not at all."""
    n = int(draw.integers(3, 25))
    h, s = draw.integers(0, draw.integers(1, 6), n), draw.random(n) < draw.choice([0.3, 0.6, 1.0])
    s[:2] = True
    z = draw.integers(0, draw.integers(1, 5), n).astype(float)
    other = draw.normal(size=n)
    f = (z, np.ones(n), -z, 3 * z, other, z + other)[draw.integers(6)]
    return z, f, h, s


def test_a_stratum_without_judged_items_does_not_join_one_item_that_is_judged_whole() -> None:
    """It joins until two are judged: one judged of four would show no spread."""
    h, s = [0, 0, 0, 1, 2, 2, 2], np.array([1, 1, 0, 1, 0, 0, 0], dtype=bool)
    assert merged(h, s).tolist() == [0] * 7
    assert powered([1, 2, 0, 3, 0, 0, 0], np.zeros(7), merged(h, s), s).value == pytest.approx(7 * 2)


def test_values_that_never_vary_are_no_point() -> None:
    """Nobody finds a relevant item among 40 of 400, the machine finds some: that is no 0 ± 0."""
    machine, s = np.arange(400) % 4, np.arange(400) % 10 == 0
    one = np.zeros(400, dtype=np.int64)
    found = estimated(share_from(1, one, machine * 0), one, s, set_apart=True)
    assert (found.powered.value, found.powered.low) == (0, 0)
    assert 2 / 40 < found.powered.high < 3 / 40
    assert "differ on 0 of the 40" in found.note
    alike = estimated(agreement_with_machine(np.ones(400)), machine, s, set_apart=True)
    assert alike.powered.low < 0.95
    assert alike.powered.value == alike.powered.high == pytest.approx(1)
    whole = estimated(share_from(1, machine * 0, machine), machine, machine >= 0, set_apart=True)
    assert (whole.reason, whole.note, whole.powered.half_width) == ("", "", 0)


def test_where_every_item_that_counts_is_judged_no_error_is_unseen() -> None:
    rank, s = np.where(np.arange(400) < 120, 1, 0), np.arange(400) < 200
    h, right = (rank == 0).astype(np.int64), np.arange(400) % 2
    found = estimated(precision("A", 10, rank, 12, 1, right, right), h, s, set_apart=True)
    assert (found.reason, found.powered.half_width) == ("", 0)


def test_readings_that_never_differ_show_no_chance() -> None:
    every = shift([0] * 40 + [1] * 40, [0] * 40 + [1] * 40, [0] * 80)
    assert (every.difference, every.low, every.p, pull(every).value) == (1, None, None, 1)
    (part,) = by_part([1] * 80, [0] * 40 + [1] * 40, [0] * 80, [0] * 80)
    assert (part.shift.difference, part.shift.p, part.p_holm, part.verdict) == (0, None, None, False)


def test_on_random_cases_it_is_the_formula() -> None:
    draw = np.random.default_rng(5)
    for _ in range(300):
        z, f, h, s = random_case(draw)
        joined = merged(h, s)
        assert [*dict.fromkeys(joined[np.argsort(h, kind="stable")])] == [*range(joined.max() + 1)]
        own = [(np.flatnonzero(joined == g), np.flatnonzero((joined == g) & s)) for g in set(joined.tolist())]
        assert all(len(j) >= 2 or len(j) == len(i) for i, j in own)
        parts = [(i, j, len(i) ** 2 * (1 - len(j) / len(i)) / len(j)) for i, j in own]
        open_ = [(i, j, a) for i, j, a in parts if a > 0]
        together = sum(a * np.cov(z[j], f[j])[0, 1] for _, j, a in open_)
        spread = sum(a * np.var(f[i], ddof=1) for i, _, a in open_)
        best = float(np.clip(together / spread, 0, 1)) if spread > 1e-9 else 0.0
        found = powered(np.where(s, z, np.nan), f, joined, s)
        assert found.tuning == pytest.approx(best, abs=1e-9)
        value = sum(best * f[i].sum() + len(i) * (z - best * f)[j].mean() for i, j, _ in parts)
        assert found.value == pytest.approx(value, abs=1e-9)
        spreads = [(a * np.var((z - best * f)[j], ddof=1), len(j) - 1) for _, j, a in open_]
        total = sum(v for v, _ in spreads)
        assert variance(found.half_width, found.degrees) == pytest.approx(total, abs=1e-9)
        if total > 1e-9:
            assert found.degrees == pytest.approx(total**2 / sum(v**2 / d for v, d in spreads))


def plain_kappa(rows: list[tuple[float, int, int]], power: int) -> float:
    """Cohen's κ of pairs with weights."""
    whole = sum(w for w, _, _ in rows)

    def cost(k: int, m: int) -> float:
        return float(k != m) if power == 0 else abs(k - m) ** power

    expected = sum(w * v * cost(k, m) for w, k, _ in rows for v, _, m in rows) / whole**2
    return 1 - sum(w * cost(k, m) for w, k, m in rows) / whole / expected


@pytest.mark.parametrize("power", [0, 1, 2])
def test_weighted_kappa_leaves_out_one_item_at_a_time(power: int) -> None:
    draw, compared_cases = np.random.default_rng(6 + power), 0
    for _ in range(40):
        _, _, h, s = random_case(draw)
        human, machine = draw.integers(0, 3, (2, len(h)))
        h = merged(h, s)
        n, size = Counter(h[s].tolist()), Counter(h.tolist())
        pairs = [(int(h[i]), int(human[i]), int(machine[i])) for i in np.flatnonzero(s)]

        def kappa(kept: list[tuple[int, int, int]], size: Counter[int] = size) -> float:
            left = Counter(g for g, _, _ in kept)
            return plain_kappa([(size[g] / left[g], k, m) for g, k, m in kept], power)

        found = weighted_kappa(human, machine, h, s, 3, power=power)
        if found.value is None:
            continue
        assert found.value == pytest.approx(kappa(pairs))
        total, parts = 0.0, []
        try:
            for g in n:
                without = [
                    kappa(pairs[:i] + pairs[i + 1 :]) for i, pair in enumerate(pairs) if pair[0] == g
                ] if n[g] > 1 else [0.0]  # fmt: skip
                mean = sum(without) / len(without)
                v = (1 - n[g] / size[g]) * (n[g] - 1) / n[g] * sum((one - mean) ** 2 for one in without)
                total, parts = total + v, [*parts, (v, max(1, n[g] - 1))]
        except ZeroDivisionError:  # without one item nothing is left to disagree on
            continue
        if total > 1e-12 and found.low is not None and found.low > -1:
            degrees = max(1.0, total**2 / sum(v**2 / d for v, d in parts))
            assert found.value - found.low == pytest.approx(stats.t.ppf(0.975, degrees) * total**0.5)
            compared_cases += 1
    assert compared_cases >= 5


def test_tests_are_those_of_other_libraries() -> None:
    draw = np.random.default_rng(9)
    for case in range(60):
        n = int(draw.integers(1, 15))
        ours, theirs = draw.integers(0, 2, (2, n))
        one = compared(ours, theirs, 1)
        apart = int((ours != theirs).sum())
        assert one.p == pytest.approx(
            stats.binomtest(int((ours > theirs).sum()), apart).pvalue if apart else 1
        )
        p = draw.random(n + 4).round(1)
        if case < 4:  # it collects the garbage of the whole process each time
            assert holm(p) == pytest.approx(multipletests(p, method="holm")[1])
        first, second = draw.integers(0, 4, (2, 1, max(2, n))).astype(float)
        wanted = stats.kendalltau(first[0], second[0]).statistic
        assert taus(first, second)[0] == pytest.approx(wanted, nan_ok=True)
        before, after = draw.integers(0, 4, (2, n))
        changed = revisions(before, after, before != after)
        moved = changed.towards + changed.away
        assert moved == (before != after).sum()
        assert changed.p == pytest.approx(stats.binomtest(changed.towards, moved).pvalue if moved else 1)


def test_sign_flips_are_counted_one_by_one() -> None:
    draw = np.random.default_rng(10)
    for _ in range(40):
        ours, theirs = draw.integers(0, 5, (2, int(draw.integers(1, 8)))) / 4
        ours[0] = 0.25
        apart = ours - theirs
        sums = [abs(np.dot(signs, apart)) for signs in product((-1, 1), repeat=len(apart))]
        wanted = np.mean([one >= abs(apart.sum()) - 1e-9 for one in sums])
        assert compared(ours, theirs, 1).p == pytest.approx(wanted)


def test_query_words_are_laid_beside_grades_by_spearman(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(habits, "RESAMPLES", 2)
    draw = np.random.default_rng(11)
    for _ in range(20):
        words, machine, people = draw.integers(0, 4, (3, 12)) / 4
        found = habits.words_and_grades(words, machine, people, 2, 1)
        for told, grades in ((found.machine, machine), (found.people, people)):
            assert told == pytest.approx(stats.spearmanr(words, grades).statistic)


def test_power_of_a_reveal_is_summed_over_all_counts() -> None:
    n, towards, away = 25, 0.3, 0.05
    wanted = 0.0
    for b in range(n + 1):
        for c in range(n + 1 - b):
            if b > c and stats.binomtest(b, b + c).pvalue <= 0.05:
                wanted += stats.multinomial.pmf([b, c, n - b - c], n, [towards, away, 1 - towards - away])
    assert reveal_power(n, towards, away) == pytest.approx(wanted)
