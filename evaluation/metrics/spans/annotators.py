"""Each annotator's spans: how many, how long, and how much they overlap with what others marked.

Mean overlap is over all pairs of one of the annotator's spans and another annotator's on the same item.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evaluation.metrics.nominal.table import distinct
from evaluation.metrics.spans.item_sums import SpanMeasure, Weighting, item_sums
from evaluation.metrics.spans.table import Pairs, SpanTable


class AnnotatorSpans(NamedTuple):
    """What one annotator marked.

    ``annotator``: the index.
    ``n_spans``, ``n_declined``: answers with a span and without.
    ``median_length``: of the spans, in tokens; None without spans.
    ``n_pairs``: pairs with another annotator's span on the same item.
    ``overlap``: mean O over these pairs, None without pairs.
    ``identical``: the share of them with O = 1, None without pairs.
    """

    annotator: int
    n_spans: int
    n_declined: int
    median_length: float | None
    n_pairs: int
    overlap: float | None
    identical: float | None


class LeftOut(NamedTuple):
    """A measure without one annotator's spans.

    ``annotator``: who is left out.
    ``value``: of the others; None where it is then undefined.
    """

    annotator: int
    value: float | None


def annotator_spans(table: SpanTable, pairs: Pairs) -> tuple[AnnotatorSpans, ...]:
    """One entry per annotator with an answer, by ascending index."""
    width = 1 + max(int(table.annotator.max(initial=-1)), int(table.declined_annotator.max(initial=-1)))
    spans = np.bincount(table.annotator, minlength=width)
    declined = np.bincount(table.declined_annotator, minlength=width)
    both = np.concatenate([table.annotator[pairs.first], table.annotator[pairs.second]])
    n_pairs = np.bincount(both, minlength=width)
    overlap = np.bincount(both, weights=np.tile(pairs.overlap, 2), minlength=width)
    same = np.bincount(both, weights=np.tile(pairs.identical, 2), minlength=width)
    extent = table.end - table.start
    return tuple(
        AnnotatorSpans(
            who,
            int(spans[who]),
            int(declined[who]),
            float(np.median(extent[table.annotator == who])) if spans[who] else None,
            int(n_pairs[who]),
            float(overlap[who] / n_pairs[who]) if n_pairs[who] else None,
            float(same[who] / n_pairs[who]) if n_pairs[who] else None,
        )
        for who in np.flatnonzero(spans + declined).tolist()
    )


def spans_without_each(
    table: SpanTable, measure: SpanMeasure, weighting: Weighting = "pair"
) -> tuple[LeftOut, ...]:
    """The measure without each annotator in turn, by ascending index."""
    found = []
    for who in distinct(table.annotator):
        kept = table.annotator != who
        rest = table._replace(
            item=table.item[kept],
            annotator=table.annotator[kept],
            start=table.start[kept],
            end=table.end[kept],
        )
        found.append(LeftOut(who, measure.value(item_sums(rest, weighting))))
    return tuple(found)
