"""Estimates from whole topics: a topic is the unit, judged to its end by people or not at all.

    mean over all T topics of m(machine) + mean over the judged ones of (m(human) - m(machine))

It holds for sums over items and for measures of a topic that are none, such as nDCG. Intervals are over the
topics that were drawn (``prediction_powered.over_topics``).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from evaluation.metrics.common.intervals import LEVEL
from evaluation.metrics.nominal.table import FloatArray, IntArray
from evaluation.metrics.validation.estimands import Estimand, Estimated
from evaluation.metrics.validation.prediction_powered import over_topics

FEW_TOPICS = 10
"""Judged topics below which an interval is to be read with care."""


def by_topic(estimand: Estimand, topic: ArrayLike, n_topics: int) -> Estimand:
    """The same estimand as a mean over topics: (T,) values, T times what each adds to the sum.

    ``topic`` (N,): numbers of topics from 0.
    """
    of = np.asarray(topic, dtype=np.int64)

    def added(values: FloatArray) -> FloatArray:
        return np.asarray(n_topics * np.bincount(of, estimand.coefficients * values, n_topics))

    c = estimand.coefficients
    least, most = (
        np.asarray(n_topics * np.bincount(of, each, n_topics), dtype=np.float64)
        for each in (np.minimum(c, 0.0), np.maximum(c, 0.0))
    )
    return estimand._replace(
        coefficients=np.full(n_topics, 1 / n_topics),
        human=added(estimand.human),
        machine=added(estimand.machine),
        ends=(least, most) if estimand.unit == "share" else None,
    )


def ndcg(
    name: str, k: int, rank: ArrayLike, topic: ArrayLike, n_topics: int, human: ArrayLike, machine: ArrayLike
) -> Estimand:
    """nDCG@k of a run, gain linear; the ideal order is that of the topic's items under the same grades.

    ``rank``, ``topic``, ``human``, ``machine`` (N,): rank from 1, 0 where the run lacks the item; grades.
    """
    ranks, of = np.asarray(rank, dtype=np.int64), np.asarray(topic, dtype=np.int64)
    said, told = (
        _ndcg(ranks, of, n_topics, k, np.asarray(each, dtype=np.float64)) for each in (human, machine)
    )
    return Estimand(
        f"ndcg_{k}_{name}",
        f"nDCG@{k} of {name}",
        f"DCG of the first {k} documents of {name} over that of the best order of the topic’s items; mean "
        "over topics, 0 where no item has a grade.",
        np.full(n_topics, 1 / n_topics),
        said,
        told,
        "gain",
        ends=(np.zeros(n_topics), np.ones(n_topics)),
    )


def _ndcg(ranks: IntArray, topic: IntArray, n_topics: int, k: int, grades: FloatArray) -> FloatArray:
    first = (ranks > 0) & (ranks <= k)
    gains = np.where(first, grades / np.log2(np.maximum(ranks, 1) + 1), 0.0)
    found = np.bincount(topic, gains, n_topics)
    order = np.lexsort((-grades, topic))
    begins = np.searchsorted(topic[order], np.arange(n_topics))
    best = np.arange(len(order)) - begins[topic[order]] + 1
    gains = np.where(best <= k, grades[order] / np.log2(best + 1), 0.0)
    ideal = np.bincount(topic[order], gains, n_topics)
    return np.asarray(np.divide(found, ideal, out=np.zeros(n_topics), where=ideal > 0))


def estimated_of_topics(estimand: Estimand, judged: ArrayLike, *, level: float = LEVEL) -> Estimated:
    """The estimand of T topics with its interval. ``judged`` (T,): whether people judged all of a topic."""
    s = np.asarray(judged, dtype=np.bool_)
    n, alone = int(s.sum()), float(estimand.machine.mean())
    if n < 2:
        reason = "Fewer than two topics of the sample are judged to their end."
        return Estimated(estimand, None, alone, n, None, None, reason)
    found = over_topics(estimand.human, estimand.machine, s, level=level)
    if estimand.ends is not None:
        # What the judged topics leave possible.
        least, most = (float(np.where(s, estimand.human, each).mean()) for each in estimand.ends)
        value, low, high = (min(max(end, least), most) for end in (found.value, found.low, found.high))
        found = found._replace(value=value, low=low, high=high)
    errors = (estimand.human - estimand.machine)[s]
    if not s.all() and np.ptp(errors) == 0:
        reason = "No interval: the machine errs alike on all judged topics, so nothing tells how it varies."
        return Estimated(estimand, found, alone, n, None, None, reason)
    note = f"Only {n} topics are judged: read the interval with care." if n < FEW_TOPICS else ""
    return Estimated(estimand, found, alone, n, None, None, "", note)
