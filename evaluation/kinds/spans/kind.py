"""Spans of tokens, as pages and commands ask for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from annotation.models import Study
from common.pictures.marks import Picture
from evaluation.kinds.answers import AsOf
from evaluation.kinds.base import Answers, DataKind
from evaluation.kinds.spans import describe, marked
from evaluation.kinds.spans.apparatus import SpanApparatus
from evaluation.kinds.spans.definitions import definitions
from evaluation.kinds.spans.live import seen
from evaluation.kinds.spans.marked import Marked
from evaluation.kinds.spans.marked_tokens import ALIKE, marked_by_most, overlap_of
from evaluation.kinds.spans.pictures import drawings
from evaluation.kinds.spans.several.kind import SeveralSpans as SeveralSpans
from evaluation.metrics.planning.pilot import Sampled
from evaluation.metrics.spans.item_sums import item_sums
from evaluation.metrics.spans.overlap import LCS_OVERLAP_KAPPA, OBSERVED_OVERLAP
from evaluation.values.definitions import Definitions
from evaluation.values.lines import Line, Numbers
from evaluation.values.live import Seen
from evaluation.values.report import KindReport, Report


class Spans(DataKind[Marked]):
    """The tokens of a passage that allude to something, or that nothing does."""

    name = "spans"
    apparatus = SpanApparatus()
    with_others = "mean overlap of own spans and others’"
    likeness_means = ALIKE
    queries = True
    weightings: ClassVar[Mapping[str, str]] = {
        "pair": "every pair of spans counts the same",
        "item": "every item counts the same",
    }

    def read(self, study: Study, as_of: AsOf | None = None) -> Marked:
        return marked.read(study, as_of)

    def compute(self, study: Study, judged: Marked, seed: int, resamples: int) -> Numbers:
        return marked.spans(study, judged, seed, resamples)

    def weighed(self, study: Study, judged: Marked, seed: int, resamples: int, weighting: str) -> Numbers:
        return marked.spans(study, judged, seed, resamples, "item" if weighting == "item" else "pair")

    def against(self, judged: Marked, answers: Answers, seed: int, resamples: int) -> tuple[Line, ...]:
        return marked.against(judged, answers, seed, resamples)

    def likeness(self, judged: Marked, first: Sequence[int | None], second: Sequence[int | None]) -> float:
        return overlap_of(first, second)

    def majority(self, answers: Sequence[Sequence[int | None]]) -> Sequence[int | None] | None:
        return marked_by_most(answers)

    def describe(self, report: Report) -> KindReport:
        return describe.describe(report)

    def drawings(self, report: Report) -> Iterator[tuple[str, Picture]]:
        return drawings(report.found)

    def watch(self, study: Study, judged: Marked, seed: int) -> Seen:
        return seen(judged, seed)

    def definitions(self, study: Study, judged: Marked, seed: int, resamples: int) -> Definitions:
        return definitions(study, judged, seed, resamples)

    def primary(self, judged: Marked) -> tuple[Sampled, ...]:
        sums = item_sums(marked.table_of(judged))
        return tuple(Sampled(one, sums) for one in (OBSERVED_OVERLAP, LCS_OVERLAP_KAPPA))
