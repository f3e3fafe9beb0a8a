"""A study's report: its judgments through every measure of its kind of data, with what stands behind them.

A task type names its kind of data (``measure``), and ``KINDS`` says what is computed from that kind. Whatever
stands in the way of numbers (nothing judged yet, items that differ, a kind without measures) is a state of
the report, said in one sentence, and not an error.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from django.conf import settings
from django.utils import timezone

from annotation.models import Outcome, State, Study
from annotation.people.withdrawal import Withdrawal, withdrawals
from annotation.tasktypes.base import Invalid
from common.code_digest import code_digest
from evaluation import metrics
from evaluation.kinds.answers import Judged, Reader, n_retired
from evaluation.kinds.columns import Unreadable
from evaluation.kinds.nominal import choices
from evaluation.kinds.spans import marked as spans
from evaluation.metrics.common.intervals import LEVEL, RESAMPLES
from evaluation.metrics.nominal.accuracy import AnnotatorAccuracy
from evaluation.metrics.nominal.position import PositionBias
from evaluation.metrics.spans.annotators import AnnotatorSpans
from evaluation.report.adjudicated import Compute, Settled, of_choices, of_spans, settled
from evaluation.report.numbers import LeftOutRange, Line, Numbers, SpanNumbers

CODE = (metrics,)
"""What a report computes with. Whatever the measures import from below belongs here too."""


class Kind(NamedTuple):
    """How one kind of data becomes numbers: what is read of a study, why there may be nothing to compute from
    it (empty otherwise), what is computed from a seed and a number of resamples, and so against decisions."""

    read: Callable[[Study], Any]
    nothing: Callable[[Any], str]
    compute: Callable[[Study, Any, int, int], Numbers]
    against: Compute


class ReaderLine(NamedTuple):
    """One annotator: what was judged, and accuracy against gold with its Wilson interval, None without.

    ``spans``: what they marked, where data are spans.
    """

    pseudonym: str
    simulated: bool
    n_answers: int
    n_undecided: int
    n_broken: int
    n_with_gold: int
    n_correct: int
    accuracy: float | None
    low: float | None
    high: float | None
    median_seconds: float | None
    spans: AnnotatorSpans | None = None


class Report(NamedTuple):
    """All that every rendering prints. ``problem`` says why there are no ``lines``; else it is empty.

    ``data``: the kind, empty where the task is unknown; ``histogram``: {answers: items that have so many}, 0
    included; ``n_options``: q, 0 where there is none; ``roles``: why canonical numbers may be roles, or
    empty; ``spans``: what only spans have;
    ``withdrawn``: who withdrew, and what became of their judgments; ``settled``: readers against decisions,
    None without any; ``n_retired``: items that another version stands for, which enter nothing.
    """

    slug: str
    title: str
    task: str
    data: str
    is_open: bool
    option_order: str
    seed: int
    resamples: int
    level: float
    computed: datetime
    version: str
    n_items: int
    n_options: int
    histogram: dict[int, int]
    readers: tuple[ReaderLine, ...]
    lines: tuple[Line, ...]
    left_out: tuple[LeftOutRange, ...]
    bias: PositionBias | None
    roles: str
    spans: SpanNumbers | None
    problem: str
    withdrawn: tuple[Withdrawal, ...] = ()
    settled: Settled | None = None
    n_retired: int = 0

    @property
    def n_judged(self) -> int:
        """Items with an answer."""
        return self.n_items - self.histogram.get(0, 0)

    @property
    def n_answers(self) -> int:
        return sum(reader.n_answers for reader in self.readers)

    @property
    def n_undecided(self) -> int:
        return sum(reader.n_undecided for reader in self.readers)

    @property
    def n_broken(self) -> int:
        return sum(reader.n_broken for reader in self.readers)

    @property
    def active(self) -> tuple[ReaderLine, ...]:
        """The readers who have given an answer."""
        return tuple(reader for reader in self.readers if reader.n_answers)

    @property
    def simulated(self) -> tuple[str, ...]:
        """The pseudonyms of programs that have judged anything."""
        return tuple(
            reader.pseudonym
            for reader in self.readers
            if reader.simulated and reader.n_answers + reader.n_undecided + reader.n_broken
        )

    @property
    def without_spread(self) -> tuple[str, ...]:
        """Labels of the shares whose interval is Wilson's, because every item says the same."""
        return tuple(line.measure.label for line in self.lines if line.estimate.method.startswith("Wilson"))

    def line(self, slug: str) -> Line | None:
        """The line of that measure, if this report prints it."""
        return next((line for line in self.lines if line.measure.slug == slug), None)


