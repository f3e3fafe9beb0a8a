"""A run's numbers under trec_eval's own names, over the topics that trec_eval takes.

Those are the topics that the judgments and the run both have; with ``complete`` (trec_eval's ``-c``) all
judged ones, with the value 0 where the run has none. A topic without a relevant document has the value 0.
Reports of this program leave such topics out instead, and count missing ones as 0: the two means differ.

    gm_map                exp of the mean over topics of log(max(AP, .00001))
    iprec_at_recall_r     the highest precision at any rank from which on r R relevant documents are found;
                          r R rounded down after .9 is added

All other measures are those of ``measures``: map is MAP, Rprec R-precision, recip_rank MRR, ndcg_cut_10
nDCG@10. ``ndcg_exp`` and ``ndcg_exp_cut_k`` (gain 2^grade - 1) are ours: trec_eval has no name for them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from evaluation.metrics.nominal.table import FloatArray
from evaluation.metrics.ranking.graded import Graded, Qrels, graded, judgments
from evaluation.metrics.ranking.measures import average_precision, measure
from evaluation.metrics.ranking.order import Ordered

COUNTS = ("num_ret", "num_rel", "num_rel_ret")
LEAST_AP = 1e-5
RECALLS = tuple(f"iprec_at_recall_{tenth / 10:.2f}" for tenth in range(11))
CUTS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
LINES = (
    *COUNTS,
    *("map", "gm_map", "Rprec", "bpref", "recip_rank"),
    *RECALLS,
    *(f"P_{k}" for k in CUTS),
)
"""trec_eval's default lines, in its order, without `runid` and `num_q`."""
USUAL = (
    *("map", "Rprec", "bpref", "recip_rank", "P_5", "P_10", "recall_5", "recall_10", "recall_100"),
    *("success_1", "success_5", "success_10", "ndcg", "ndcg_cut_5", "ndcg_cut_10", "ndcg_exp_cut_10"),
)
_OURS = {
    "map": "MAP",
    "Rprec": "R-precision",
    "bpref": "bpref",
    "recip_rank": "MRR",
    "ndcg": "nDCG",
    "ndcg_exp": "nDCG-exp",
}
_CUT = {
    "map_cut": "MAP",
    "ndcg_cut": "nDCG",
    "ndcg_exp_cut": "nDCG-exp",
    "P": "P",
    "recall": "recall",
    "success": "success",
}
_AT = re.compile(r"([a-zA-Z_]{1,12})_([1-9]\d{0,5})")
NAMES = ", ".join(
    (*COUNTS, "gm_map", *_OURS, "iprec_at_recall_0.00 to 1.00", *(f"{name}_k" for name in _CUT))
)


class Scored(NamedTuple):
    """One run.

    ``topics`` (T,): those that enter, sorted.
    ``values``: of each measure for each topic, (T,) each.
    ``missing``: judged topics that the run has not; ``unjudged``: topics of the run without a judgment.
    """

    topics: tuple[str, ...]
    values: dict[str, FloatArray]
    missing: tuple[str, ...]
    unjudged: tuple[str, ...]

    def all(self, name: str) -> float:
        """The number of all topics: a sum of counts, a mean of measures, gm_map a geometric mean."""
        values = self.values[name]
        if name in COUNTS:
            return float(values.sum())
        mean = float(values.mean()) if len(values) else 0.0
        return float(np.exp(mean)) if name == "gm_map" and len(values) else mean


def check(name: str) -> None:
    """Raise ValueError with the names there are where a name is none of them."""
    at = _AT.fullmatch(name)
    if name not in (*COUNTS, "gm_map", *_OURS, *RECALLS) and not (at and at[1] in _CUT):
        raise ValueError(f"trec_eval and we have no measure {name!r}; there are {NAMES}.")


def score(
    run: Ordered,
    qrels: Qrels,
    names: Sequence[str],
    level: int = 1,
    *,
    complete: bool = False,
    judged_only: bool = False,
) -> Scored:
    """Compute the measures of these names; ``judged_only``: without documents that have no judgment, as
    trec_eval -J.

    Raises ValueError for an unknown name, and where the run and the judgments have no topic in common.
    """
    for name in names:
        check(name)
    shared = sorted(topic for topic in qrels if len(run.numbers.get(topic, ())))
    if not shared:
        raise ValueError("The run has none of the judged topics.")
    topics = tuple(sorted(qrels) if complete else shared)
    missing = tuple(sorted(set(qrels).difference(shared)))
    unjudged = tuple(sorted(set(run.numbers).difference(qrels)))
    run = within_pools(run, qrels) if judged_only else run
    own = {topic: qrels[topic] for topic in topics}
    # nDCG asks for no level: a topic without a relevant document may still have grades.
    laid = {each: _laid(run, own, each) for each in (1, level)}
    at = {name: 1 if name.startswith("ndcg") else level for name in names}
    values = {name: _spread(topics, laid[at[name]], name, run) for name in names}
    return Scored(topics, values, missing, unjudged)


def within_pools(run: Ordered, qrels: Qrels) -> Ordered:
    """Return the run without documents that nobody judged: the order within the pool of each topic.

    A grade of -1 says that a document is in no pool, there and here.
    """
    kept = {topic: {each for each, grade in given.items() if grade != -1} for topic, given in qrels.items()}
    numbers = {
        topic: np.array([each for each in found if run.documents[each] in kept[topic]], dtype=np.int64)
        for topic, found in run.numbers.items()
        if topic in kept
    }
    return replace(run, numbers=numbers)


def _laid(run: Ordered, qrels: Qrels, level: int) -> Graded | None:
    """The run beside the judgments; None where no document is relevant."""
    highest = max((grade for given in qrels.values() for grade in given.values()), default=0)
    return graded(run, judgments(qrels, level, highest)) if highest >= level else None


def _spread(topics: Sequence[str], laid: Graded | None, name: str, run: Ordered) -> FloatArray:
    """(T,) the values, also of the topics without a relevant document."""
    if name == "num_ret":
        return np.array([len(run.numbers.get(topic, ())) for topic in topics], dtype=np.float64)
    found = np.full(len(topics), np.log(LEAST_AP) if name == "gm_map" else 0.0)
    if laid is not None:
        place = {topic: at for at, topic in enumerate(topics)}
        found[[place[topic] for topic in laid.judged.topics]] = _values(laid, name)
    return found


def _values(laid: Graded, name: str) -> FloatArray:
    if name == "num_rel":
        return laid.judged.n_relevant.astype(np.float64)
    if name == "num_rel_ret":
        return laid.total(laid.relevant)
    if name == "gm_map":
        return np.asarray(np.log(np.maximum(average_precision(laid), LEAST_AP)), dtype=np.float64)
    if name in RECALLS:
        return interpolated(laid, float(name.rpartition("_")[2]))
    if name in _OURS:
        return measure(_OURS[name]).per_topic(laid)
    word, k = name.rsplit("_", 1)
    return measure(f"{_CUT[word]}@{k}").per_topic(laid)


def interpolated(laid: Graded, recall: float) -> FloatArray:
    """(Q,) the highest precision at any rank by which this share of the relevant documents is found."""
    needed = np.floor(recall * laid.judged.n_relevant + 0.9).astype(np.int64)
    enters = laid.relevant & (laid.relevant_so_far >= needed[laid.topic])
    found = np.zeros(len(needed))
    np.maximum.at(found, laid.topic[enters], (laid.relevant_so_far / laid.rank)[enters])
    return found
