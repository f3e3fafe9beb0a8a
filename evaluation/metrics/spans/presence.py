"""Do annotators agree on whether there is anything to mark? Span given or declined, as nominal data.

Krippendorff's α and AC1 on two values for each answer: a span, or none ("no allusion", "cannot set the
borders"). Nothing about where the spans are. α takes items with unequal numbers of answers; AC1 is the
one to read beside it when few answers are declined.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from evaluation.metrics.common.intervals import LEVEL, RESAMPLES, Estimate, estimate, resample
from evaluation.metrics.nominal.agreement import OBSERVED
from evaluation.metrics.nominal.alpha import ALPHA
from evaluation.metrics.nominal.gwet import AC1
from evaluation.metrics.nominal.table import patterns_from_counts
from evaluation.metrics.spans.table import SpanTable

PRESENCE_MEASURES = (
    replace(
        OBSERVED,
        slug="presence_observed_agreement",
        label="span or none: P_o",
        definition="Share of agreeing pairs of answers on whether there is a span to mark, averaged over "
        "items.",
        chance="Not corrected for chance: two guesses between span and none agree half the time.",
        data="presence",
    ),
    replace(
        ALPHA,
        slug="presence_alpha",
        label="span or none: α",
        definition="Krippendorff's nominal α on two values, a span or none; nothing about where the span is.",
        chance="Two different answers drawn from all of them, each a span or none.",
        data="presence",
    ),
    replace(
        AC1,
        slug="presence_ac1",
        label="span or none: AC1",
        definition="Gwet's AC1 on a span or none; read it beside α when few answers are declined.",
        chance="A part of the answers, largest when spans and none are equally many, is a guess.",
        data="presence",
    ),
)


class Presence(NamedTuple):
    """Answers with a span and without.

    ``n_spans``, ``n_declined``: how many of each.
    ``estimates``: their nominal agreement: observed, α, AC1.
    """

    n_spans: int
    n_declined: int
    estimates: tuple[Estimate, ...]


def presence(table: SpanTable, seed: int, resamples: int = RESAMPLES, level: float = LEVEL) -> Presence:
    """Agreement on span or none, over items with two answers or more."""
    patterns = patterns_from_counts(*_patterns(table))
    draws = resample(patterns, [one.statistic for one in PRESENCE_MEASURES], seed, resamples)
    found = [
        estimate(one, patterns, drawn, seed, level)
        for one, drawn in zip(PRESENCE_MEASURES, draws, strict=True)
    ]
    if table.n_declined == 0 or table.n_spans == 0:
        all_same = "Nobody declined" if table.n_declined == 0 else "Everybody declined"
        found = [
            each._replace(reason=f"{all_same}: without variation chance agreement is 1.")
            if each.slug == "presence_alpha" and each.value is None and patterns.n_items
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
