"""Do annotators agree on whether there is anything to mark? Span given or declined, as nominal data.

Krippendorff's α and AC1 on two values for each answer: a span, or none ("no allusion", "cannot set the
borders"). Nothing about where the spans are. α takes items with unequal numbers of answers; AC1 is the
one to read beside it when few answers are declined.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evaluation.metrics.agreement import OBSERVED
from evaluation.metrics.alpha import ALPHA
from evaluation.metrics.gwet import AC1
from evaluation.metrics.intervals import LEVEL, RESAMPLES, Estimate, estimate, resample
from evaluation.metrics.spans import SpanTable
from evaluation.metrics.table import patterns_from_counts

MEASURES = (OBSERVED, ALPHA, AC1)


class Presence(NamedTuple):
    """Answers with a span and without, and their nominal agreement: observed, α, AC1."""

    n_spans: int
    n_declined: int
    estimates: tuple[Estimate, ...]


def presence(table: SpanTable, seed: int, resamples: int = RESAMPLES, level: float = LEVEL) -> Presence:
    """Agreement on span or none, over items with two answers or more."""
    patterns = patterns_from_counts(*_patterns(table))
    draws = resample(patterns, [one.statistic for one in MEASURES], seed, resamples)
    found = [estimate(one, patterns, drawn, seed, level) for one, drawn in zip(MEASURES, draws, strict=True)]
    if table.n_declined == 0 or table.n_spans == 0:
        all_same = "Nobody declined" if table.n_declined == 0 else "Everybody declined"
        found = [
            each._replace(reason=f"{all_same}: without variation chance agreement is 1.")
            if each.slug == ALPHA.slug and each.value is None and patterns.n_items
            else each
            for each in found
        ]
    return Presence(table.n_spans, table.n_declined, tuple(found))


def _patterns(table: SpanTable) -> tuple[list[list[int]], None, list[int]]:
    """Distinct (spans, declined) of items with how many items have them."""
    declined = table.declined
    width = int(declined.max(initial=0)) + 1
    tally = np.bincount(table.sizes * width + declined, minlength=1)
    seen = np.flatnonzero(tally)
    counts = [[int(one) // width, int(one) % width] for one in seen]
    return counts or [[0, 0]], None, tally[seen].tolist() or [0]
