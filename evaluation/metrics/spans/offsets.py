"""Where two annotators part: by how many tokens the beginnings and the ends of their spans differ.

For each pair of annotators a < b, over the items that both marked: start_b - start_a and end_b - end_a. A
negative left difference means that b begins earlier, a positive right difference that b ends later.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evaluation.metrics.nominal.table import IntArray
from evaluation.metrics.spans.table import Pairs, SpanTable


class Differences(NamedTuple):
    """Differences in tokens between the boundaries of two annotators.

    ``values`` (V,): those that occur, ascending.
    ``counts`` (V,): how often each does.
    ``median``, ``median_absolute``: of the differences and of their amounts.
    ``equal``: the share of differences that are 0.
    """

    values: IntArray
    counts: IntArray
    median: float
    median_absolute: float
    equal: float


class BoundaryOffsets(NamedTuple):
    """How far apart two annotators begin and end.

    ``first``, ``second``: their indices, the lower first.
    ``n_items``: items that both marked.
    ``left``, ``right``: differences of their starts and of their ends.
    """

    first: int
    second: int
    n_items: int
    left: Differences
    right: Differences


def boundary_offsets(table: SpanTable, pairs: Pairs) -> tuple[BoundaryOffsets, ...]:
    """One entry per pair of annotators who marked a common item, by ascending indices."""
    first, second = table.annotator[pairs.first], table.annotator[pairs.second]
    left = table.start[pairs.second] - table.start[pairs.first]
    right = table.end[pairs.second] - table.end[pairs.first]
    key = first * (int(table.annotator.max(initial=0)) + 1) + second
    order = np.argsort(key, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(key[order])) + 1) if len(order) else []
    return tuple(
        BoundaryOffsets(
            int(first[rows[0]]),
            int(second[rows[0]]),
            len(rows),
            differences(left[rows]),
            differences(right[rows]),
        )
        for rows in groups
    )


def differences(values: IntArray) -> Differences:
    """Of one or more token differences (R,)."""
    least = int(values.min())
    tally = np.bincount(values - least)
    shown = np.flatnonzero(tally)
    return Differences(
        shown + least,
        tally[shown].astype(np.int64, copy=False),
        float(np.median(values)),
        float(np.median(np.abs(values))),
        float((values == 0).mean()),
    )
