"""The anchoring meter: what seeing the machine's answer does to a reader's.

Readings fall by lot into arms within reader and stratum: *blind* (the machine's answer is never seen),
*reveal* (seen after the own answer) and *prefilled* (seen first). For a value x of a reading, such as its
likeness to the machine's answer, W_h the share of stratum h among the readings compared:

    Δ = sum_h W_h (mean of x shown - mean of x blind),    v = sum_h W_h² (s²_shown / n + s²_blind / n)
    pull = Δ / (1 - A_blind): of the disagreements that readers would have had, the share that was swallowed
    v(pull) = [v_1 + v_0 ((1 - A_1) / (1 - A_0))²] / (1 - A_0)²        (delta method)

Variances are Neyman's, one a cell; intervals Student's t with Satterthwaite's degrees of freedom. Neyman
(1923); Imbens and Rubin (2015), chapter 6.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evaluation.metrics.common.intervals import LEVEL
from evaluation.metrics.common.mcnemar import holm
from evaluation.metrics.nominal.table import BoolArray, FloatArray, IntArray
from evaluation.metrics.validation.prediction_powered import t_half_width

NO_VERDICT = 30
"""Readings in an arm below which a part (a reader, a grade) gets no verdict."""
CARRIED = 0.01
"""p below which the check of carry-over leaves out the first answers of *reveal*. A check costs coverage: at
.05 it switches in one study of twenty where nothing carried over, to blind answers that are off just then.
"""


class Arm(IntEnum):
    """How a reading was given."""

    BLIND = 0
    REVEAL = 1
    PREFILLED = 2


class Shift(NamedTuple):
    """Readings that saw the machine's answer against those that did not.

    ``difference``: Δ, None where an arm is empty.
    ``low``, ``high``: its interval; ``p``: two-sided, of Δ = 0. None where an arm has fewer than two readings
    or no two readings of any arm and stratum differ: then nothing tells how much chance moves them.
    ``blind``, ``shown``: both means, strata weighed alike.
    ``n_blind``, ``n_shown``: readings compared.
    ``variances``: of the mean shown and of the mean blind.
    ``degrees``: of freedom.
    """

    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    blind: float | None
    shown: float | None
    n_blind: int
    n_shown: int
    variances: tuple[float, float] = (0.0, 0.0)
    degrees: float = 1.0


class Pull(NamedTuple):
    """The share of disagreements that readers gave up. ``low``, ``high``: None without an interval."""

    value: float | None
    low: float | None
    high: float | None


class PartShift(NamedTuple):
    """The shift of one reader or one grade of the machine.

    ``part``: its number.
    ``shift``: its own.
    ``p_holm``: adjusted for all parts with a verdict, None without one.
    ``verdict``: whether both arms have enough readings, and any of them differ.
    """

    part: int
    shift: Shift
    p_holm: float | None
    verdict: bool


def shift(values: ArrayLike, shown: ArrayLike, stratum: ArrayLike, level: float = LEVEL) -> Shift:
    """Compare readings that saw the machine's answer with readings that did not.

    ``values`` (M,): x; ``shown`` (M,): whether the machine's answer was seen; ``stratum`` (M,): numbers in an
    order in which neighbours are alike. Strata with fewer than two readings in either arm join a neighbour.
    """
    x, seen = np.asarray(values, dtype=np.float64), np.asarray(shown, dtype=np.bool_)
    n_shown, n_blind = int(seen.sum()), int((~seen).sum())
    if min(n_shown, n_blind) < 2:
        return Shift(None, None, None, None, None, None, n_blind, n_shown)
    h = _joined(np.asarray(stratum, dtype=np.int64), seen)
    weights = np.bincount(h) / len(h)
    (mean_1, v_1, d_1), (mean_0, v_0, d_0) = (_cells(x, h, which, weights) for which in (seen, ~seen))
    difference = mean_1 - mean_0
    variances, behind = np.concatenate([v_1, v_0]), np.concatenate([d_1, d_0])
    half, degrees = t_half_width(variances, behind, level)
    both = (float(v_1.sum()), float(v_0.sum()))
    if sum(both) <= 0:
        return Shift(difference, None, None, None, mean_0, mean_1, n_blind, n_shown)
    p = _p(difference, sum(both), degrees)
    return Shift(
        difference, difference - half, difference + half, p, mean_0, mean_1, n_blind, n_shown, both, degrees
    )


def pull(found: Shift, level: float = LEVEL) -> Pull:
    """The share of disagreements swallowed, from the shift of agreement (0 to 1).

    None where blind readers never disagree: there is nothing to swallow. Nobody gives up more than all,
    so the interval ends at 1.
    """
    from scipy.stats import t

    if found.difference is None or found.blind is None or found.shown is None or found.blind >= 1 - 1e-12:
        return Pull(None, None, None)
    left = 1 - found.blind
    if found.low is None:
        return Pull(found.difference / left, None, None)
    v_1, v_0 = found.variances
    error = ((v_1 + v_0 * ((1 - found.shown) / left) ** 2) / left**2) ** 0.5
    half = float(t.ppf((1 + level) / 2, found.degrees)) * error
    value = found.difference / left
    return Pull(value, value - half, min(value + half, 1.0))


def by_part(
    values: ArrayLike, shown: ArrayLike, stratum: ArrayLike, part: ArrayLike, level: float = LEVEL
) -> tuple[PartShift, ...]:
    """The shift of likeness (M,) within each part (M,), such as each reader, p adjusted by Holm over those
    with a verdict.

    Parts with fewer than 30 readings in an arm get no verdict: their numbers are printed, nothing is tested.
    """
    x, seen, h, parts = (np.asarray(each) for each in (values, shown, stratum, part))
    found = []
    for number in np.unique(parts).tolist():
        own = parts == number
        one = _possible(shift(x[own], seen[own], h[own], level))
        enough = one.p is not None and min(one.n_blind, one.n_shown) >= NO_VERDICT
        found.append(PartShift(number, one, None, enough))
    tested = {each.part: each.shift.p for each in found if each.verdict and each.shift.p is not None}
    adjusted = dict(zip(tested, holm(list(tested.values())), strict=True))
    return tuple(each._replace(p_holm=adjusted.get(each.part)) for each in found)


class Meter(NamedTuple):
    """All that the arms say.

    ``agreement``: likeness with the machine, pre-filled against blind readings alone.
    ``pooled``: the same against blind and the first answers of reveal together, where the narrower interval
    is.
    ``pull``: of ``pooled`` where the check holds, else of ``agreement``.
    ``carry_over``: first answers of reveal against blind ones; 0 is expected.
    ``blind_only``: whether the check found a difference, so that the first answers of reveal are left out.
    ``grade``: the grade itself, and ``distance``: |grade - machine|; None where answers are no grades.
    ``readers``, ``grades``: the shift of agreement by reader, and by the machine's grade.
    """

    agreement: Shift
    pooled: Shift
    pull: Pull
    carry_over: Shift
    blind_only: bool
    grade: Shift | None
    distance: Shift | None
    readers: tuple[PartShift, ...]
    grades: tuple[PartShift, ...]

    @property
    def headline(self) -> Shift:
        """The shift of agreement that is reported first."""
        return self.agreement if self.blind_only else self.pooled


class Readings(NamedTuple):
    """Readings of the sample, (M,) each.

    ``arm``: see `Arm`; ``reader``, ``stratum``: numbers.
    ``likeness``: of the first answer (of a pre-filled one, the answer) to the machine's, 0 to 1.
    ``grade``, ``machine``: as grades, -1 where answers are none.
    """

    arm: IntArray
    reader: IntArray
    stratum: IntArray
    likeness: FloatArray
    grade: IntArray
    machine: IntArray

    def only(self, which: BoolArray) -> Readings:
        """The readings where ``which`` (M,) is true."""
        arm, reader, stratum, likeness, grade, machine = self
        return Readings(
            arm[which], reader[which], stratum[which], likeness[which], grade[which], machine[which]
        )


def meter(readings: Readings, level: float = LEVEL) -> Meter:
    """Measure what the machine's answer did to the readers."""
    arm = readings.arm
    alone = readings.only(arm != Arm.REVEAL)
    agreement = _agreement(alone, level)
    early = readings.only(arm != Arm.PREFILLED)
    carried = _possible(shift(early.likeness, early.arm == Arm.REVEAL, early.stratum, level))
    blind_only = carried.p is not None and carried.p < CARRIED
    counted = alone if blind_only else readings
    pooled = agreement if blind_only else _agreement(readings, level)
    graded = len(counted.grade) > 0 and bool((counted.grade >= 0).all())
    shown = counted.arm == Arm.PREFILLED
    return Meter(
        agreement,
        pooled,
        pull(pooled, level),
        carried,
        blind_only,
        shift(counted.grade, shown, counted.stratum, level) if graded else None,
        shift(np.abs(counted.grade - counted.machine), shown, counted.stratum, level) if graded else None,
        by_part(counted.likeness, shown, counted.stratum, counted.reader, level),
        by_part(counted.likeness, shown, counted.stratum, counted.machine, level) if graded else (),
    )


