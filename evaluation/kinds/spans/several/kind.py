"""Several spans of tokens in one answer, as pages and commands ask for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from annotation.models import Study
from common.pictures.marks import Picture
from evaluation.kinds.answers import AsOf
from evaluation.kinds.base import Answers, DataKind
from evaluation.kinds.spans.apparatus import SeveralApparatus
from evaluation.kinds.spans.marked_tokens import ALIKE, marked_by_most, overlap_of
from evaluation.kinds.spans.pictures import drawn
from evaluation.kinds.spans.several import describe, live, numbers
from evaluation.kinds.spans.several.marked import SeveralMarked, read, table_of
from evaluation.metrics.planning.pilot import Sampled
from evaluation.metrics.spans.units.alpha import UNITISING_ALPHA
from evaluation.metrics.spans.units.report import OVERLAP_OF_ANSWERS
from evaluation.metrics.spans.units.table import unit_sums
from evaluation.values.lines import Line, Numbers
from evaluation.values.live import Seen
from evaluation.values.report import KindReport, Report


class SeveralSpans(DataKind[SeveralMarked]):
    """The tokens of a passage, in one place or several, that allude to something, or that nothing does."""

    name = "several_spans"
    apparatus = SeveralApparatus()
    with_others = "mean overlap of own tokens and others’"
    likeness_means = ALIKE
    queries = True

    def read(self, study: Study, as_of: AsOf | None = None) -> SeveralMarked:
        return read(study, as_of)

    def compute(self, study: Study, judged: SeveralMarked, seed: int, resamples: int) -> Numbers:
        return numbers.numbers(study, judged, seed, resamples)

    def against(self, judged: SeveralMarked, answers: Answers, seed: int, resamples: int) -> tuple[Line, ...]:
        return numbers.against(judged, answers, seed, resamples)

    def likeness(
        self, judged: SeveralMarked, first: Sequence[int | None], second: Sequence[int | None]
    ) -> float:
        return overlap_of(first, second)

    def majority(self, answers: Sequence[Sequence[int | None]]) -> Sequence[int | None] | None:
        return marked_by_most(answers)

    def describe(self, report: Report) -> KindReport:
        return describe.describe(report)

    def drawings(self, report: Report) -> Iterator[tuple[str, Picture]]:
        return drawn(report.found.report.overlap, report.found.dataset)

    def primary(self, judged: SeveralMarked) -> tuple[Sampled, ...]:
        sums = unit_sums(table_of(judged))
        return tuple(Sampled(one, sums) for one in (OVERLAP_OF_ANSWERS, UNITISING_ALPHA))

    def watch(self, study: Study, judged: SeveralMarked, seed: int) -> Seen:
        return live.seen(judged, seed)
