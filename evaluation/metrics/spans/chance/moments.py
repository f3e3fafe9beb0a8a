"""Mean and standard deviation of O_o when every annotator's spans are shuffled over their items; exact.

Write the overlap of a span s of annotator a and a span t of b as O = mu + alpha_ab(s) + beta_ab(t) + d(s, t),
where alpha and beta are the rows' and columns' deviations under the annotators' own histograms of shapes.
Over independent shuffles the parts d of different pairs of annotators, and the linear parts of different
annotators, are uncorrelated, so the variance of the sum of O is

    sum_a [ N_a / (N_a - 1) sum_i E g_ai^2 - E (sum_i g_ai)^2 / (N_a - 1) ]
    + sum_(a<b) E d_ab^2 (m_ab + m_ab (m_ab - 1) / ((N_a - 1) (N_b - 1)))

with g_ai = sum of alpha_ab over the others b on item i, N_a items of a, m_ab items of both. For complete data
the first line is 0 and the second Hoeffding's variance.

Hoeffding, W. (1951). A combinatorial central limit theorem. Annals of Mathematical Statistics 22(4).
"""

from __future__ import annotations

import math

import numpy as np

from evaluation.metrics.nominal.table import FloatArray, IntArray
from evaluation.metrics.spans.chance.shapes import Shapes, overlap_with
from evaluation.metrics.spans.table import SpanTable


def permuted_moments(
    spans: SpanTable, annotator: IntArray, shapes: Shapes, *, variance: bool = True
) -> tuple[float, float]:
    """Mean and standard deviation of O_o; ``annotator`` (M,) in 0..K-1 without gaps, every item two spans.

    Memory is K^3 numbers; without ``variance`` the second value is 0 and only K^2 are needed.
    """
    n_annotators, n_shapes = int(annotator.max()) + 1, len(shapes.left)
    tally = np.bincount(annotator * n_shapes + shapes.code, minlength=n_annotators * n_shapes)
    own = tally.reshape(n_annotators, n_shapes).sum(axis=1).astype(np.float64)
    share = (tally.reshape(n_annotators, n_shapes) / own[:, None]).T
    rows = overlap_with(shapes, share)
    mean = share.T @ rows
    both = _shared_items(spans, annotator, n_annotators)
    upper = np.triu(both, 1)
    n_pairs = float(upper.sum())
    expected = float((upper * mean).sum() / n_pairs)
    if not variance:
        return expected, 0.0
    free = np.maximum(own - 1, 1)
    covered = _covariances(share, rows, mean)
    linear = 0.0
    together = _triples(spans, annotator, n_annotators)
    for who in range(n_annotators):
        others = np.arange(n_annotators) != who
        covariance = covered[who][np.ix_(others, others)]
        on_item = (together[who][np.ix_(others, others)] * covariance).sum()
        in_all = both[who, others] @ covariance @ both[who, others]
        linear += (own[who] * on_item - in_all) / free[who]
    variances = np.stack([np.diagonal(each) for each in covered])
    left = share.T @ overlap_with(shapes, share, squared=True) - mean**2 - variances - variances.T
    pairwise = (np.triu(left, 1) * (upper + upper * (upper - 1) / np.outer(free, free))).sum()
    return expected, math.sqrt(max(0.0, linear + float(pairwise))) / n_pairs


def _shared_items(spans: SpanTable, annotator: IntArray, n_annotators: int) -> FloatArray:
    """(K, K) items with spans of both."""
    present = _present(spans, annotator, n_annotators)
    return present.T @ present


def _triples(spans: SpanTable, annotator: IntArray, n_annotators: int) -> FloatArray:
    """(K, K, K) items with spans of all three."""
    present = _present(spans, annotator, n_annotators)
    each = [present[present[:, who] > 0] for who in range(n_annotators)]
    return np.stack([rows.T @ rows for rows in each])


def _present(spans: SpanTable, annotator: IntArray, n_annotators: int) -> FloatArray:
    """(N, K) 1 where the annotator marked the item."""
    present = np.zeros((spans.n_items, n_annotators))
    present[spans.item, annotator] = 1.0
    return present


def _covariances(share: FloatArray, rows: FloatArray, mean: FloatArray) -> FloatArray:
    """(K, K, K) E alpha_ab alpha_ac over the spans of a."""
    found = []
    for who in range(len(mean)):
        alpha = rows - mean[who]
        found.append((alpha * share[:, [who]]).T @ alpha)
    return np.stack(found)
