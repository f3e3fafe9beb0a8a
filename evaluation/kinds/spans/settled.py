"""Readers' spans against the spans that were decided on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evaluation.kinds.base import part
from evaluation.kinds.spans.marked import Marked, table_of
from evaluation.metrics.spans.gold import GOLD_MEASURES, gold_estimates, gold_sums
from evaluation.values.lines import Line


def against(marked: Marked, answers: Mapping[int, Any], seed: int, resamples: int) -> tuple[Line, ...]:
    """That there is no allusion is no span and enters nothing."""
    start, end = part(marked.keys, answers, "start"), part(marked.keys, answers, "end")
    if max(start) < 0:
        return ()
    estimates = gold_estimates(gold_sums(table_of(marked), start, end), seed, resamples)
    return tuple(Line(one, each, None, False) for one, each in zip(GOLD_MEASURES, estimates, strict=True))
