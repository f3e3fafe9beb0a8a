"""What a nominal measure is: a name, a sentence, a source, and one function of the patterns.

A measure is written once, for many weightings of the patterns at the same time: ``statistic(patterns,
weights)`` takes weights (B, P), how many items each of B samples has of each pattern, and returns (B,)
values, NaN where the sample leaves the measure undefined. The point value is the sample that was observed;
bootstrap and jackknife are other weightings of the same patterns.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from evaluation.metrics.table import BoolArray, FloatArray, Patterns

Statistic = Callable[[Patterns, FloatArray], FloatArray]

_NOTHING = 1e-12


def always(patterns: Patterns) -> bool:
    return True


def share(options: int) -> tuple[float, float]:
    """Scale and offset of a plain share (see Measure.proportion)."""
    return 1.0, 0.0


@dataclass(frozen=True)
class Measure:
    """One measure.

    ``range``: the least and the greatest possible value, -inf where nothing bounds it below.
    ``enters(patterns)`` (P,) bool: the items that count; ``undefined(patterns)``: why there is no value, or
    None; ``proportion(q)``: ``(scale, offset)`` if value = scale * mean of something in [0, 1] + offset, else
    None; ``labelled``: whether the value changes when the options of single items are
    renumbered; ``shown(patterns)``: whether a report of these data prints it.
    """

    slug: str
    label: str
    definition: str
    formula: str
    source: str
    range: tuple[float, float]
    statistic: Statistic
    enters: Callable[[Patterns], BoolArray]
    undefined: Callable[[Patterns], str | None]
    proportion: Callable[[int], tuple[float, float]] | None = None
    labelled: bool = False
    shown: Callable[[Patterns], bool] = always
    data: str = "nominal"

    def value(self, patterns: Patterns) -> float | None:
        """The point value, None where undefined. No check of how the options were labelled."""
        if self.undefined(patterns) is not None:
            return None
        value = float(self.statistic(patterns, patterns.items[None, :].astype(np.float64))[0])
        return None if np.isnan(value) else value


def ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """numerator / denominator, NaN where the denominator is nothing."""
    result = np.full(np.broadcast_shapes(numerator.shape, denominator.shape), np.nan)
    np.divide(numerator, denominator, out=result, where=np.abs(denominator) > _NOTHING)
    return result


def chance_corrected(observed: FloatArray, expected: FloatArray) -> FloatArray:
    """(observed - expected) / (1 - expected), NaN where expected is 1."""
    return ratio(observed - expected, 1.0 - expected)


def mean_over(weights: FloatArray, enters: BoolArray, values: FloatArray) -> FloatArray:
    """(B,) mean of ``values`` (P,) over the items that enter (P,), one mean per row of weights (B, P)."""
    entering = np.asarray(enters, dtype=np.float64)
    return ratio(weights @ (entering * values), weights @ entering)
