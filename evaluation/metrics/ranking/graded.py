"""A run laid beside relevance judgments: the grades of its documents in rank order, topic by topic.

What counts, as in trec_eval: a document is relevant from grade ``level`` on; a document without a judgment,
or with a grade below 0 (in the pool, not judged), is not relevant and gains nothing, and is no judged
non-relevant document either; what was judged and not retrieved counts in every denominator. Unlike there,
a topic without a relevant document is left out and counted, and a judged topic that the run lacks has the
value 0 in every measure, as trec_eval does only when asked (``-c``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from evaluation.metrics.nominal.table import BoolArray, FloatArray, IntArray
from evaluation.metrics.ranking.order import Ordered

Qrels = Mapping[str, Mapping[str, int]]
"""{topic: {document id: grade}}."""


@dataclass(frozen=True, eq=False)
class Judgments:
    """Relevance judgments made ready to lay many runs beside them; made by :func:`judgments`.

    ``topics``: the Q topics with a relevant document, sorted by name.
    ``without_relevant``: the topics that have none.
    ``documents``, ``grades``: of each topic the judged documents and their grades, of 0 and more only.
    ``best`` (Q, J): grades of all judged documents, best first, 0 behind them.
    ``n_relevant``, ``n_nonrelevant`` (Q,): judged documents at ``level`` or above, and below it.
    ``level``: the least grade that is relevant, 1 or more.
    ``most``: the highest grade of the scale, used or not.
    """

    topics: tuple[str, ...]
    without_relevant: tuple[str, ...]
    documents: tuple[tuple[str, ...], ...]
    grades: tuple[IntArray, ...]
    best: FloatArray
    n_relevant: IntArray
    n_nonrelevant: IntArray
    level: int
    most: int


def n_judged(qrels: Qrels) -> int:
    """How many judgments there are; a grade below 0 is none."""
    return sum(grade >= 0 for given in qrels.values() for grade in given.values())


def default_level(most: int) -> int:
    """Half the scale, rounded up: 2 for grades 0 to 4, 1 for relevant or not."""
    return (most + 1) // 2


def neighbour_level(level: int, most: int) -> int | None:
    """The level below, or above where there is none below; None on a scale of two grades."""
    if level > 1:
        return level - 1
    return level + 1 if level < most else None


def judgments(qrels: Qrels, level: int | None = None, most: int | None = None) -> Judgments:
    """Check judgments and count them.

    ``most`` is the highest grade that was given unless the scale says more; ``level`` half of it, rounded up.
    Raises ValueError for a grade that is not whole, one above the scale, a level below 1 or above the scale,
    and qrels without a grade of 1 or more.
    """
    highest = max((grade for given in qrels.values() for grade in given.values()), default=0)
    most = highest if most is None else most
    for topic, given in qrels.items():
        for document, grade in given.items():
            if grade != int(grade) or grade > most:
                raise ValueError(
                    f"Topic {topic!r}, document {document!r}: the grade must be a whole number up to {most}, "
                    f"not {grade}."
                )
    if most < 1:
        raise ValueError("The judgments have no grade above 0: no document is relevant.")
    level = default_level(most) if level is None else level
    if not 1 <= level <= most:
        raise ValueError(f"The level of relevance must lie between 1 and {most}, not at {level}.")
    known = {
        topic: {document: int(grade) for document, grade in qrels[topic].items() if grade >= 0}
        for topic in sorted(qrels)
    }
    kept = {topic: given for topic, given in known.items() if max(given.values(), default=0) >= level}
    best = np.zeros((len(kept), max(map(len, kept.values()), default=0)))
    for row, given in zip(best, kept.values(), strict=True):
        row[: len(given)] = sorted(given.values(), reverse=True)
    relevant = (best >= level).sum(axis=1)
    return Judgments(
        topics=tuple(kept),
        without_relevant=tuple(topic for topic in known if topic not in kept),
        documents=tuple(map(tuple, kept.values())),
        grades=tuple(np.array(list(given.values()), dtype=np.int64) for given in kept.values()),
        best=best,
        n_relevant=relevant,
        n_nonrelevant=np.array([len(given) for given in kept.values()], dtype=np.int64) - relevant,
        level=level,
        most=most,
    )


@dataclass(frozen=True, eq=False)
class Graded:
    """The judged documents of a run, E in all, by topic and then by rank; made by :func:`graded`.

    What has no judgment is not kept: it gains nothing, and how many there are follows from ``retrieved``.

    ``judged``: what the run was laid beside.
    ``topic`` (E,): the topic's number, 0 to Q - 1.
    ``rank`` (E,): from 1.
    ``grade`` (E,): 0 or more.
    ``retrieved`` (Q,): how many documents a topic has, judged or not.
    """

    judged: Judgments
    topic: IntArray
    rank: IntArray
    grade: IntArray
    retrieved: IntArray

    @cached_property
    def relevant(self) -> BoolArray:
        """(E,) whether the document is relevant."""
        return np.asarray(self.grade >= self.judged.level)

    @cached_property
    def relevant_so_far(self) -> IntArray:
        """(E,) relevant documents of the topic up to here, this one included."""
        return self._so_far(self.relevant)

    @cached_property
    def nonrelevant_so_far(self) -> IntArray:
        """(E,) judged non-relevant documents of the topic up to here, this one included."""
        return self._so_far(~self.relevant)

    def total(self, values: ArrayLike) -> FloatArray:
        """(Q,) sums of ``values`` (E,) over the documents of each topic."""
        sums = np.bincount(self.topic, weights=np.asarray(values, np.float64), minlength=len(self.retrieved))
        return np.asarray(sums, dtype=np.float64)

    def _so_far(self, which: BoolArray) -> IntArray:
        counted = np.cumsum(which)
        before = np.concatenate(([0], counted))[np.searchsorted(self.topic, np.arange(len(self.retrieved)))]
        return np.asarray(counted - before[self.topic])


def graded(run: Ordered, judged: Judgments) -> Graded:
    """Lay a run beside judgments; topics that nobody judged are left out.

    Raises ValueError where a topic ranks a document twice, naming both.
    """
    retrieved = np.zeros(len(judged.topics), dtype=np.int64)
    topics, ranks, grades = [_NONE], [_NONE], [_NONE]
    # The rank of each document in one topic, 0 without one; the last place stands for documents it lacks.
    rank_of = np.zeros(len(run.documents) + 1, dtype=np.int64)
    for number, (topic, documents, given) in enumerate(
        zip(judged.topics, judged.documents, judged.grades, strict=True)
    ):
        ranked = run.numbers.get(topic, _NONE)
        in_order = np.arange(1, len(ranked) + 1)
        rank_of[ranked] = in_order
        again = np.flatnonzero(rank_of[ranked] != in_order)
        if len(again):
            twice = run.documents[ranked[again[0]]]
            raise ValueError(f"Topic {topic!r} ranks document {twice!r} twice.")
        rank = rank_of[run.numbers_of(documents)]
        rank_of[ranked] = 0
        found = np.flatnonzero(rank)
        found = found[np.argsort(rank[found])]
        retrieved[number] = len(ranked)
        topics.append(np.full(len(found), number))
        ranks.append(rank[found])
        grades.append(given[found])
    return Graded(judged, np.concatenate(topics), np.concatenate(ranks), np.concatenate(grades), retrieved)


def relaid(laid: Graded, run: Ordered, judged: Judgments) -> Graded:
    """Lay the run ``laid`` beside the same judgments at another level; ``run`` is asked for other topics."""
    if judged.topics != laid.judged.topics:
        return graded(run, judged)
    return Graded(judged, laid.topic, laid.rank, laid.grade, laid.retrieved)


_NONE = np.zeros(0, dtype=np.int64)
