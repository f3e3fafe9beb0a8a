"""What is computed from a study, whatever its kind of data: lines, and what only one kind has beside them."""

from __future__ import annotations

from typing import Any, NamedTuple

from evaluation.kinds.spans.dataset import DatasetStatistics
from evaluation.metrics.common.intervals import Estimate
from evaluation.metrics.common.measure import MeasureOf
from evaluation.metrics.nominal.accuracy import AnnotatorAccuracy
from evaluation.metrics.nominal.position import PositionBias
from evaluation.metrics.spans.annotators import AnnotatorSpans
from evaluation.metrics.spans.chance.permutation import OverlapTest
from evaluation.metrics.spans.report import SpanReport


class Line(NamedTuple):
    """One measure with its value. ``chance``: what guessing gives, None where that is not known.

    ``exact``: chance was enumerated for this study; otherwise it is 0 by the coefficient's definition.
    ``test``: whether chance could have given as much, None where that was not asked.
    """

    measure: MeasureOf[Any]
    estimate: Estimate
    chance: float | None
    exact: bool
    test: OverlapTest | None = None


class LeftOutRange(NamedTuple):
    """The least and the greatest value when one annotator is left out, and which one that is."""

    measure: MeasureOf[Any]
    low: float
    without_low: str
    high: float
    without_high: str


class SpanNumbers(NamedTuple):
    """What only spans have: the whole report on them, each annotator's spans by index, what spans share with
    the texts they allude to, items whose gold is “nothing to mark”, and the answers “no allusion”."""

    report: SpanReport
    annotators: dict[int, AnnotatorSpans]
    dataset: DatasetStatistics
    n_gold_none: int
    n_none: int


class Numbers(NamedTuple):
    """What is computed from one kind of data."""

    lines: tuple[Line, ...] = ()
    accuracies: tuple[AnnotatorAccuracy, ...] = ()
    left_out: tuple[LeftOutRange, ...] = ()
    bias: PositionBias | None = None
    roles: str = ""
    spans: SpanNumbers | None = None
