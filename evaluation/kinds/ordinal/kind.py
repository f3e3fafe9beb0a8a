"""Grades, as pages and commands ask for them."""

from __future__ import annotations

from collections.abc import Iterator

from annotation.models import Study
from common.pictures.marks import Picture
from evaluation.kinds import base
from evaluation.kinds.answers import AsOf
from evaluation.kinds.base import Answers, DataKind
from evaluation.kinds.ordinal import grades
from evaluation.kinds.ordinal.apparatus import GradeApparatus
from evaluation.kinds.ordinal.definitions import definitions
from evaluation.kinds.ordinal.describe import describe
from evaluation.kinds.ordinal.grades import Graded
from evaluation.kinds.ordinal.live import HABITS, HABITS_NOTE, WITH_OTHERS, seen
from evaluation.kinds.ordinal.pictures import drawings
from evaluation.kinds.ordinal.rationales import lines_of, read_rationales
from evaluation.metrics.planning.pilot import Sampled
from evaluation.values.definitions import Definitions
from evaluation.values.lines import Line, Numbers
from evaluation.values.live import Seen
from evaluation.values.report import KindReport, Report


class Ordinal(DataKind[Graded]):
    """One of q grades, from the lowest to the highest."""

    name = "ordinal"
    apparatus = GradeApparatus()
    with_others = WITH_OTHERS
    habits = HABITS
    habits_note = HABITS_NOTE

    def read(self, study: Study, as_of: AsOf | None = None) -> Graded:
        return grades.read(study, as_of)

    def compute(self, study: Study, judged: Graded, seed: int, resamples: int) -> Numbers:
        found = grades.numbers(judged, seed, resamples)
        marked = read_rationales(study, judged, seed, resamples)
        if marked is None:
            return found
        lines = (*found.lines, *lines_of(marked))
        return found._replace(lines=lines, found=found.found._replace(rationales=marked))

    def against(self, judged: Graded, answers: Answers, seed: int, resamples: int) -> tuple[Line, ...]:
        return grades.against(judged, answers, seed, resamples)

    def describe(self, report: Report) -> KindReport:
        return describe(report)

    def drawings(self, report: Report) -> Iterator[tuple[str, Picture]]:
        return drawings(report.found)

    def watch(self, study: Study, judged: Graded, seed: int) -> Seen:
        return seen(judged, seed)

    def graded(self, judged: Graded) -> base.Graded:
        return base.Graded(judged.grade, judged.options - 1, judged.labels)

    def definitions(self, study: Study, judged: Graded, seed: int, resamples: int) -> Definitions:
        return definitions(judged, seed, resamples)

    def primary(self, judged: Graded) -> tuple[Sampled, ...]:
        return grades.primary(judged)
