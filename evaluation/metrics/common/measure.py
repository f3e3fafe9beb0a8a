"""What a measure is: a name, a sentence, a source, and one function of the items it was measured on.

A measure is written once, for many weightings of the items at the same time: ``statistic(sample, weights)``
takes weights (B, P), how many items of each row of the sample each of B resamples has, and returns (B,)
values, NaN where the resample leaves the measure undefined. The point value is the sample that was observed;
bootstrap and jackknife are other weightings of the same rows. The rows are ``Patterns`` (how often each
category was chosen), ``Ratings`` (who chose what) or, for spans, ``ItemSums``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, Self, TypeVar

import numpy as np

from evaluation.metrics.nominal.table import BoolArray, FloatArray, IntArray, Patterns


class Sample(Protocol):
    """What measures of one kind of data are computed from: P rows, each standing for equal items."""

    @property
    def items(self) -> IntArray:
        """(P,) how many items each row stands for."""

    @property
    def sizes(self) -> IntArray:
        """(P,) judgments on an item of this row."""

    @property
    def n_items(self) -> int: ...

    def keep(self, which: BoolArray) -> Self:
        """The rows where ``which`` (P,) is true."""


S = TypeVar("S", bound=Sample)
StatisticOf = Callable[[S, FloatArray], FloatArray]

_NOTHING = 1e-12


def always(sample: Sample) -> bool:
    return True


def share(sample: Sample) -> tuple[float, float]:
    """Scale and offset of a plain share (see Measure.proportion)."""
    return 1.0, 0.0


@dataclass(frozen=True)
class MeasureOf(Generic[S]):
    """One measure of samples of one kind.

    ``slug``: its name in files and addresses.
    ``label``: its name in print.
    ``definition``: what it says, in a sentence.
    ``formula``: in plain characters.
    ``source``: the publication it comes from.
    ``range``: the least and the greatest possible value, infinite where nothing bounds it.
    ``statistic(sample, weights)``: (B,) values for weights (B, P); see the head of this module.
    ``enters(sample)``: (P,) the items that count.
    ``undefined(sample)``: the sentence that says why there is no value, or None.
    ``proportion(sample)``: (scale, offset) if value = scale * mean of something in [0, 1] + offset.
    ``labelled``: whether the value changes when the options of single items are renumbered.
    ``shown(sample)``: whether a report of these data prints it.
    ``data``: the kind of data it measures.
    ``chance``: what chance means in it, in a sentence.
    ``unit``: what the value counts ("grades"); empty for shares and coefficients.
    ``left_out(sample)``: (P,) the value without one item of each row, where weights would take longer.
    """

    slug: str
    label: str
    definition: str
    formula: str
    source: str
    range: tuple[float, float]
    statistic: StatisticOf[S]
    enters: Callable[[S], BoolArray]
    undefined: Callable[[S], str | None]
    proportion: Callable[[S], tuple[float, float]] | None = None
    labelled: bool = False
    shown: Callable[[S], bool] = always
    data: str = "nominal"
    chance: str = ""
    unit: str = ""
    left_out: Callable[[S], FloatArray] | None = None

    def value(self, sample: S) -> float | None:
        """The point value, None where undefined. No check of how the options were labelled."""
        if self.undefined(sample) is not None:
            return None
        value = float(self.statistic(sample, sample.items[None, :].astype(np.float64))[0])
        return None if np.isnan(value) else value


Measure = MeasureOf[Patterns]


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
