"""Spans of tokens: the numbers of a study whose data are spans.

A span answer, and a gold one, is ``{"start": s, "end": e}``, half-open in tokens, or ``{"declined": why}``.
*Can't decide* is, in such a study, "cannot set the borders": no span either. Both are declined answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from annotation.models import Outcome, Study
from evaluation.kinds.answers import (
    OUTCOMES,
    AsOf,
    Judged,
    Reader,
    heaviest,
    read_items,
    read_readers,
    read_rows,
    work_items,
)
from evaluation.kinds.base import Answers, part
from evaluation.kinds.columns import Unreadable
from evaluation.kinds.spans.dataset import (
    ANCHORS,
    GOLD,
    MARKED,
    DatasetStatistics,
    Place,
    dataset_statistics,
)
from evaluation.metrics import registry
from evaluation.metrics.common.dominance import Dominant
from evaluation.metrics.common.intervals import Estimate
from evaluation.metrics.common.measure import MeasureOf
from evaluation.metrics.nominal.accuracy import AnnotatorAccuracy, accuracies
from evaluation.metrics.nominal.table import IntArray, distinct
from evaluation.metrics.spans.alpha import SPAN_ALPHA
from evaluation.metrics.spans.annotators import AnnotatorSpans, LeftOut, annotator_spans, spans_without_each
from evaluation.metrics.spans.chance.permutation import OverlapTest
from evaluation.metrics.spans.gold import GOLD_MEASURES, gold_estimates, gold_sums
from evaluation.metrics.spans.item_sums import SpanMeasure, Weighting
from evaluation.metrics.spans.overlap import LCS_OVERLAP_KAPPA, OBSERVED_OVERLAP
from evaluation.metrics.spans.placement import PLACEMENT_KAPPA
from evaluation.metrics.spans.presence import PRESENCE_MEASURES
from evaluation.metrics.spans.report import SpanReport
from evaluation.metrics.spans.table import SpanTable, pairs_of, tabulate_spans
from evaluation.values.lines import ChanceTest, LeftOutRange, Line, Numbers, left_out_range

MOST_LEFT_OUT, MOST_SPANS_LEFT_OUT = 20, 200_000
ANSWER, UNDECIDED = OUTCOMES.index(Outcome.ANSWER), OUTCOMES.index(Outcome.UNDECIDED)


class Found(NamedTuple):
    """What only spans have.

    ``report``: the whole report on them; ``annotators``: each annotator's spans, by index; ``dataset``: what
    spans share with the texts they allude to; ``n_gold_none``: items whose gold is “nothing to mark”;
    ``n_none``: the answers “no allusion”; ``heavy``: the item with many of all pairs of spans.
    """

    report: SpanReport
    annotators: dict[int, AnnotatorSpans]
    dataset: DatasetStatistics
    n_gold_none: int
    n_none: int
    heavy: Dominant | None


@dataclass(frozen=True, kw_only=True, eq=False)
class Marked(Judged):
    """The study's spans; -1 stands where there is none.

    ``length`` (N,): tokens of the passage of each work item.
    ``anchor``, ``gold``: (N,) start and (N,) end of the anchor, and of the gold span.
    ``gold_none``: how many items have a gold answer that is no span.
    """

    length: IntArray
    anchor: tuple[IntArray, IntArray]
    gold: tuple[IntArray, IntArray]
    gold_none: int


def read(study: Study, as_of: AsOf | None = None) -> Marked:
    """The study's items, readers and spans; payloads are not read."""
    found = read_items(study, "number_1", "number_2", "number_3", "gold_1", "gold_2")
    keys = found["id"]
    rows, readers = read_rows(read_readers(study), keys, "number_1", "number_2", as_of=as_of)
    return Marked(
        readers=readers,
        sizes=rows.sizes(len(keys)),
        keys=keys,
        numbers=found["number"],
        length=found["number_1"],
        anchor=(found["number_2"], found["number_3"]),
        gold=(found["gold_1"], found["gold_2"]),
        gold_none=work_items(study).filter(gold__isnull=False, gold_1=None).count(),
        rows=rows,
    )


def table_of(marked: Marked) -> SpanTable:
    """Spans and declined answers as the measures take them. Raises Unreadable for what is neither."""
    rows = marked.rows
    kept = (rows.outcome == ANSWER) | (rows.outcome == UNDECIDED)
    start, end = (part[kept] for part in rows.parts)
    try:
        return tabulate_spans(
            rows.item[kept], rows.reader[kept], start, end, *marked.anchor, marked.length, start < 0
        )
    except ValueError as error:
        raise Unreadable(f"The judgments do not fit the items: {error}") from error


