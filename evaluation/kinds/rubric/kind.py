"""A rubric, as pages and commands ask for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from annotation.models import Study
from annotation.tasktypes.base import Answer, TaskType
from common.pictures.marks import Picture
from evaluation.kinds.answers import AsOf
from evaluation.kinds.base import Answers, DataKind, Scale
from evaluation.kinds.rubric import numbers
from evaluation.kinds.rubric.answered import Answered, alike, read
from evaluation.kinds.rubric.apparatus import RubricApparatus
from evaluation.kinds.rubric.describe import describe
from evaluation.kinds.rubric.pictures import drawings
from evaluation.metrics.planning.pilot import Sampled
from evaluation.values.lines import Line, Numbers
from evaluation.values.report import KindReport, Report


class Rubric(DataKind[Answered]):
    """Answers to several questions, each nominal, ordinal or a free text, some of them not asked."""

    name = "rubric"
    apparatus = RubricApparatus()
    likeness_means = "the share of equal answers among the questions with options that either was asked"
    with_others = "share of equal pairs of an own answer and another’s, equal in every question with options"

    def read(self, study: Study, as_of: AsOf | None = None) -> Answered:
        return read(study, as_of)

    def compute(self, study: Study, judged: Answered, seed: int, resamples: int) -> Numbers:
        return numbers.numbers(judged, seed, resamples)

    def decided(self, judged: Answered, task: TaskType, answer: Answer) -> tuple[int, ...]:
        return judged.coder.codes(answer)

    def against(self, judged: Answered, answers: Answers, seed: int, resamples: int) -> tuple[Line, ...]:
        return tuple(numbers.against(judged, answers, seed, resamples))

    def likeness(self, judged: Answered, first: Sequence[int | None], second: Sequence[int | None]) -> float:
        return alike(judged, first, second)

    def scales(self, judged: Answered) -> tuple[Scale, ...]:
        return tuple(
            Scale(each.prompt, tuple(option.label for option in each.options), place)
            for place, each in enumerate(judged.questions)
            if each.options
        )

    def describe(self, report: Report) -> KindReport:
        return describe(report)

    def drawings(self, report: Report) -> Iterator[tuple[str, Picture]]:
        return drawings(report.found)

    def primary(self, judged: Answered) -> tuple[Sampled, ...]:
        return tuple(numbers.primary(judged))
