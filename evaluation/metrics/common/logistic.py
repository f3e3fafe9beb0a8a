"""What makes items hard: a logistic model of right answers, with readers and items as groups.

    logit P(right) = a_reader + sum_k b_k x_k(item)

Each reader has a level of their own. Answers to one item are no independent ones, so items are clusters: the
errors of b are the sandwich over items (Liang and Zeger 1986; statsmodels' cluster covariance with its
correction for few clusters), and intervals are Student's t with N - 1 degrees of freedom, N the items. b is
what a population of such items shows, not one item; a mixed model would give somewhat greater numbers.

A model is fitted where the rarer of right and wrong occurs on at least five items a feature (Vittinghoff and
McCulloch 2007); else, and where a feature tells right from wrong without error, the reason stands instead.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evaluation.metrics.common.intervals import LEVEL
from evaluation.metrics.nominal.table import FloatArray, IntArray

ITEMS_A_FEATURE = 5
TOO_ALIKE = 0.97
"""Correlation of two features beyond which nobody can tell which of them it is."""
TOO_STEEP = 10.0
"""Log-odds a standard deviation: beyond it right and wrong are parted without error: the fit runs away."""


class Effect(NamedTuple):
    """What one feature does to the odds of a right answer.

    ``name``: of the feature.
    ``value``: b, log-odds a unit, with its interval ``low`` to ``high``.
    ``spread``: the feature's standard deviation over the items; b times it compares features.
    ``p``: two-sided, of Student's t.
    """

    name: str
    value: float
    low: float
    high: float
    spread: float
    p: float


class Fitted(NamedTuple):
    """The model, or why there is none.

    ``effects``: of the features that were fitted; ``constant``: names of those that never differ.
    ``n_items``, ``n_answers``: that entered; ``n_right``: right answers among them.
    ``set_aside``: readers who were always right or always wrong: they tell no item from another.
    ``problem``: why there is no model; empty where there is one.
    """

    effects: tuple[Effect, ...]
    constant: tuple[str, ...]
    n_items: int
    n_answers: int
    n_right: int
    set_aside: int
    problem: str = ""


def logistic(
    right: ArrayLike,
    features: ArrayLike,
    names: Sequence[str],
    item: ArrayLike,
    reader: ArrayLike,
    level: float = LEVEL,
) -> Fitted:
    """Fit the model to M answers. ``right`` (M,): 0 or 1; ``features`` (M, K) of the item of each; ``names``:
    of the K features; ``item``, ``reader`` (M,): whose and to which item each answer is."""
    y, x = np.asarray(right, dtype=np.float64), np.asarray(features, dtype=np.float64).reshape(-1, len(names))
    items, readers = np.asarray(item, dtype=np.int64), np.asarray(reader, dtype=np.int64)
    who = np.unique(readers)
    tells = np.array([0 < y[readers == each].mean() < 1 for each in who], dtype=bool)
    kept = np.isin(readers, who[tells])
    y, x, items, readers = y[kept], x[kept], items[kept], readers[kept]
    varied = np.array([len(y) > 0 and np.ptp(column) > 0 for column in x.T], dtype=bool)
    known = [name for name, yes in zip(names, varied, strict=True) if yes]
    constant = tuple(name for name, yes in zip(names, varied, strict=True) if not yes)
    n_items = len(np.unique(items))
    found = Fitted((), constant, n_items, len(y), int(y.sum()), int((~tells).sum()))
    x = x[:, varied]
    if problem := _too_little(y, x, known, items):
        return found._replace(problem=problem)
    mean, spread = x.mean(axis=0), x.std(axis=0)
    levels = (readers[:, None] == np.unique(readers)[None, :]).astype(np.float64)
    fit = _fit(y, np.hstack([(x - mean) / spread, levels]), items)
    if fit is None or np.abs(fit[0][: len(known)]).max() > TOO_STEEP:
        return found._replace(
            problem="No model: these features part right answers from wrong ones without error, or nearly so."
        )
    return found._replace(effects=_effects(known, fit[0], fit[1], spread, n_items, level))


def _too_little(y: FloatArray, x: FloatArray, names: Sequence[str], items: IntArray) -> str:
    """Why no model can be fitted, or empty."""
    if not len(y) or y.all() or not y.any():
        return "No model: all answers are right, or all are wrong, or there are none."
    if not names:
        return "No model: no feature differs between the items."
    rarer = min(len(np.unique(items[y == value])) for value in (0, 1))
    if rarer < ITEMS_A_FEATURE * len(names):
        return (
            f"No model: {len(names)} features need at least {ITEMS_A_FEATURE * len(names)} items with a "
            f"right answer and as many with a wrong one; the rarer kind is on {rarer}."
        )
    alike = np.triu(np.abs(np.corrcoef(x.T).reshape(len(names), len(names))), 1)
    if alike.max() > TOO_ALIKE:
        first, second = divmod(int(alike.argmax()), len(names))
        return f"No model: {names[first]} and {names[second]} go together, so neither can be told apart."
    return ""


def _fit(y: FloatArray, x: FloatArray, items: IntArray) -> tuple[FloatArray, FloatArray] | None:
    """Coefficients and standard errors (K,); None where they run away."""
    from statsmodels.discrete.discrete_model import Logit
    from statsmodels.tools.sm_exceptions import PerfectSeparationError

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            fit = Logit(y, x).fit(disp=0, maxiter=100, cov_type="cluster", cov_kwds={"groups": items})
        except (Warning, PerfectSeparationError, np.linalg.LinAlgError):
            return None
    found = np.asarray(fit.params), np.asarray(fit.bse)
    return found if np.isfinite(found).all() else None


def _effects(
    names: Sequence[str], value: FloatArray, error: FloatArray, spread: FloatArray, n_items: int, level: float
) -> tuple[Effect, ...]:
    from scipy.special import stdtr, stdtrit

    reach = float(stdtrit(n_items - 1, (1 + level) / 2))
    rows = zip(names, value, error, spread, strict=False)
    return tuple(
        Effect(
            name,
            float(b / s),
            float((b - reach * e) / s),
            float((b + reach * e) / s),
            float(s),
            float(2 * stdtr(n_items - 1, -abs(b / e))),
        )
        for name, b, e, s in rows
    )
