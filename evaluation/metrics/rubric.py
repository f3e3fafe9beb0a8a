"""Free texts of a rubric: how often they are filled in, and how often two of them are the same."""

from dataclasses import replace

import numpy as np

from evaluation.metrics.common.measure import Measure, ratio, share
from evaluation.metrics.nominal.agreement import OBSERVED
from evaluation.metrics.nominal.table import BoolArray, FloatArray, IntArray, Patterns, patterns_in


def _filled(patterns: Patterns, weights: FloatArray) -> FloatArray:
    return ratio(weights @ patterns.counts[:, 1], weights @ patterns.sizes)


def _asked(patterns: Patterns) -> BoolArray:
    return np.asarray(patterns.sizes > 0)


FILLED = Measure(
    slug="rate_filled",
    label="rate filled",
    definition="Share of judgments that wrote something, among those that were asked.",
    formula="sum_i filled_i / sum_i asked_i",
    source="standard",
    range=(0.0, 1.0),
    statistic=_filled,
    enters=_asked,
    undefined=lambda patterns: None if _asked(patterns).any() else "Nobody was asked.",
    proportion=share,
    data="rubric",
    chance="None: nobody writes by chance.",
)

SAME_TEXT = replace(
    OBSERVED,
    slug="same_text",
    label="same text",
    definition="Share of pairs of texts on the same item that are equal, all white space counted as one "
    "space, averaged over items.",
    source="standard",
    data="rubric",
    chance="None: two equal texts by chance are next to impossible, so no coefficient is made of it.",
)

RUBRIC_MEASURES: tuple[Measure, ...] = (FILLED, SAME_TEXT)


def text_patterns(item: IntArray, text: IntArray, n_items: int) -> Patterns:
    """Count how often the first, second, … most frequent text of each item was written.

    ``item`` (M,) in 0..N-1, ``text`` (M,) a number for each different text, ``n_items`` N. Which text it was
    is lost: it has no number that would mean the same on another item.
    """
    (items, _), often = np.unique(np.stack([item, text]), axis=1, return_counts=True)
    order = np.lexsort((-often, items))
    items, often = items[order], often[order]
    places = np.arange(len(items)) - np.searchsorted(items, items)
    counts = np.zeros((n_items, max(2, int(places.max(initial=0)) + 1)), dtype=np.int64)
    counts[items, places] = often
    return patterns_in(counts, np.full(n_items, -1, dtype=np.int64))