def spans(study: Study, marked: Marked, seed: int, resamples: int, weighting: Weighting = "pair") -> Numbers:
    """Overlap and agreement of spans, on whether there is one, and against gold where gold is a span."""
    table = table_of(marked)
    found = registry.span_report(table, seed, resamples, weighting=weighting)
    lines = [_line(each.measure, each.estimate, each.test) for each in found.lines]
    if (marked.gold[0] >= 0).any():
        sums = gold_sums(table, *marked.gold)
        estimates = gold_estimates(sums, seed, resamples)
        lines += [_line(one, each) for one, each in zip(GOLD_MEASURES, estimates, strict=True)]
    lines += [_line(one, each) for one, each in zip(PRESENCE_MEASURES, found.presence.estimates, strict=True)]
    per_annotator = {each.annotator: each for each in annotator_spans(table, pairs_of(table))}
    answered = marked.rows.answered & (marked.rows.parts[0] < 0)
    corrected: SpanMeasure = SPAN_ALPHA if table.anchored.any() else PLACEMENT_KAPPA
    without_each = partial(spans_without_each, table, weighting=weighting)
    return Numbers(
        tuple(lines),
        against_gold(table, marked),
        left_out(table, table.n_spans, marked.readers, (OBSERVED_OVERLAP, corrected), without_each),
        Found(
            found,
            per_annotator,
            dataset_statistics(study, marked.n_items, _places(marked, table)),
            marked.gold_none,
            int(answered.sum()),
            heaviest(marked.numbers, table.sizes * (table.sizes - 1)),
        ),
    )


def against(marked: Marked, answers: Answers, seed: int, resamples: int) -> tuple[Line, ...]:
    """Spans against the spans decided on; that there is no allusion is no span and enters nothing."""
    start, end = part(marked.keys, answers, 0), part(marked.keys, answers, 1)
    if max(start) < 0:
        return ()
    estimates = gold_estimates(gold_sums(table_of(marked), start, end), seed, resamples)
    return tuple(Line(one, each, None, False) for one, each in zip(GOLD_MEASURES, estimates, strict=True))


def _line(measure: MeasureOf, estimate: Estimate, test: OverlapTest | None = None) -> Line:  # type: ignore[type-arg]
    if measure is OBSERVED_OVERLAP and test is not None:
        return Line(measure, estimate, test.expected, True, ChanceTest(test.p, test.method))
    if measure.slug == "presence_observed_agreement":
        return Line(measure, estimate, 0.5, True)
    corrected = measure.range[0] < 0 and measure is not LCS_OVERLAP_KAPPA
    tested = ChanceTest(test.p, test.method) if test else None
    return Line(measure, estimate, 0.0 if corrected else None, False, tested)


def against_gold(table: SpanTable, marked: Marked) -> tuple[AnnotatorAccuracy, ...]:
    """Of each annotator: spans on items whose gold is a span, and how many of them are that span."""
    start, end = (part[table.item] for part in marked.gold)
    return accuracies(table.annotator, start >= 0, (table.start == start) & (table.end == end))


def left_out(
    table: SpanTable,
    n_spans: int,
    readers: list[Reader],
    measures: Iterable[SpanMeasure],
    without_each: Callable[[SpanMeasure], Iterable[LeftOut]],
) -> tuple[LeftOutRange, ...]:
    """Ranges over annotators; none for two or fewer (one reader's spans have no pair), nor for very many."""
    if not 3 <= len(distinct(table.annotator)) <= MOST_LEFT_OUT or n_spans > MOST_SPANS_LEFT_OUT:
        return ()
    return tuple(
        found
        for measure in measures
        for found in left_out_range(
            measure, ((one.value, readers[one.annotator].pseudonym) for one in without_each(measure))
        )
    )


def _places(marked: Marked, table: SpanTable) -> Iterator[Place]:
    for name, (starts, ends) in ((ANCHORS, marked.anchor), (GOLD, marked.gold)):
        for place in zip(marked.keys.tolist(), starts.tolist(), ends.tolist(), strict=True):
            yield name, *place
    keys = marked.keys[table.item].tolist()
    for place in zip(keys, table.start.tolist(), table.end.tolist(), strict=True):
        yield MARKED, *place
