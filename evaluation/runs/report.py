"""Everything that is said of some runs on the same judgments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from common.errors import BadField, BadInput
from evaluation.metrics.common.intervals import LEVEL, RESAMPLES
from evaluation.metrics.ranking.compared import Difference
from evaluation.metrics.ranking.evaluated import Evaluated, MeanOfRun, evaluate, run_means
from evaluation.metrics.ranking.graded import (
    Judgments,
    Qrels,
    graded,
    judgments,
    n_judged,
    neighbour_level,
    relaid,
)
from evaluation.metrics.ranking.measures import DEFAULT, FURTHER, RunMeasure
from evaluation.metrics.ranking.order import TREC_EVAL
from evaluation.metrics.ranking.pools import (
    Alone,
    Holes,
    LeftOut,
    found_alone,
    holes,
    leave_each_run_out,
    with_earlier,
)
from evaluation.runs.comparing import Part, compared_with, direct, refuse_no_base
from evaluation.runs.files import LaterRun, ReadRun, read
from evaluation.runs.residual import Used, without

BLOCKS = (DEFAULT, FURTHER)


class RunNumbers(NamedTuple):
    """One run.

    evaluated: its values topic by topic.
    means: over all topics, and over those of each facet.
    holes: how much of its first ten was judged.
    contradicted: topics whose rank column says another order than their scores.
    reworded: topics that it searched in a wording that was changed since.
    elsewhere: means at the neighbouring level of relevance, of the measures that ask for one.
    """

    evaluated: Evaluated
    means: tuple[MeanOfRun, ...]
    holes: Holes | None
    contradicted: int
    reworded: int
    elsewhere: tuple[tuple[RunMeasure, float], ...]

    @property
    def name(self) -> str:
        return self.evaluated.name


class RunsReport(NamedTuple):
    """Runs on the same judgments.

    judged: the topics that count, level and scale.
    n_judgments: how many judgments there are.
    blocks: the measures, a table each.
    runs: in the order given.
    neighbour: the level of relevance of `elsewhere`; None on a scale of two grades.
    facets: the names there are.
    base: the run that others are compared with; empty without comparison.
    compared: every run minus the base on every measure.
    not_compared: runs of which too little was judged to compare them by the measures asked for.
    residual: judgments left out, because a run took feedback from their documents; None where no run did.
    seed, resamples, level: of the intervals.
    depth: of the pool that the runs would make; None where it was not asked for.
    alone, left_out: what each run found alone in it, and is worth without it.
    earlier: what each run is worth on the judgments there were before a further pool; n_earlier of them;
        empty where they were not named.
    ties: the rule by which the runs were put in order, one of `RULES`.
    about: what one must know of the judgments.
    simulated: a warning where programs judged; empty where they did not.
    """

    judged: Judgments
    n_judgments: int
    blocks: tuple[tuple[RunMeasure, ...], ...]
    runs: tuple[RunNumbers, ...]
    neighbour: int | None
    facets: tuple[str, ...]
    base: str
    compared: tuple[Difference, ...]
    not_compared: tuple[str, ...]
    residual: int | None
    seed: int
    resamples: int
    level: float
    depth: int | None = None
    alone: tuple[Alone, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    earlier: tuple[LeftOut, ...] = ()
    n_earlier: int = 0
    ties: str = TREC_EVAL
    about: tuple[str, ...] = ()
    simulated: str = ""

    @property
    def measures(self) -> tuple[RunMeasure, ...]:
        return tuple(one for block in self.blocks for one in block)

    def for_keeping(self) -> RunsReport:
        """Return the report without the single judgments, which nothing that is printed asks for."""
        bare = replace(self.judged, documents=(), grades=(), best=np.zeros((0, 0)))
        return self._replace(judged=bare)


def runs_report(
    qrels: Qrels,
    runs: Sequence[ReadRun | LaterRun],
    *,
    blocks: Sequence[Sequence[RunMeasure]] = BLOCKS,
    level: int | None = None,
    most: int | None = None,
    base: str = "",
    facets: Mapping[str, str] | None = None,
    depth: int | None = None,
    earlier: Qrels | None = None,
    used: Used | None = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
    part: Part = direct,
) -> RunsReport:
    """Compute all numbers; deterministic in its arguments.

    `part` gives the numbers of each run and of each comparison; a run that is read later is only read where
    they are computed.

    Documents of `used`, which feedback was taken from, count for no run; the scale stays that of all
    judgments. `earlier` is the part of the judgments that there was before a further pool.

    Raises:
        BadInput: earlier judgments that are no part of all, judgments without a relevant document, a level or
            grade outside the scale, a run on other topics, a base that is no run.
    """
    residual = None
    if used:
        most = most or max((grade for given in qrels.values() for grade in given.values()), default=0)
        qrels, runs, residual = without(qrels, runs, used)
        earlier = without(earlier or {}, (), used)[0]
    _refuse_other(earlier or {}, qrels)
    try:
        judged = _judged(qrels, level, most)
        if not judged.topics:
            raise BadInput(f"No topic has a document of grade {judged.level} or more to be found.")
        if facets and not facets.keys() & set(judged.topics):
            raise BadInput(f"No judged topic has a facet; others have, such as {next(iter(facets))!r:.60}.")
        of_runs = _of_runs(qrels, runs, judged, blocks, base, facets or {}, residual, seed, resamples, part)
        return of_runs._replace(**_of_pools(qrels, runs, judged, blocks[0], depth, earlier or {}))
    except BadInput:
        raise
    except ValueError as error:
        raise BadInput(str(error)) from error


def _judged(qrels: Qrels, level: int | None, most: int | None) -> Judgments:
    """Make the judgments ready. Raises `BadField` with what was chosen wrongly: the level or the scale."""
    try:
        return judgments(qrels, level, most)
    except ValueError as error:
        given = max((grade for grades in qrels.values() for grade in grades.values()), default=0)
        field = "highest" if most is not None and given > most else "qrels" if level is None else "level"
        raise BadField(field, str(error)) from error


def _of_runs(
    qrels: Qrels,
    runs: Sequence[ReadRun | LaterRun],
    judged: Judgments,
    blocks: Sequence[Sequence[RunMeasure]],
    base: str,
    facets: Mapping[str, str],
    residual: int | None,
    seed: int,
    resamples: int,
    part: Part,
) -> RunsReport:
    """The runs measured and compared; nothing of a pool."""
    measures = [one for block in blocks for one in block]
    neighbour = neighbour_level(judged.level, judged.most)
    near = judgments(qrels, neighbour, judged.most) if neighbour else None
    refuse_no_base(base, [each.name for each in runs])
    found = [
        part(
            f"numbers of {each.name}",
            RunNumbers,
            partial(_numbers, each, judged, near, measures, seed, resamples, facets),
        )
        for each in runs
    ]
    pairs = [(each.evaluated, each.holes) for each in found]
    compared, not_compared = compared_with(pairs, base, measures, seed, resamples, part)
    return RunsReport(
        judged=judged,
        n_judgments=n_judged(qrels),
        blocks=tuple(map(tuple, blocks)),
        runs=tuple(found),
        neighbour=neighbour,
        facets=tuple(sorted({*facets.values()})),
        base=base,
        compared=compared,
        not_compared=not_compared,
        residual=residual,
        seed=seed,
        resamples=resamples,
        level=LEVEL,
    )


def _of_pools(
    qrels: Qrels,
    runs: Sequence[ReadRun | LaterRun],
    judged: Judgments,
    measures: Sequence[RunMeasure],
    depth: int | None,
    earlier: Qrels,
) -> dict[str, Any]:
    """What each run adds to the pool of all, and lost before a further pool, as fields of a report."""
    pooled = {each.name: read(each).run for each in runs} if depth or earlier else {}
    return {
        "depth": depth,
        "alone": found_alone(pooled, depth, judged) if depth else (),
        "left_out": leave_each_run_out(pooled, depth, qrels, judged, measures) if depth else (),
        "earlier": with_earlier(pooled, earlier, judged, measures) if earlier else (),
        "n_earlier": n_judged(earlier),
    }


def _refuse_other(earlier: Qrels, qrels: Qrels) -> None:
    """Raise BadInput for an earlier judgment that is not among all, or is another there.

    A grade below 0 is none: the document was in the pool, and may have been judged since.
    """
    for topic, given in earlier.items():
        for document, grade in given.items():
            now = qrels.get(topic, {}).get(document)
            if now != grade and grade >= 0:
                said = "lack" if now is None else f"grade {now}"
                raise BadInput(
                    f"The earlier judgments must be a part of all: topic {topic}, document {document} has "
                    f"grade {grade} there, which the others {said}."
                )


def _numbers(
    given: ReadRun | LaterRun,
    judged: Judgments,
    near: Judgments | None,
    measures: Sequence[RunMeasure],
    seed: int,
    resamples: int,
    facets: Mapping[str, str],
) -> RunNumbers:
    run = read(given)
    laid = graded(run.run, judged)
    evaluated = evaluate(run.name, run.run, judged, measures, laid)
    asking = [one for one in measures if one.uses_level]
    elsewhere: list[tuple[RunMeasure, float]] = []
    if near is not None and near.topics and asking:
        again = evaluate(run.name, run.run, near, asking, relaid(laid, run.run, near))
        elsewhere = [(one, float(again.of(one).mean())) for one in asking]
    return RunNumbers(
        evaluated,
        run_means(evaluated, seed, resamples, facets=facets),
        holes(run.name, laid),
        run.contradicted,
        run.reworded,
        tuple(elsewhere),
    )
