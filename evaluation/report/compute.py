"""A study's report: its judgments through every measure of its kind of data, with what stands behind them.

Whatever stands in the way of numbers (nothing judged yet, items that differ, a kind without measures) is a
state of the report, said in one sentence, and not an error.
"""

from __future__ import annotations

from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from django.conf import settings
from django.utils import timezone

from annotation.models import Outcome, State, Study
from annotation.people.withdrawal import withdrawal
from annotation.studies.running.adding import VERB, addition
from annotation.tasktypes.base import Invalid
from annotation.validation.first_grades import seen_in
from common.code_digest import code_digest
from common.errors import BadInput
from common.texts import surface
from evaluation import metrics
from evaluation.beside.compute import beside
from evaluation.kinds.answers import Judged, Reader, n_retired
from evaluation.kinds.base import DataKind, seed_of, why_nothing
from evaluation.kinds.columns import Unreadable
from evaluation.kinds.registry import kind_of
from evaluation.metrics.common.intervals import LEVEL, RESAMPLES
from evaluation.metrics.nominal.accuracy import AnnotatorAccuracy
from evaluation.report.adjudicated import settled
from evaluation.stopping.looks import looked
from evaluation.values.lines import Numbers
from evaluation.values.report import ReaderLine, Report, Settled

CODE = (metrics, surface)
"""What a report computes with. Whatever the measures import from below belongs here too."""


class Computed(NamedTuple):
    """What a report computes of a study.

    judged: the current judgments; none where they cannot be read.
    data, kind: the kind of data; "" and None where the task is unknown.
    problem: why there are no numbers; empty where there are.
    numbers: the measures.
    decided: readers against decisions, None without any.
    """

    judged: Judged
    data: str = ""
    kind: DataKind[Any] | None = None
    problem: str = ""
    numbers: Numbers = Numbers()
    decided: Settled | None = None


def report(
    study: Study,
    *,
    resamples: int = RESAMPLES,
    weighting: str = "",
    now: datetime | None = None,
    again: bool = False,
) -> Report:
    """The study's numbers, computed from its current judgments; the same judgments give the same report.

    The bootstrap resamples the items ``resamples`` times from the study's seed. ``weighting``: how items
    weigh, one of those that the kind of data offers, empty for its usual one. ``now`` is printed as the time
    of computing. ``again``: whether recorded looks are computed once more. Raises BadInput for a weighting
    that the kind does not offer.
    """
    judged, data, kind, problem, numbers, decided = computed(study, resamples, weighting)
    told = list(study.events.filter(verb__in=["withdrawn", VERB]).order_by("pk"))
    found = Report(
        slug=study.slug,
        title=" ".join(study.title.split()),
        task=study.task,
        data=data,
        is_open=study.state == State.OPEN,
        option_order=study.option_order,
        seed=seed_of(study),
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
        problem=problem,
        withdrawn=tuple(withdrawal(each) for each in told if each.verb == "withdrawn"),
        machine_seen=seen_in(study),
        settled=decided,
        n_retired=n_retired(study),
        weighting=weighting or next(iter(kind.weightings if kind else ()), ""),
        weightings=dict(kind.weightings) if kind else {},
        n_topics=judged.n_topics,
        topics_of_intervals=judged.topics_of_intervals,
        found=numbers.found,
        added=tuple(addition(each) for each in told if each.verb == VERB),
        beside=beside(study, kind, judged, seed_of(study), resamples) if kind and judged.n_items else None,
        looked=looked(study, again=again),
    )
    return found._replace(own=kind.describe(found)) if kind else found


def computed(study: Study, resamples: int, weighting: str) -> Computed:
    """Return what can be computed, and in a sentence what stands in the way of the rest.

    Raises BadInput for a weighting that the kind does not offer.
    """
    found, seed = Computed(Judged()), seed_of(study)
    try:
        found = found._replace(data=study.task_type.measure)
        kind = kind_of(study)
        found = found._replace(kind=kind)
        refuse_weighting(kind, weighting)
        found = found._replace(judged=kind.read(study))
        if problem := why_nothing(kind, found.judged):
            return found._replace(problem=problem)
        found = found._replace(numbers=kind.weighed(study, found.judged, seed, resamples, weighting))
        return found._replace(decided=settled(study, kind, found.judged, seed, resamples))
    except (Unreadable, Invalid) as error:
        return found._replace(problem=str(error))


def refuse_weighting(kind: DataKind[Any], weighting: str) -> None:
    """Raise BadInput for a weighting that this kind of data does not offer."""
    if weighting and weighting not in kind.weightings:
        offered = " or ".join(kind.weightings)
        wanted = (
            f"must be {offered}, not {weighting!r}"
            if offered
            else "is for other data: here items weigh in one way"
        )
        raise BadInput(f"weighting {wanted}.")


@cache
def code_version() -> str:
    """Return the release and a digest of the measures' code: `0.1.0+metrics.0123456789ab`."""
    return f"{settings.VERSION}+metrics.{code_digest(*CODE)}"


def _histogram(judged: Judged) -> dict[int, int]:
    if not judged.n_items:
        return {}
    return {size: int(count) for size, count in enumerate(np.bincount(judged.sizes)) if count}


def _reader_lines(readers: list[Reader], numbers: Numbers) -> tuple[ReaderLine, ...]:
    found = {each.annotator: each for each in numbers.accuracies}
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
