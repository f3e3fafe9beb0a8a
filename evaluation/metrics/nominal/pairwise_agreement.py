"""Agreement of one annotator with the others, and disagreement on one item; nothing corrected for chance."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evaluation.metrics.nominal.table import FloatArray, NominalTable, distinct


class AnnotatorAgreement(NamedTuple):
    """One annotator's agreement with all others.

    ``annotator``: the index.
    ``n_pairs``: pairs of an own answer and another annotator's on the same item.
    ``agreement``: mean over these pairs, 0 to 1; None without pairs.
    """

    annotator: int
    n_pairs: int
    agreement: float | None


def agreement_with_others(table: NominalTable) -> tuple[AnnotatorAgreement, ...]:
    """Return the share of equal pairs for each annotator with an answer, by ascending index."""
    same = table.counts[table.item, table.choice] - 1
    pairs = table.counts.sum(axis=1)[table.item] - 1
    n_pairs, n_same = (np.bincount(table.annotator, weights=each).astype(np.int64) for each in (pairs, same))
    shares = np.divide(n_same, n_pairs, where=n_pairs > 0, out=np.zeros(len(n_pairs)))
    return tuple(
        AnnotatorAgreement(who, int(n_pairs[who]), float(shares[who]) if n_pairs[who] else None)
        for who in distinct(table.annotator)
    )


def item_disagreement(agreeing: ArrayLike, answers: ArrayLike) -> FloatArray:
    """Return 1 - mean agreement over all pairs of answers on each item, (N,); NaN below two answers.

    ``agreeing`` (N,): agreement added over the pairs (1 for equal answers, the overlap for spans);
    ``answers`` (N,): answers and refusals to answer, of which each agrees with none.
    """
    n = np.asarray(answers, dtype=np.float64)
    pairs = n * (n - 1) / 2
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(pairs > 0, 1 - np.asarray(agreeing, dtype=np.float64) / pairs, np.nan)
