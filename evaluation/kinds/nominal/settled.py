"""Readers' choices against the options that were decided on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from evaluation.kinds.base import part
from evaluation.kinds.nominal.choices import Choices, guessing, table_of
from evaluation.metrics.common.intervals import LEVEL, estimate, resample
from evaluation.metrics.nominal.accuracy import INDIVIDUAL, MAJORITY
from evaluation.values.lines import Line


def against(choices: Choices, answers: Mapping[int, Any], seed: int, resamples: int) -> tuple[Line, ...]:
    """Individual and majority accuracy with the option decided on in the place of gold."""
    table = table_of(choices, np.array(part(choices.keys, answers, "option"), dtype=np.int64))
    patterns, wanted = table.patterns, (INDIVIDUAL, MAJORITY)
    draws = resample(patterns, [one.statistic for one in wanted], seed, resamples)
    chance = guessing(patterns)._asdict()
    return tuple(
        Line(one, estimate(one, patterns, drawn, seed, LEVEL), chance[one.slug], chance[one.slug] is not None)
        for one, drawn in zip(wanted, draws, strict=True)
    )
