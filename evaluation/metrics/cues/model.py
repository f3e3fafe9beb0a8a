"""One reader who sees every mark at once: a logistic model, tried only on items it was not fitted to.

Each option is a row, gold or not; marks are taken relative to the other options of the same item, which is
all that helps to choose between them. Statsmodels fits the rows of all parts but one (binomial GLM), and the
model takes the option with the largest predictor in each item of the part left out.

A mark that no gold has would get an infinite weight. Each weight therefore has a log-F(1, 1) prior, which is
two half observations more (Greenland and Mansournia 2015, Statistics in Medicine 34, 3133-3143).
"""

from __future__ import annotations

import numpy as np

from evaluation.metrics.cues.surface import Surface
from evaluation.metrics.nominal.table import BoolArray, FloatArray

FOLDS = 10
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
    part = np.random.default_rng(seed).permutation(n_items) % FOLDS
    right = np.arange(q)[None, :] == found.gold[:, None]
    for number in range(FOLDS):
        out = part == number
        scores[out] = x[out] @ _weights(x[~out], right[~out])
    return scores


def _weights(x: FloatArray, right: BoolArray) -> FloatArray:
    """(F,) the weights of the marks, without the constant: it is the same for all options of an item."""
    from statsmodels.genmod.families import Binomial
    from statsmodels.genmod.generalized_linear_model import GLM

    n_marks = x.shape[2]
    rows = np.column_stack([np.ones(right.size), x.reshape(-1, n_marks)])
    prior = np.column_stack([np.zeros(n_marks), np.eye(n_marks)])
    design = np.vstack([rows, prior])
    answer = np.concatenate([right.ravel().astype(np.float64), np.full(n_marks, 0.5)])
    return np.asarray(GLM(answer, design, family=Binomial()).fit().params[1:])
