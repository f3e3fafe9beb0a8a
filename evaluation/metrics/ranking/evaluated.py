"""A run's values topic by topic, and their means with intervals over topics, whole and by facet.

The interval is the percentile bootstrap over topics of ``common/means``: topics are a sample of those that
could have been asked, and a run's values differ far more between topics than by anything else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from evaluation.metrics.common.intervals import LEVEL, RESAMPLES
from evaluation.metrics.common.means import MeanEstimate, means
from evaluation.metrics.nominal.table import FloatArray
from evaluation.metrics.ranking.graded import Graded, Judgments, graded
from evaluation.metrics.ranking.measures import DEFAULT, RunMeasure
from evaluation.metrics.ranking.order import Ordered


class Evaluated(NamedTuple):
    """One run on the topics that count: those with a relevant document.

    ``name``: of the run.
    ``topics``: the Q topics, sorted; the same for every run on the same judgments.
    ``measures``: what was measured.
    ``values`` (M, Q): of each measure for each topic.
    ``without_relevant``: judged topics that do not count, because no document is relevant.
    ``missing``: topics that count and that the run lacks; they have the value 0.
    ``unjudged``: topics of the run that nobody judged.
    ``tied``: topics that count in which two documents have one score.
    """

    name: str
    topics: tuple[str, ...]
    measures: tuple[RunMeasure, ...]
    values: FloatArray
    without_relevant: tuple[str, ...]
    missing: tuple[str, ...]
    unjudged: tuple[str, ...]
    tied: tuple[str, ...]

    def of(self, measure: RunMeasure) -> FloatArray:
        """(Q,) the values of one measure. Raises ValueError where it was not measured."""
        for row, one in enumerate(self.measures):
            if one.slug == measure.slug:
                return np.asarray(self.values[row], dtype=np.float64)
        raise ValueError(f"{measure.label} was not measured for {self.name}.")


class MeanOfRun(NamedTuple):
    """The mean of one measure over topics.

    ``measure``: what was measured.
    ``facet``: of which topics; empty for all.
    ``mean``: with standard error and interval.
    """

    measure: RunMeasure
    facet: str
    mean: MeanEstimate


def evaluate(
    name: str,
    run: Ordered,
    judged: Judgments,
    measures: Sequence[RunMeasure] = DEFAULT,
    laid: Graded | None = None,
) -> Evaluated:
    """Compute every measure for every topic that counts.

    ``laid``: the run beside these judgments, where that is done already.
    Raises ValueError where the run has none of the judged topics: it was made for others.
    """
    known = {*judged.topics, *judged.without_relevant}
    if known and not known.intersection(run.numbers):
        raise ValueError(f"Run {name} has none of the judged topics, such as {min(known)!r}.")
    laid = graded(run, judged) if laid is None else laid
    return Evaluated(
        name,
        judged.topics,
        tuple(measures),
        np.array([one.per_topic(laid) for one in measures]).reshape(len(measures), len(judged.topics)),
        judged.without_relevant,
        tuple(topic for topic in judged.topics if not len(run.numbers.get(topic, ()))),
        tuple(sorted(topic for topic in run.numbers if topic not in known)),
        tuple(topic for topic in judged.topics if topic in run.tied),
    )


def run_means(
    run: Evaluated,
    seed: int,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    facets: Mapping[str, str] | None = None,
) -> tuple[MeanOfRun, ...]:
    """The mean of every measure over all topics, and over those of each facet.

    ``facets``: {topic: its facet}; topics that it lacks are in no facet. Facets come sorted by name, each
    with resamples of its own topics. Deterministic in its arguments.
    """
    found = _means(run, "", range(len(run.topics)), seed, resamples, level)
    for facet in sorted(set((facets or {}).values())):
        places = [at for at, topic in enumerate(run.topics) if (facets or {}).get(topic) == facet]
        found += _means(run, facet, places, seed, resamples, level)
    return tuple(found)


def _means(
    run: Evaluated, facet: str, places: Iterable[int], seed: int, resamples: int, level: float
) -> list[MeanOfRun]:
    values = run.values[:, np.array(list(places), dtype=np.int64)]
    found = means(values, seed, resamples, level)
    return [MeanOfRun(one, facet, _of_topics(mean)) for one, mean in zip(run.measures, found, strict=True)]


def _of_topics(mean: MeanEstimate) -> MeanEstimate:
    """The same in the word for queries that were judged."""
    method, reason = (
        text.replace("queries", "topics").replace("query", "topic") for text in (mean.method, mean.reason)
    )
    return mean._replace(method=method, reason=reason)
