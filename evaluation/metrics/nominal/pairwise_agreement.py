"""Each annotator beside the others: how often two answers on one item agree, and how far an item's readings
lie apart."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evaluation.metrics.nominal.table import FloatArray, NominalTable, distinct


class Fellow(NamedTuple):
    """Of the ``n_pairs`` pairs of an own answer and another annotator's on the same item, the mean agreement,
    None without pairs."""

    annotator: int
    n_pairs: int
    agreement: float | None


def with_others(table: NominalTable) -> tuple[Fellow, ...]:
    """Every annotator with an answer, by ascending index; agreement is the share of equal pairs."""
    same = table.counts[table.item, table.choice] - 1
    pairs = table.counts.sum(axis=1)[table.item] - 1
    n_pairs, n_same = (np.bincount(table.annotator, weights=each).astype(np.int64) for each in (pairs, same))
    return tuple(
        Fellow(who, int(n_pairs[who]), float(n_same[who] / n_pairs[who]) if n_pairs[who] else None)
        for who in distinct(table.annotator)
    )


def apart(agreeing: ArrayLike, readings: ArrayLike) -> FloatArray:
    """(N,) how far the readings of each item lie apart: 1 − agreement over all pairs of them.

    ``agreeing`` (N,): agreement added over the pairs of answers (1 for equal ones, the overlap for spans);
    ``readings`` (N,): answers and refusals to answer, of which each agrees with none. NaN below two.
    """
    n = np.asarray(readings, dtype=np.float64)
    pairs = n * (n - 1) / 2
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(pairs > 0, 1 - np.asarray(agreeing, dtype=np.float64) / pairs, np.nan)
