"""Prediction-powered estimates of a total over a finite list of items, of which a stratified sample is
judged.

A machine's values f_i are known for all N items, people's values z_i for those drawn at random, without
replacement, within strata h (n_h of N_h):

    θ = sum_h N_h [ λ mean_h(f) + mean over the sample of h (z - λ f) ]
    v = sum_h a_h s²_h(z - λ f),    a_h = N_h² (1 - n_h / N_h) / n_h
    λ = sum a_h cov_h(z, f) / sum a_h var_h(f), the variance from all items, clipped to [0, 1]

λ = 0 is the classical stratified estimate, 1 is plain prediction-powered inference. λ is 0 where f is
constant within strata: the strata have spent what the machine knows. Intervals are Student's t with
Satterthwaite's degrees of freedom. They hold whatever the machine's quality, because the machine's error is
measured on the sample. What readers saw beside the machine's answer must never be in z: that is no
measurement of its error.

Where a machine is seldom wrong, a sample may hold none of its errors, and s² alone would say that there are
none. So v may be that of a sample with z²/2 errors e more (z² / 2 = 1.92 at 95 %), spread over the m judged
items that count, n a stratum's judged items and m_h those that count:

    s²_h + z²/2 e² m_h / (m n_h)

z²/2 is what Agresti and Coull (1998) add to the successes of a proportion, Price and Bonett (2004) to those
of a sum of proportions; here the estimate itself stays as it is. What is added is no estimate, so it takes no
degrees of freedom.

Angelopoulos et al. (2023, arXiv 2301.09633; 2023, arXiv 2311.01453, the tuning); Fisch et al. (2024, arXiv
2406.04291, strata); Cochran (1977), chapter 7, the combined regression estimator of a finite population.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evaluation.metrics.common.intervals import LEVEL
from evaluation.metrics.nominal.table import BoolArray, FloatArray, IntArray

_NOTHING = 1e-12
_LEAST = 1e-300


class Powered(NamedTuple):
    """An estimate of a total over all items.

    ``value``: θ.
    ``low``, ``high``: its interval; None where nothing was judged.
    ``tuning``: λ, from 0 (classical) to 1 (plain prediction-powered).
    ``half_width``: of the interval.
    ``added``: share of the variance behind it that was added for errors which were not seen, 0 to 1.
    ``degrees``: of freedom, Satterthwaite's.
    ``n_items``: N; ``n_judged``: the sample; ``n_strata``: after any were merged.
    """

    value: float
    low: float
    high: float
    tuning: float
    half_width: float
    degrees: float
    n_items: int
    n_judged: int
    n_strata: int
    added: float = 0.0


def powered(
    human: ArrayLike,
    machine: ArrayLike,
    stratum: ArrayLike,
    judged: ArrayLike,
    *,
    tuning: float | None = None,
    unseen: ArrayLike | None = None,
    level: float = LEVEL,
) -> Powered:
    """Estimate the sum of people's values over all N items.

    ``human`` (N,): z, used only where ``judged``; ``machine`` (N,): f, known everywhere.
    ``stratum`` (N,): numbers from 0; ``judged`` (N,): whether the item is in the sample.
    ``tuning``: λ, None for the best one.
    ``unseen`` (N,): what one error of the machine would add to the sum, 0 where an item does not count; None
    where errors are not rare and s² is enough.

    Raises ValueError where a stratum has fewer than two judged items and is not judged whole (:func:`merged`
    joins it to its neighbour), and for arrays of unequal length.
    """
    h, s = np.asarray(stratum, dtype=np.int64), np.asarray(judged, dtype=np.bool_)
    f = np.asarray(machine, dtype=np.float64)
    z = np.where(s, np.asarray(human, dtype=np.float64), 0.0)
    if not len(z) == len(f) == len(h) == len(s) or not len(z):
        raise ValueError(
            "human, machine, stratum and judged must hold one value an item, of one item or more."
        )
    strata = Strata(h, s)
    if not strata.sound:
        raise ValueError("Every stratum needs two judged items, unless all of its items are judged.")
    weights = strata.weights
    every = np.ones(len(z), dtype=np.bool_)
    if tuning is None:
        tuning = _best(strata, z, f, s)
    rest = z - tuning * f
    value = float((strata.items * (tuning * strata.mean(f, every) + strata.mean(rest, s))).sum())
    variances = weights * strata.covariance(rest, rest, s)
    more = 0.0
    if unseen is not None:
        errors = np.where(s, np.asarray(unseen, dtype=np.float64), 0.0)
        more = float((weights * _not_seen(strata, errors, level)).sum())
    half, degrees = t_half_width(variances, strata.judged - 1, level, more=more)
    added = more / (more + float(variances.sum())) if more else 0.0
    ends = (value, value - half, value + half)
    return Powered(*ends, tuning, half, degrees, len(z), int(s.sum()), len(strata.items), added)


def _best(strata: Strata, z: FloatArray, f: FloatArray, judged: BoolArray) -> float:
    """λ, 0 where f is constant within strata."""
    every = np.ones(len(z), dtype=np.bool_)
    spread = float((strata.weights * strata.covariance(f, f, every)).sum())
    if spread < _NOTHING * max(1.0, float((f**2).sum())):
        return 0.0
    together = float((strata.weights * strata.covariance(z, f, judged)).sum())
    return min(1.0, max(0.0, together / spread))


def _not_seen(strata: Strata, errors: FloatArray, level: float) -> FloatArray:
    """(H,) what z²/2 errors more add to the variance within strata. ``errors`` (N,): 0 where none counts."""
    from scipy.stats import norm

    pseudo = float(norm.ppf((1 + level) / 2)) ** 2 / 2 / max(1, int((errors != 0).sum()))
    squares = np.bincount(strata.stratum, errors**2, len(strata.items))
    return np.asarray(pseudo * squares / np.maximum(1, strata.judged), dtype=np.float64)


def t_half_width(
    variances: FloatArray, degrees: ArrayLike, level: float = LEVEL, *, more: float = 0.0
) -> tuple[float, float]:
    """Half the width of Student's t interval of a sum of independent parts, and its degrees of freedom.

    ``variances`` (H,): of the parts; ``degrees`` (H,): of freedom behind each, at least 1 taken.
    ``more``: variance that was not estimated. Satterthwaite (1946): (sum v)² / sum(v² / d), with ``more`` at
    most those behind all parts together.
    """
    from scipy.stats import t

    total, behind = float(variances.sum()) + more, np.maximum(1, np.asarray(degrees, dtype=np.float64))
    estimated = max(_LEAST, float((variances**2 / behind).sum()))
    found = max(1.0, total**2 / estimated) if total > 0 else 1.0
    if more > 0:
        found = min(found, max(1.0, float(np.maximum(0, np.asarray(degrees)).sum())))
    return float(t.ppf((1 + level) / 2, found)) * total**0.5, found


class Strata:
    """Items in H strata. ``items`` (H,): N_h; ``judged`` (H,): n_h."""

    def __init__(self, stratum: IntArray, judged: BoolArray) -> None:
        self.stratum = stratum
        self.items = np.bincount(stratum)
        self.judged = np.bincount(stratum[judged], minlength=len(self.items))

    @property
    def sound(self) -> bool:
        """Whether each stratum shows its spread: two judged items, or all of them."""
        return bool(((self.judged >= 2) | (self.judged == self.items)).all() and self.items.all())

    @property
    def weights(self) -> FloatArray:
        """(H,) a_h; 0 for a stratum judged whole."""
        share = self.judged / self.items
        return np.asarray(self.items**2 * (1 - share) / np.maximum(1, self.judged), dtype=np.float64)

    def mean(self, values: FloatArray, which: BoolArray) -> FloatArray:
        """(H,) mean of ``values`` (N,) over the items of each stratum where ``which`` (N,)."""
        strata = self.stratum[which]
        counts = np.bincount(strata, minlength=len(self.items))
        return np.asarray(
            np.bincount(strata, values[which], len(self.items)) / np.maximum(1, counts), dtype=np.float64
        )

    def covariance(self, first: FloatArray, second: FloatArray, which: BoolArray) -> FloatArray:
        """(H,) covariance within each stratum, with n - 1 in the denominator."""
        strata = self.stratum[which]
        apart = [(each - self.mean(each, which)[self.stratum])[which] for each in (first, second)]
        counts = np.bincount(strata, minlength=len(self.items))
        sums = np.bincount(strata, apart[0] * apart[1], len(self.items))
        return np.asarray(sums / np.maximum(1, counts - 1), dtype=np.float64)


def merged(stratum: ArrayLike, judged: ArrayLike) -> IntArray:
    """(N,) strata joined to their neighbours until each has two judged items, or all judged; from 0.

    ``stratum`` (N,): numbers in an order in which neighbours are alike, such as by the machine's grade.
    Joining after the sample is drawn treats what is missing (an item that nobody could decide) as missing at
    random among the joined strata. Raises ValueError with fewer than two judged items, unless all are.
    """
    names, h = np.unique(np.asarray(stratum, dtype=np.int64), return_inverse=True)
    s = np.asarray(judged, dtype=np.bool_)
    items = np.bincount(h, minlength=len(names))
    n = np.bincount(h[s], minlength=len(names))
    if s.sum() < 2 and not s.all():
        raise ValueError("Fewer than two items of the sample are judged.")
    ends: list[int] = []
    for place in range(1, len(names) + 1):
        own = slice(ends[-1] if ends else 0, place)
        if _shows_spread(items[own], n[own]):
            ends.append(place)
    if not ends or ends[-1] < len(names):  # the last ones have no neighbour behind them
        ends.append(len(names))
    while len(ends) > 1 and not _shows_spread(items[ends[-2] :], n[ends[-2] :]):
        del ends[-2]
    return np.asarray(np.searchsorted(ends, h, side="right"), dtype=np.int64)


def _shows_spread(items: IntArray, judged: IntArray) -> bool:
    """Whether these strata as one have two judged items, or all of theirs."""
    return bool(judged.sum() >= 2 or judged.sum() == items.sum())


def over_topics(human: ArrayLike, machine: ArrayLike, judged: ArrayLike, *, level: float = LEVEL) -> Powered:
    """Estimate the mean over all T topics of any measure of a topic, where whole topics were drawn for
    people.

    mean over all of m(machine) + mean over the judged of (m(human) - m(machine)): it holds for measures that
    are no sums over items, such as nDCG and average precision. ``human``, ``machine`` (T,): the measure of
    each topic under people's and under the machine's grades. Oosterhuis et al. (2024, arXiv 2407.02464).
    """
    machine_ = np.asarray(machine, dtype=np.float64)
    topics = len(machine_)
    return powered(
        np.asarray(human, dtype=np.float64) / max(1, topics),
        machine_ / max(1, topics),
        np.zeros(topics, dtype=np.int64),
        judged,
        tuning=1.0,
        level=level,
    )
