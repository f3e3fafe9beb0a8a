"""Agreement on the live page: each measure worded, with what its interval still takes."""

from __future__ import annotations

from typing import Any, NamedTuple

from evaluation.metrics.common.intervals import Estimate
from evaluation.metrics.common.measure import MeasureOf
from evaluation.metrics.common.planning import WANTED, more_items
from evaluation.values.wording import headed, interval, worded


class Headline(NamedTuple):
    """One measure of agreement, worded.

    `label`, `value`, `interval`: as the page prints them; no interval is empty.
    `definition`, `formula`, `source`: of the measure.
    `n_items`: what enters it.
    `n_topics`: topics that its interval is over, 0 where it is over items.
    `more`: items, or topics, until ± 0.05, None where no interval tells.
    `reason`: why there is no value or no interval, or a caution.
    """

    label: str
    definition: str
    formula: str
    source: str
    value: str
    interval: str
    n_items: int
    n_topics: int
    more: int | None
    reason: str


def headline(measure: MeasureOf[Any], found: Estimate, n_topics: int) -> Headline:
    """Word one measure; ``n_topics``: that its interval is over, 0 where it is over items."""
    more = None
    # ± 0.05 is a width of shares and coefficients, not of what counts minutes or grades.
    if found.low is not None and found.high is not None and found.n_items and not measure.unit:
        more = more_items((found.high - found.low) / 2, n_topics or found.n_items, WANTED)
    return Headline(
        headed(measure.label),
        measure.definition,
        measure.formula,
        measure.source,
        worded(measure, found.value),
        interval(measure, found.low, found.high),
        found.n_items,
        n_topics,
        more,
        found.reason,
    )
