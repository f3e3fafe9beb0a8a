"""What is estimated of all items: sums of c_i u(y_i), the coefficients c known before anybody judges.

    mean grade, share >= t, share = k    c_i = 1 / N
    precision@k of a run                 c_i = [rank <= k] / (T k)
    DCG@k of a run                       c_i = [rank <= k] / (T log2(rank + 1))
    difference of two runs               c_i of the one minus c_i of the other
    agreement with the machine           c_i = 1 / N, u = how alike the two answers are

nDCG (the ideal in its denominator), average precision and nDCG's like are no such sums, nor are κ and τ: for
these whole topics are drawn (``prediction_powered.over_topics``) or weights are used (``weighted_kappa``).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evaluation.metrics.common.intervals import LEVEL
from evaluation.metrics.nominal.table import BoolArray, FloatArray, IntArray
from evaluation.metrics.validation.prediction_powered import Powered, merged, powered
from evaluation.metrics.validation.saved import classical_half_width, saved

LEAST, FEW, MANY = 10, 30, 100
"""Judged items that count: no interval below the first; below the second a note; below the third no interval
without strata of their own for the first ranks.
"""
MOST_ADDED = 0.1
"""Share of an interval's variance that is added for errors which were not seen, above which it claims *at
least* its level. Up to a tenth of the variance makes an interval at most 1 / sqrt(.9) = 1.054 times as wide,
which in normal theory turns 95 % into 96.1 %: within what 95 % may mean. Beyond, few errors were seen, and it
holds the true value more often (``python -m benchmarks.anchoring powered``).
"""


class Estimand(NamedTuple):
    """A sum over all items.

    ``slug``, ``label``: its name in files and in print.
    ``definition``: what it says, in a sentence.
    ``coefficients`` (N,): c.
    ``human`` (N,): u(y), read only where people judged; ``machine`` (N,): u(g).
    ``unit``: "share", "grades" or "gain".
    ``ends``: of whole topics the least and the most (T,) that each can be; None where nothing bounds them.
    """

    slug: str
    label: str
    definition: str
    coefficients: FloatArray
    human: FloatArray
    machine: FloatArray
    unit: str = "share"
    ends: tuple[FloatArray, FloatArray] | None = None


class Estimated(NamedTuple):
    """An estimand with what is known of it.

    ``estimand``: what was estimated.
    ``powered``: the estimate; its interval is None-like where ``reason`` says why not to print it.
    ``machine_alone``: the sum with the machine's values everywhere, which no interval belongs to.
    ``n_counting``: judged items with a coefficient other than 0.
    ``saved``: judgments saved against a simple random sample of the same items; None without an interval.
    ``random_half_width``: half the interval that a simple random sample of as many items would give.
    ``reason``: why there is no interval; ``note``: what to know of it.
    """

    estimand: Estimand
    powered: Powered | None
    machine_alone: float
    n_counting: int
    saved: int | None
    random_half_width: float | None
    reason: str = ""
    note: str = ""

    @property
    def conservative(self) -> bool | None:
        """Whether the interval claims at least its level, few errors being seen; None where there is none."""
        return None if self.powered is None or self.reason else self.powered.added > MOST_ADDED


def estimated(
    estimand: Estimand, stratum: ArrayLike, judged: ArrayLike, *, set_apart: bool, level: float = LEVEL
) -> Estimated:
    """The estimand with its interval, unless too few judged items count.

    ``stratum``, ``judged`` (N,) as in ``powered``; strata that are too small are merged.
    ``set_apart``: whether strata set the first ranks of the compared runs apart from the rest.
    """
    s = np.asarray(judged, dtype=np.bool_)
    counting = estimand.coefficients != 0
    n = int((s & counting).sum())
    f = estimand.coefficients * estimand.machine
    alone = float(f.sum())
    if s.sum() < 2:
        return Estimated(
            estimand, None, alone, n, None, None, "Fewer than two items of the sample are judged."
        )
    z = np.where(s, estimand.coefficients * estimand.human, 0.0)
    h = merged(stratum, s)
    # Where one error counts most: of a sum in which a few items weigh much, these may be what was not seen.
    error = np.where(counting, np.abs(estimand.coefficients).max(), 0.0)
    found = powered(z, f, h, s, unseen=error, level=level)
    if estimand.unit == "share":
        found = _possible(found, estimand.coefficients, z, s)
    left = int((counting & ~s).sum())
    if reason := _too_few(n, left, set_apart=set_apart or bool(counting.all())):
        return Estimated(estimand, found, alone, n, None, None, reason)
    at_random = classical_half_width(z, h, s, level)
    gained = saved(found.n_items, found.n_judged, found.half_width, at_random)
    errors = int((s & counting & (estimand.human != estimand.machine)).sum())
    return Estimated(estimand, found, alone, n, gained, at_random, "", _note(n, left, errors, found.added))


def _possible(found: Powered, c: FloatArray, z: FloatArray, judged: BoolArray) -> Powered:
    """Estimate and ends cut to what the judged items leave possible: of the others each value is 0 to 1."""
    seen, rest = float(z.sum()), c[~judged]
    least, most = seen + float(rest[rest < 0].sum()), seen + float(rest[rest > 0].sum())
    value, low, high = (min(max(end, least), most) for end in (found.value, found.low, found.high))
    return found._replace(value=value, low=low, high=high)


def _too_few(n: int, left: int, *, set_apart: bool) -> str:
    """Why there is no interval; empty where there is one, or every item that counts is judged."""
    needed = LEAST if set_apart else MANY
    if n >= needed or not left:
        return ""
    without = "" if set_apart else " without strata for the first ranks"
    return (
        f"No interval: {n} judged items count here, and {needed} are needed{without}: "
        f"{min(needed - n, left):,} more."
    )


def _note(n: int, left: int, errors: int, added: float) -> str:
    if not left:
        return ""
    few = f"Only {n} judged items count here: read the interval with care." if n < FEW else ""
    if added > MOST_ADDED:
        # What is added falls with the number of judged items that count; what was seen does not.
        ratio = (1 - MOST_ADDED) / MOST_ADDED * added / max(1 - added, 1 / n)
        more = max(1, math.ceil(n * ratio) - n)
        enough = f" Some {more:,} more would be enough to claim 95 %." if more < left else ""
        return (
            f"Few errors: people and the machine differ on {errors} of the {n} judged items that count here."
            f"{enough} {few}".rstrip()
        )
    return few


def mean_grade(human: ArrayLike, machine: ArrayLike) -> Estimand:
    """The mean grade. ``human``, ``machine`` (N,): grades; the machine's may be its expected grade."""
    return _of_all("mean_grade", "mean grade", "Mean grade over all items.", human, machine, "grades")


