"""Cohen's κ of people and a machine over all items, from a stratified sample of people's answers.

Each judged item stands for N_h / n_h items of its stratum, so the table of confusion is that of all items:
p_kl = sum_h N_h / N * share of the sample of h with person k and machine l. κ is no sum over items, so its
interval is the jackknife's within strata: v = sum_h (1 - n_h / N_h) (n_h - 1) / n_h sum_i (κ_(hi) - mean_h)²
(Rao and Wu 1985). Cohen (1960; 1968, weights).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evaluation.metrics.common.intervals import LEVEL
from evaluation.metrics.nominal.table import FloatArray, IntArray
from evaluation.metrics.validation.prediction_powered import Strata, merged, t_half_width


class DesignKappa(NamedTuple):
    """κ over all items.

    ``value``: None where one category holds everything.
    ``low``, ``high``: its interval, None without one.
    ``confusion`` (q, q): estimated shares of all items, people's grade by row, the machine's by column.
    ``n_judged``: the sample.
    """

    value: float | None
    low: float | None
    high: float | None
    confusion: FloatArray
    n_judged: int


def weighted_kappa(
    human: ArrayLike,
    machine: ArrayLike,
    stratum: ArrayLike,
    judged: ArrayLike,
    grades: int,
    *,
    power: int = 2,
    level: float = LEVEL,
) -> DesignKappa:
    """κ with weights |k - l|^power: 2 quadratic, 1 linear, 0 unweighted.

    ``human``, ``machine`` (N,): grades 0..q-1, people's read where ``judged`` (N,); ``stratum`` (N,).
    Raises ValueError with fewer than two judged items.
    """
    s = np.asarray(judged, dtype=np.bool_)
    h = merged(stratum, s)
    strata = Strata(h, s)
    cell = np.asarray(human, dtype=np.int64)[s] * grades + np.asarray(machine, dtype=np.int64)[s]
    key, times = np.unique(h[s] * grades**2 + cell, return_counts=True)
    of, where = np.divmod(key, grades**2)
    each = strata.items / len(h) / np.maximum(1, strata.judged)
    table: FloatArray = np.bincount(where, times * each[of], grades**2).astype(np.float64)
    apart = np.abs(np.subtract.outer(np.arange(grades), np.arange(grades))).astype(np.float64)
    cost = (apart > 0).astype(np.float64) if power == 0 else apart**power
    value = _kappa(table[None, :], cost)[0]
    confusion = table.reshape(grades, grades)
    if np.isnan(value):
        return DesignKappa(None, None, None, confusion, int(s.sum()))
    without = _kappa(_without(table, of, where, times, each, strata), cost)
    variances = np.zeros(len(strata.items))
    for stratum_ in np.unique(of):
        own, n = of == stratum_, strata.judged[stratum_]
        if n < 2 or np.isnan(without[own]).any():
            continue
        mean = without[own] @ times[own] / n
        spread = float(times[own] @ (without[own] - mean) ** 2)
        variances[stratum_] = (1 - n / strata.items[stratum_]) * (n - 1) / n * spread
    half, _ = t_half_width(variances, strata.judged - 1, level)
    low, high = max(-1.0, float(value - half)), min(1.0, float(value + half))
    return DesignKappa(float(value), low, high, confusion, int(s.sum()))


def _without(
    table: FloatArray, of: IntArray, where: IntArray, times: IntArray, each: FloatArray, strata: Strata
) -> FloatArray:
    """(C, q²) tables without one item of each cell, the others of its stratum in its place."""
    found = np.repeat(table[None, :], len(of), axis=0)
    for row, (stratum, cell) in enumerate(zip(of, where, strict=True)):
        n, own = strata.judged[stratum], of == stratum
        if n < 2:
            continue
        more = each[stratum] / (n - 1)
        found[row, where[own]] += times[own] * more
        found[row, cell] -= each[stratum] + more
    return found


def _kappa(tables: FloatArray, cost: FloatArray) -> FloatArray:
    """(B,) κ of each table (B, q²), NaN where no disagreement is expected."""
    cells = tables.reshape(len(tables), *cost.shape)
    rows, columns = cells.sum(axis=2), cells.sum(axis=1)
    expected = np.einsum("bk,kl,bl->b", rows, cost, columns)
    observed = (cells * cost).sum(axis=(1, 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(expected > 1e-12, 1 - observed / expected, np.nan), dtype=np.float64)
