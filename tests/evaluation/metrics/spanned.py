"""Span data for tests: tables from short rows, and simulated annotators."""

import numpy as np

from evaluation.metrics.spans.table import SpanTable, tabulate_spans
from tests.evaluation.metrics.slow_spans import Study


def table_of(study: Study, declined: list[tuple[int, int]] = ()) -> SpanTable:
    rows = [*study.rows, *((item, who, -1, -1) for item, who in declined)]
    item, annotator, start, end = zip(*rows, strict=True) if rows else ((), (), (), ())
    first, last = (
        zip(*(each or (-1, -1) for each in study.anchors), strict=True) if study.anchors else ((), ())
    )
    left_out = np.arange(len(rows)) >= len(study.rows)
    return tabulate_spans(item, annotator, start, end, first, last, study.lengths, left_out)


def spans(
    *items: list[tuple[int, int]], length: int = 40, anchor: tuple[int, int] | None = None
) -> SpanTable:
    """One list of (start, end) per item, annotators 0, 1, ... in that order."""
    rows = [(item, who, *span) for item, each in enumerate(items) for who, span in enumerate(each)]
    return table_of(Study(rows, [anchor] * len(items), [length] * len(items)))


def simulated(
    n_items: int, seed: int, *, annotators: int = 3, jitter: float = 1.2, common: bool = True,
    anchored: bool = True,
) -> SpanTable:  # fmt: skip
    """Lengths like the paper's; without ``common`` annotators know nothing but the anchor."""
    generator = np.random.default_rng(seed)
    item, annotator = np.repeat(np.arange(n_items), annotators), np.tile(np.arange(annotators), n_items)
    middle, length = 60, generator.integers(100, 200, n_items)
    reach = generator.geometric(0.25, (2, n_items))[:, item] - 1
    if not common:
        reach = generator.geometric(0.25, (2, len(item))) - 1
    reach = np.maximum(0, reach + np.rint(generator.normal(0, jitter, reach.shape)).astype(int))
    reach = np.minimum(reach, 30)
    first = np.full(n_items, middle if anchored else -1)
    last = np.full(n_items, middle + 1 if anchored else -1)
    return tabulate_spans(item, annotator, middle - reach[0], middle + 1 + reach[1], first, last, length)