def share_from(level: int, human: ArrayLike, machine: ArrayLike) -> Estimand:
    """The share of items with at least this grade."""
    return _of_all(
        f"share_from_{level}",
        f"share of grade {level} or higher",
        f"Share of all items whose grade is {level} or higher.",
        np.asarray(human) >= level,
        np.asarray(machine) >= level,
    )


def histogram(grades: int, human: ArrayLike, machine: ArrayLike) -> tuple[Estimand, ...]:
    """The share of each of so many grades."""
    return tuple(
        _of_all(
            f"share_of_{grade}",
            f"share of grade {grade}",
            f"Share of all items whose grade is {grade}.",
            np.asarray(human) == grade,
            np.asarray(machine) == grade,
        )
        for grade in range(grades)
    )


def agreement_with_machine(likeness: ArrayLike) -> Estimand:
    """How alike people's and the machine's answers are. ``likeness`` (N,): 0 to 1, where judged.

    The machine's own part is 1 everywhere, so this is the classical stratified estimate.
    """
    human = np.asarray(likeness, dtype=np.float64)
    return _of_all(
        "agreement_with_machine",
        "agreement of people with the machine",
        "Mean likeness of a person's answer and the machine's over all items; 1 where they are equal.",
        human,
        np.ones(len(human)),
    )


def precision(
    name: str, k: int, rank: ArrayLike, n_topics: int, level: int, human: ArrayLike, machine: ArrayLike
) -> Estimand:
    """Precision@k of a run. ``rank`` (N,): from 1, 0 where the run lacks the item."""
    return Estimand(
        f"p_{k}_{name}",
        f"P@{k} of {name}",
        f"Share of the first {k} documents of {name} whose grade is {level} or higher, mean over topics. "
        "Documents that are no item of the study count as not relevant.",
        _first(rank, k) / (max(1, n_topics) * k),
        _at_least(human, level),
        _at_least(machine, level),
    )


def dcg(name: str, k: int, rank: ArrayLike, n_topics: int, human: ArrayLike, machine: ArrayLike) -> Estimand:
    """DCG@k of a run, gain linear. ``rank`` (N,) as in ``precision``."""
    ranks = np.asarray(rank, dtype=np.float64)
    discount = np.log2(np.maximum(ranks, 1) + 1)
    return Estimand(
        f"dcg_{k}_{name}",
        f"DCG@{k} of {name}",
        f"Grades of the first {k} documents of {name}, each over log2(rank + 1), added up; mean over topics.",
        _first(rank, k) / (max(1, n_topics) * discount),
        np.asarray(human, dtype=np.float64),
        np.asarray(machine, dtype=np.float64),
        "gain",
    )


def difference(first: Estimand, second: Estimand) -> Estimand:
    """The one minus the other, both of the same grades."""
    return first._replace(
        slug=f"{first.slug}_minus_{second.slug}",
        label=f"{first.label} − {second.label}",
        definition=f"{first.label} minus {second.label}, on the same topics.",
        coefficients=first.coefficients - second.coefficients,
    )


def _of_all(
    slug: str, label: str, definition: str, human: ArrayLike, machine: ArrayLike, unit: str = "share"
) -> Estimand:
    said, told = (np.asarray(each, dtype=np.float64) for each in (human, machine))
    return Estimand(slug, label, definition, np.full(len(said), 1 / len(said)), said, told, unit)


def _at_least(grades: ArrayLike, level: int) -> FloatArray:
    return (np.asarray(grades) >= level).astype(np.float64)


def _first(rank: ArrayLike, k: int) -> FloatArray:
    ranks: IntArray = np.asarray(rank, dtype=np.int64)
    return ((ranks > 0) & (ranks <= k)).astype(np.float64)
