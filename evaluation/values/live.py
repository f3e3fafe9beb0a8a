"""What the live page of a study shows of its answers."""

from __future__ import annotations

from typing import Any, NamedTuple

from common.tables.table import Cell
from evaluation.metrics.common.intervals import Estimate
from evaluation.metrics.common.measure import MeasureOf
from evaluation.metrics.nominal.accuracy import AnnotatorAccuracy
from evaluation.metrics.nominal.pairwise_agreement import AnnotatorAgreement
from evaluation.metrics.nominal.table import FloatArray


class Seen(NamedTuple):
    """A running study's agreement.

    ``estimates``: the last is the headline.
    ``with_others``: each annotator's agreement with the others.
    ``accuracies``: annotators against gold.
    ``agreeing`` (N,): agreement added over the pairs of answers of each item.
    ``habits``: by annotator, cells of the table of readers under the kind's own headings.
    """

    estimates: tuple[tuple[MeasureOf[Any], Estimate], ...]
    with_others: tuple[AnnotatorAgreement, ...]
    accuracies: tuple[AnnotatorAccuracy, ...]
    agreeing: FloatArray
    habits: dict[int, tuple[Cell, ...]] = {}
