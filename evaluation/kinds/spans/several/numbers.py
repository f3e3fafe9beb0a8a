"""The numbers of a study whose answers are several spans."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from annotation.models import Study
from evaluation.kinds.base import Answers
from evaluation.kinds.spans.dataset import (
    ANCHORS,
    GOLD,
    MARKED,
    DatasetStatistics,
    Place,
    dataset_statistics,
)
from evaluation.kinds.spans.marked import left_out
from evaluation.kinds.spans.several.marked import Borders, SeveralMarked, gold_table, table_of
from evaluation.metrics.common.intervals import Estimate
from evaluation.metrics.common.measure import MeasureOf
from evaluation.metrics.nominal.accuracy import AnnotatorAccuracy, accuracies
from evaluation.metrics.spans.gold import gold_estimates
from evaluation.metrics.spans.presence import PRESENCE_MEASURES
from evaluation.metrics.spans.units.alpha import UNITISING_ALPHA
from evaluation.metrics.spans.units.report import (
    GOLD_UNIT_MEASURES,
    OVERLAP_OF_ANSWERS,
    AnnotatorUnits,
    UnitReport,
    gold_unit_sums,
    unit_report,
    units_without_each,
)
from evaluation.metrics.spans.units.table import UnitTable
from evaluation.values.lines import Line, Numbers


class Found(NamedTuple):
    """What only answers of several spans have.

    ``report``: the whole report on them; ``annotators``: what each annotator marked, by index;
    ``dataset``: what spans share with the texts they allude to; ``n_gold_none``: items whose gold is “nothing
    to mark”; ``n_none``: the answers “no allusion”.
    """

    report: UnitReport
    annotators: dict[int, AnnotatorUnits]
    dataset: DatasetStatistics
    n_gold_none: int
    n_none: int


def numbers(study: Study, marked: SeveralMarked, seed: int, resamples: int) -> Numbers:
    """Agreement on tokens, on whether there are any, and against gold where gold is spans."""
    table = table_of(marked)
    found = unit_report(table, seed, resamples)
    lines = [_line(*each) for each in found.lines]
    lines += against(marked, marked.gold, seed, resamples, table)
    lines += [_line(one, each) for one, each in zip(PRESENCE_MEASURES, found.presence.estimates, strict=True)]
    return Numbers(
        tuple(lines),
        against_gold(marked),
        left_out(
            table.hulls,
            len(table.start),
            marked.readers,
            (UNITISING_ALPHA, OVERLAP_OF_ANSWERS),
            partial(units_without_each, table),
        ),
        Found(
            found,
            {each.annotator: each for each in found.annotators},
            dataset_statistics(study, marked.n_items, _places(marked, table)),
            marked.gold_none,
            marked.n_none,
        ),
    )


def against(
    marked: SeveralMarked, answers: Answers, seed: int, resamples: int, table: UnitTable | None = None
) -> tuple[Line, ...]:
    """Answers against gold or decided ones, by item; no allusion is no span and enters nothing."""
    gold: dict[int, Borders] = {
        key: tuple(each for each in borders if each is not None) for key, borders in answers.items()
    }
    gold = {key: borders for key, borders in gold.items() if borders}
    if not gold:
        return ()
    sums = gold_unit_sums(table_of(marked) if table is None else table, gold_table(marked, gold))
    found = gold_estimates(sums, seed, resamples)
    return tuple(_line(one, each) for one, each in zip(GOLD_UNIT_MEASURES, found, strict=True))


def against_gold(marked: SeveralMarked) -> tuple[AnnotatorAccuracy, ...]:
    """Of each annotator: answers on items whose gold is spans, and how many of them are these spans."""
    rows = marked.rows.only(marked.rows.parts[0] > 0)
    gold = [marked.gold.get(key) for key in marked.keys[rows.item].tolist()]
    right = [marked.answers[key] == each for key, each in zip(rows.parts[1].tolist(), gold, strict=True)]
    known = np.array([each is not None for each in gold], dtype=np.bool_)
    return accuracies(rows.reader, known, known & np.array(right, dtype=np.bool_))


def _line(measure: MeasureOf[Any], estimate: Estimate) -> Line:
    if measure.slug == "presence_observed_agreement":
        return Line(measure, estimate, 0.5, True)
    return Line(measure, estimate, 0.0 if measure.range[0] < 0 else None, False)


def _places(marked: SeveralMarked, table: UnitTable) -> Iterator[Place]:
    for place in zip(marked.keys.tolist(), *(each.tolist() for each in marked.anchor), strict=True):
        yield ANCHORS, *place
    for key, borders in marked.gold.items():
        for start, end in zip(borders[::2], borders[1::2], strict=True):
            yield GOLD, key, start, end
    keys = marked.keys[table.hulls.item[table.row]].tolist()
    for place in zip(keys, table.start.tolist(), table.end.tolist(), strict=True):
        yield MARKED, *place