def _agreement(readings: Readings, level: float) -> Shift:
    return _possible(shift(readings.likeness, readings.arm == Arm.PREFILLED, readings.stratum, level))


def _possible(found: Shift) -> Shift:
    """The shift of a likeness with its interval cut to what a difference of likenesses can be, -1 to 1."""
    if found.low is None or found.high is None:
        return found
    return found._replace(low=max(found.low, -1.0), high=min(found.high, 1.0))


def _joined(stratum: IntArray, seen: BoolArray) -> IntArray:
    """(M,) strata joined to their neighbours until both arms have two readings in each; from 0."""
    names, h = np.unique(stratum, return_inverse=True)
    cells = np.stack([np.bincount(h[which], minlength=len(names)) for which in (seen, ~seen)])
    return np.asarray(two_of_each(cells)[h], dtype=np.int64)


def two_of_each(cells: IntArray) -> IntArray:
    """(H,) strata joined to their neighbours until both arms have two readings in each, from 0.

    ``cells`` (2, H): readings of each arm in each stratum.
    """
    n_strata = cells.shape[1]
    to, number, left = np.empty(n_strata, dtype=np.int64), 0, np.zeros(2, dtype=np.int64)
    for place in range(n_strata):
        to[place], left = number, left + cells[:, place]
        if left.min() >= 2:
            number, left = number + 1, np.zeros(2, dtype=np.int64)
    to[to == number] = max(0, number - 1)  # the last ones have no neighbour behind them
    return to


def _cells(
    x: FloatArray, h: IntArray, which: BoolArray, weights: FloatArray
) -> tuple[float, FloatArray, FloatArray]:
    """The weighted mean of one arm, and of each stratum its part of the variance and degrees of freedom."""
    n = np.bincount(h[which], minlength=len(weights))
    means = np.bincount(h[which], x[which], len(weights)) / n
    squares = np.bincount(h[which], (x[which] - means[h[which]]) ** 2, len(weights))
    return float(weights @ means), weights**2 * squares / (n - 1) / n, (n - 1).astype(np.float64)


def _p(difference: float, variance: float, degrees: float) -> float:
    from scipy.stats import t

    return float(2 * t.sf(abs(difference) / variance**0.5, degrees))
