"""A study's report: its judgments through every measure of its kind of data, with what stands behind them.

A task type names its kind of data (``measure``), and ``KINDS`` says what is computed from that kind. Whatever
stands in the way of numbers (nothing judged yet, items that differ, a kind without measures) is a state of
the report, said in one sentence, and not an error.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from django.conf import settings
from django.utils import timezone

from annotation.models import Outcome, State, Study
from annotation.tasktypes.base import Invalid
from evaluation import metrics
from evaluation.answers import Answers, Items, Reader, Unreadable, read_answers, read_items
from evaluation.metrics.accuracy import AnnotatorAccuracy
from evaluation.metrics.intervals import LEVEL, RESAMPLES
from evaluation.metrics.position import PositionBias
from evaluation.nominal import LeftOutRange, Line, Numbers, nominal

Compute = Callable[[Study, Items, Answers, int, int], Numbers]


class ReaderLine(NamedTuple):
    """One annotator: what was judged, and accuracy against gold with its Wilson interval, None without."""

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


class Report(NamedTuple):
    """All that every rendering prints. ``problem`` says why there are no ``lines``; else it is empty.

    ``histogram``: {answers: items that have so many}, 0 included; ``n_options``: q, 0 where it is not known;
    ``roles``: why canonical numbers look like roles, or empty.
    """

    slug: str
    title: str
    task: str
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
    problem: str

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
    items, answers, problem = Items({}, [], [], 0), Answers([], [], [], [], []), ""
    seed = seed_of(study)
    try:
        compute = _kind(study)
        items = read_items(study)
        answers = read_answers(study, items)
        problem = _nothing(items, answers)
        numbers = Numbers() if problem else compute(study, items, answers, seed, resamples)
    except (Unreadable, Invalid) as error:
        numbers, problem = Numbers(), str(error)
    return Report(
        slug=study.slug,
        title=" ".join(study.title.split()),
        task=study.task,
        is_open=study.state == State.OPEN,
        option_order=study.option_order,
        seed=seed,
        resamples=resamples,
        level=LEVEL,
        computed=now or timezone.now(),
        version=code_version(),
        n_items=len(items.gold),
        n_options=items.options,
        histogram=_histogram(items, answers),
        readers=_reader_lines(answers.readers, numbers.accuracies),
        lines=numbers.lines,
        left_out=numbers.left_out,
        bias=numbers.bias,
        roles=numbers.roles,
        problem=problem,
    )


KINDS: dict[str, Compute] = {"nominal": nominal}


def seed_of(study: Study) -> int:
    """The seed of the study's intervals. numpy takes no negative one, so these count from 2^64 down."""
    return int(study.seed) % 2**64


@cache
def code_version() -> str:
    """The release and a digest of the measures' code, which is there without version control."""
    digest = hashlib.sha256()
    for path in sorted(Path(metrics.__path__[0]).glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return f"{settings.VERSION}+metrics.{digest.hexdigest()[:12]}"


def _kind(study: Study) -> Compute:
    data = study.task_type.measure
    if data not in KINDS:
        raise Unreadable(
            f"The task “{study.task}” yields {data} data: measures exist for {', '.join(KINDS)} data."
        )
    return KINDS[data]


def _nothing(items: Items, answers: Answers) -> str:
    if not items.gold:
        return "The study has no items yet."
    if items.options < 2:
        return "The items offer no options to choose from, so nothing nominal can be counted."
    if not any(reader.judged for reader in answers.readers):
        return "Nobody has judged anything yet."
    if not answers.item:
        return "No answer was given yet: every judgment so far is “can’t decide” or “broken”."
    return ""


def _histogram(items: Items, answers: Answers) -> dict[int, int]:
    if not items.gold:
        return {}
    sizes = np.bincount(np.bincount(np.asarray(answers.item, dtype=np.int64), minlength=len(items.gold)))
    return {size: int(count) for size, count in enumerate(sizes) if count}


def _reader_lines(readers: list[Reader], accuracies: tuple[AnnotatorAccuracy, ...]) -> tuple[ReaderLine, ...]:
    found = {each.annotator: each for each in accuracies}
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
            )
        )
    return tuple(rows)