def report(study: Study, *, resamples: int = RESAMPLES, now: datetime | None = None) -> Report:
    """The study's numbers, computed from its current judgments; the same judgments give the same report.

    Intervals resample the items ``resamples`` times from the study's seed. ``now`` is printed as the time of
    computing.
    """
    judged, problem, data, numbers, decided = Judged(), "", "", Numbers(), None
    seed = seed_of(study)
    try:
        data = study.task_type.measure
        kind = kind_of(study)
        judged = kind.read(study)
        problem = nothing(kind, judged)
        if not problem:
            numbers = kind.compute(study, judged, seed, resamples)
            decided = settled(study, judged, kind.against, seed, resamples)
    except (Unreadable, Invalid) as error:
        problem = str(error)
    return Report(
        slug=study.slug,
        title=" ".join(study.title.split()),
        task=study.task,
        data=data,
        is_open=study.state == State.OPEN,
        option_order=study.option_order,
        seed=seed,
        resamples=resamples,
        level=LEVEL,
        computed=now or timezone.now(),
        version=code_version(),
        n_items=judged.n_items,
        n_options=judged.options,
        histogram=_histogram(judged),
        readers=_reader_lines(judged.readers, numbers),
        lines=numbers.lines,
        left_out=numbers.left_out,
        bias=numbers.bias,
        roles=numbers.roles,
        spans=numbers.spans,
        problem=problem,
        withdrawn=tuple(withdrawals(study)),
        settled=decided,
        n_retired=n_retired(study),
    )


KINDS: dict[str, Kind] = {
    "nominal": Kind(choices.read, choices.nothing, choices.nominal, of_choices),
    "spans": Kind(spans.read, spans.nothing, spans.spans, of_spans),
}


def seed_of(study: Study) -> int:
    """The seed of the study's intervals. numpy takes no negative one, so these count from 2^64 down."""
    return int(study.seed) % 2**64


@cache
def code_version() -> str:
    """Return the release and a digest of the measures' code: `0.1.0+metrics.0123456789ab`."""
    return f"{settings.VERSION}+metrics.{code_digest(*CODE)}"


def kind_of(study: Study) -> Kind:
    """The kind of data that the study's task yields. Raises Unreadable where there are no measures for it."""
    data = study.task_type.measure
    if data not in KINDS:
        raise Unreadable(
            f"The task “{study.task}” yields {data} data: measures exist for {' and '.join(KINDS)} data."
        )
    return KINDS[data]


def nothing(kind: Kind, judged: Judged) -> str:
    """Why there are no numbers yet, or empty."""
    if not judged.n_items:
        return "The study has no items yet."
    if kind.nothing(judged):
        return kind.nothing(judged)
    if not any(reader.judged for reader in judged.readers):
        return "Nobody has judged anything yet."
    if not judged.sizes.any():
        return "No answer was given yet: every judgment so far is “can’t decide” or “broken”."
    return ""


def _histogram(judged: Judged) -> dict[int, int]:
    if not judged.n_items:
        return {}
    return {size: int(count) for size, count in enumerate(np.bincount(judged.sizes)) if count}


def _reader_lines(readers: list[Reader], numbers: Numbers) -> tuple[ReaderLine, ...]:
    found = {each.annotator: each for each in numbers.accuracies}
    marked = numbers.spans.annotators if numbers.spans else {}
    nothing = AnnotatorAccuracy(0, 0, 0, 0, None, None, None)
    rows = []
    for who, reader in enumerate(readers):
        accuracy = found.get(who, nothing)
        rows.append(
            ReaderLine(
                reader.pseudonym,
                reader.simulated,
                reader.outcomes[Outcome.ANSWER],
                reader.outcomes[Outcome.UNDECIDED],
                reader.outcomes[Outcome.BROKEN],
                accuracy.n_with_gold,
                accuracy.n_correct,
                accuracy.value,
                accuracy.low,
                accuracy.high,
                reader.median_seconds,
                marked.get(who),
            )
        )
    return tuple(rows)
