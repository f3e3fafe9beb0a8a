"""Runs compared with a base run: the difference on every topic, its interval, and whether it is luck.

One comparison is one run on one measure: sign-flip test over topics (McNemar's exact test where all values
are 0 or 1), as ``common/paired`` has it. p is corrected by Holm for all comparisons together, runs times
measures: whoever tries five runs on six measures finds one p below .05 by luck more often than not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from evaluation.metrics.common.intervals import LEVEL, RESAMPLES
from evaluation.metrics.common.mcnemar import holm
from evaluation.metrics.common.paired import PairedComparison, comparisons
from evaluation.metrics.nominal.table import FloatArray
from evaluation.metrics.ranking.evaluated import Evaluated
from evaluation.metrics.ranking.measures import RunMeasure

_SAME = 1e-12


class Difference(NamedTuple):
    """A run minus the base on one measure.

    ``measure``: what was measured.
    ``paired``: names, mean difference with its interval, p, and p corrected for all comparisons.
    ``per_topic`` (Q,): the differences, in the order of ``topics``.
    ``topics``: the Q topics.
    ``n_raised``, ``n_lowered``: topics on which the run's value is higher, and lower, than the base's.
    """

    measure: RunMeasure
    paired: PairedComparison
    per_topic: FloatArray
    topics: tuple[str, ...]
    n_raised: int
    n_lowered: int

    @property
    def n_topics(self) -> int:
        """Q."""
        return len(self.topics)


def difference(
    run: Evaluated, base: Evaluated, seed: int, resamples: int = RESAMPLES, level: float = LEVEL
) -> tuple[Difference, ...]:
    """One run minus ``base`` on every measure that says which is better; p is not corrected yet.

    Deterministic in its arguments. Both must be measured on the same topics by the same measures, and have
    names of their own.
    """
    found = []
    for one in base.measures:
        if one.up is None:
            continue
        values = {base.name: base.of(one), run.name: run.of(one)}
        (row,) = comparisons(values, base.name, seed, resamples, level)
        found.append(_difference(one, row, values[run.name] - values[base.name], base.topics))
    return tuple(found)


def together(found: Sequence[Sequence[Difference]]) -> tuple[Difference, ...]:
    """What ``difference`` made of several runs, measure by measure, with p corrected for all of them."""
    rows = [each for of_measure in zip(*found, strict=True) for each in of_measure]
    corrected = holm([each.paired.p for each in rows])
    return tuple(
        each._replace(paired=each.paired._replace(p_holm=p)) for each, p in zip(rows, corrected, strict=True)
    )


def _difference(
    one: RunMeasure, row: PairedComparison, per_topic: FloatArray, topics: tuple[str, ...]
) -> Difference:
    raised, lowered = int((per_topic > _SAME).sum()), int((per_topic < -_SAME).sum())
    return Difference(one, row, np.asarray(per_topic), topics, raised, lowered)
