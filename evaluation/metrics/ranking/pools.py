"""What a pool of judged documents lets one say of a run: holes, and what only one run brought.

A pool of depth k is the union of the first k documents of several runs. A run that helped to make it was
judged by its own eyes as well; one from outside was not, and its good documents may lie unjudged.

Zobel (1998), leaving a run out; Buckley, Dimmick, Soboroff and Voorhees (2007), bias of shallow pools.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from evaluation.metrics.nominal.table import FloatArray
from evaluation.metrics.ranking.evaluated import evaluate
from evaluation.metrics.ranking.graded import Graded, Judgments, Qrels, judgments
from evaluation.metrics.ranking.measures import RunMeasure, judged_share
from evaluation.metrics.ranking.order import Ordered

HOLE_DEPTH = 10
ENOUGH, BARELY = 0.9, 0.7


class Holes(NamedTuple):
    """How much of what a run puts first was judged.

    ``name``: of the run.
    ``judged``: mean over topics of judged@10.
    ``per_topic`` (Q,): judged@10.
    ``few``: below ``ENOUGH``: its values are lower bounds, read them with RBP's residual.
    ``too_few``: below ``BARELY``: it is not compared without bpref or RBP's residual.
    """

    name: str
    judged: float
    per_topic: FloatArray
    few: bool
    too_few: bool


def holes(name: str, laid: Graded) -> Holes | None:
    """Count the holes of a run laid beside judgments; None where no topic counts."""
    if not laid.judged.topics:
        return None
    values = judged_share(laid, HOLE_DEPTH)
    mean = float(values.mean())
    return Holes(name, mean, values, mean < ENOUGH, mean < BARELY)


class Alone(NamedTuple):
    """What one run of a pool brought that no other did.

    ``name``: of the run.
    ``n_documents``: pairs of topic and document that it alone has among its first k.
    ``n_relevant``: the relevant ones of them.
    ``share``: of all relevant pairs that any run of the pool has among its first k; None without any.
    """

    name: str
    n_documents: int
    n_relevant: int
    share: float | None


class LeftOut(NamedTuple):
    """A measure of a run on all judgments, and on a part of them: without those of its own documents, or of
    a later pool.

    ``name``: of the run.
    ``measure``: what was measured.
    ``value``, ``without``: means over ``n_topics``; None where these are none.
    ``n_topics``: topics that have a relevant document in that part; ``n_lost``: those that do not.
    """

    name: str
    measure: RunMeasure
    value: float | None
    without: float | None
    n_topics: int
    n_lost: int


def brought_alone(runs: Mapping[str, Ordered], depth: int) -> dict[str, dict[str, set[str]]]:
    """{run: {topic: the documents that only this run has among its first ``depth``}}."""
    if depth < 1:
        raise ValueError(f"The depth of a pool must be 1 or more, not {depth}.")
    times: dict[str, Counter[str]] = {}
    for run in runs.values():
        for topic in run.numbers:
            times.setdefault(topic, Counter()).update(run.first(topic, depth))
    return {
        name: {
            topic: {each for each in run.first(topic, depth) if times[topic][each] == 1}
            for topic in run.numbers
        }
        for name, run in runs.items()
    }


def found_alone(runs: Mapping[str, Ordered], depth: int, judged: Judgments) -> tuple[Alone, ...]:
    """Which part of the relevant documents each run of a pool found alone."""
    relevant = {
        (topic, document)
        for topic, documents, grades in zip(judged.topics, judged.documents, judged.grades, strict=True)
        for document, grade in zip(documents, grades.tolist(), strict=True)
        if grade >= judged.level
    }
    pooled = {
        (topic, document)
        for run in runs.values()
        for topic in run.numbers
        for document in run.first(topic, depth)
    }
    of = len(relevant & pooled)
    found = []
    for name, topics in brought_alone(runs, depth).items():
        own = {(topic, document) for topic, documents in topics.items() for document in documents}
        n_relevant = len(own & relevant)
        found.append(Alone(name, len(own), n_relevant, n_relevant / of if of else None))
    return tuple(found)


def leave_each_run_out(
    runs: Mapping[str, Ordered], depth: int, qrels: Qrels, judged: Judgments, measures: Sequence[RunMeasure]
) -> tuple[LeftOut, ...]:
    """Measure each run once more as if it had not been in the pool: without the judgments of documents that
    only it brought. The change is what a run from outside has to reckon with.

    ``judged``: made of ``qrels``. Both means are taken over the topics that keep a relevant document, so that
    they differ by the judgments alone.
    """
    found: list[LeftOut] = []
    for name, alone in brought_alone(runs, depth).items():
        fewer = {topic: _without(given, alone.get(topic, set())) for topic, given in qrels.items()}
        found += _with_fewer(name, runs[name], judged, judgments(fewer, judged.level, judged.most), measures)
    return tuple(found)


def with_earlier(
    runs: Mapping[str, Ordered], earlier: Qrels, judged: Judgments, measures: Sequence[RunMeasure]
) -> tuple[LeftOut, ...]:
    """Measure each run on the judgments that there were before a further pool, ``earlier``, and on all.

    ``judged``: made of all, of which ``earlier`` is a part. Level and scale are those of all. Both means are
    taken over the topics that have a relevant document in both.
    """
    # Topics of the further pool alone have lost all their judgments: they are not topics nobody asked about.
    every = {topic: earlier.get(topic, {}) for topic in (*judged.topics, *judged.without_relevant)}
    rest = judgments(every, judged.level, judged.most)
    return tuple(
        each for name, run in runs.items() for each in _with_fewer(name, run, judged, rest, measures)
    )


def _with_fewer(
    name: str, run: Ordered, judged: Judgments, rest: Judgments, measures: Sequence[RunMeasure]
) -> Iterator[LeftOut]:
    """A run on all judgments and on a part of them, ``rest``."""
    kept = np.isin(np.array(judged.topics, dtype=object), np.array(rest.topics, dtype=object))
    before = evaluate(name, run, judged, measures).values[:, kept]
    after = evaluate(name, run, rest, measures).values if rest.topics else before[:, :0]
    n = len(rest.topics)
    for row, one in enumerate(measures):
        value, without = (float(each[row].mean()) if n else None for each in (before, after))
        yield LeftOut(name, one, value, without, n, len(judged.topics) - n)


def _without(given: Mapping[str, int], documents: set[str]) -> dict[str, int]:
    return {document: grade for document, grade in given.items() if document not in documents}
