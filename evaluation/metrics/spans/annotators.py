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
    """``annotator``: the index; ``n_declined``: answers without a span; ``median_length`` in tokens, None
    without spans; ``overlap``: mean O over ``n_pairs`` pairs with the others, None without pairs."""

    annotator: int
    n_spans: int
    n_declined: int
    median_length: float | None
    n_pairs: int
    overlap: float | None
    identical: float | None


class LeftOut(NamedTuple):
    """The value when one annotator's spans are left out; None where it is then undefined."""

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
