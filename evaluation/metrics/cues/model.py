"""One reader who sees every mark at once: a logistic model, tried only on items it was not fitted to.

Each option is a row, gold or not; marks are taken relative to the other options of the same item, which is
all that helps to choose between them. Weights are those of the rows of all parts but one, and the
model takes the option with the largest predictor in each item of the part left out.

A mark that no gold has would get an infinite weight. Each weight therefore has a log-F(1, 1) prior, which is
two half observations more (Greenland and Mansournia 2015, Statistics in Medicine 34, 3133-3143).

**By lot.** An item's gold teaches the models of nine parts, so items are not right independently of each
other, however many there are: where golds are by lot the number of right ones varies about 1.6 times as much
as a binomial one (simulated, 2 to 9 options, 20 to 300 items). What lots give is therefore found by redrawing
the golds of all items and fitting anew, each time by the first Newton step of the same model: without
anything to be found weights are small, and that step is nearly all of the way.
"""

from __future__ import annotations

import numpy as np

from evaluation.metrics.cues.surface import Surface
from evaluation.metrics.nominal.table import BoolArray, FloatArray, IntArray

FOLDS = 10
EQUAL = 1e-9
"""Predictors that differ by less are equal."""
CLOSE = 1e-10
"""A step by which no weight changes more has arrived."""
FEWEST = 20
"""Items below which the model is not fitted: a part left out would hold less than two."""


def marks(found: Surface) -> FloatArray:
    """(N, q, F) every mark relative to the mean of its item, in units of its spread within items."""
    length = found.length
    spread = np.ptp(length, axis=1, keepdims=True) > 0
    columns = [
        np.log(np.maximum(length, 1)),
        (length == length.min(axis=1, keepdims=True)) & spread,
        (length == length.max(axis=1, keepdims=True)) & spread,
        found.lower,
        found.quoted,
        found.marks,
        found.whole,
        found.shared,
        np.log(np.maximum(found.used, 1)),
        *(found.place == number for number in range(1, length.shape[1])),
    ]
    each = np.stack([np.asarray(column, dtype=np.float64) for column in columns], axis=2)
    each -= each.mean(axis=1, keepdims=True)
    scale = each.std(axis=(0, 1))
    return np.asarray(each[:, :, scale > 0] / scale[scale > 0])


def cross_validated(found: Surface, seed: int) -> FloatArray:
    """(N, q) the predictor of each option by a model that was fitted without its item's part.

    Items are dealt into `FOLDS` parts by ``seed``. Where no mark varies all options are equal.
    """
    x = marks(found)
    n_items, q, n_marks = x.shape
    scores = np.zeros((n_items, q))
    if not n_marks:
        return scores
    part = _parts(n_items, seed)
    right = np.arange(q)[None, :] == found.gold[:, None]
    for number in range(FOLDS):
        out = part == number
        scores[out] = x[out] @ _weights(x[~out], right[~out])
    return scores


def by_lot(found: Surface, seed: int, draws: int) -> FloatArray:
    """(draws,) how many items such models are right on when golds are redrawn among the options of each item.

    The parts are those of `cross_validated`. Items without any mark that varies count 1/q each.
    """
    x = marks(found)
    n_items, q, n_marks = x.shape
    if not n_marks:
        return np.full(draws, n_items / q)
    part = _parts(n_items, seed)
    drawn = np.random.default_rng(seed + 1).integers(0, q, (n_items, draws))
    rows = [np.flatnonzero(part == number) for number in range(FOLDS)]
    flat = [x[own].reshape(-1, n_marks) for own in rows]
    spread = np.stack([each.T @ each for each in flat])
    toward = np.stack([_sums_of_golds(x[own], drawn[own]) for own in rows])
    right = np.zeros(draws)
    for number, own in enumerate(rows):
        # Information of the other parts at weights of 0, and of the prior.
        information = (spread.sum(axis=0) - spread[number]) * (q - 1) / q**2 + np.eye(n_marks) / 4
        weights = np.linalg.solve(information, toward.sum(axis=0) - toward[number])
        scores = (flat[number] @ weights).reshape(len(own), q, draws)
        top = scores >= scores.max(axis=1, keepdims=True) - EQUAL
        taken = np.take_along_axis(top, drawn[own][:, None], axis=1)[:, 0]
        right += (taken / top.sum(axis=1)).sum(axis=0)
    return right


def _sums_of_golds(x: FloatArray, drawn: IntArray) -> FloatArray:
    """(F, draws) the marks of the drawn golds (N, draws), summed over the items of ``x`` (N, q, F)."""
    total = np.zeros((x.shape[2], drawn.shape[1]))
    for option in range(x.shape[1]):
        total += x[:, option].T @ (drawn == option).astype(np.float64)
    return total


def _parts(n_items: int, seed: int) -> IntArray:
    """(N,) which part each item is dealt into."""
    return np.random.default_rng(seed).permutation(n_items) % FOLDS


def _weights(x: FloatArray, right: BoolArray) -> FloatArray:
    """(F,) the weights of the marks, without the constant: it is the same for all options of an item.

    Newton's method, a step halved until it gains: what is climbed has one summit, whatever the marks are.
    """
    n_marks = x.shape[2]
    rows = np.column_stack([np.ones(right.size), x.reshape(-1, n_marks)])
    prior = np.column_stack([np.zeros(n_marks), np.eye(n_marks)])
    design = np.vstack([rows, prior])
    answer = np.concatenate([right.ravel().astype(np.float64), np.full(n_marks, 0.5)])
    weights = np.zeros(n_marks + 1)
    likelihood = _likelihood(design, answer, weights)
    while True:
        chance = 1 / (1 + np.exp(-(design @ weights)))
        information = (design * (chance * (1 - chance))[:, None]).T @ design
        step = np.linalg.solve(information, design.T @ (answer - chance))
        while np.abs(step).max() > CLOSE:
            gained = _likelihood(design, answer, weights + step)
            if gained > likelihood:
                break
            step /= 2
        else:
            return weights[1:]
        weights, likelihood = weights + step, gained


def _likelihood(design: FloatArray, answer: FloatArray, weights: FloatArray) -> float:
    """The logarithm of the likelihood of the answers, those of the prior among them."""
    logits = design @ weights
    return float(answer @ logits - np.logaddexp(0, logits).sum())
