"""What is computed of a study, whatever its kind of data: measures with their values, and as rows worded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from evaluation.metrics.common.clusters import over_items
from evaluation.metrics.common.intervals import Estimate
from evaluation.metrics.common.jackknife import LOGIT, PLAIN, ROOT, WILSON, WILSON_OF_EQUAL
from evaluation.metrics.common.measure import MeasureOf
from evaluation.metrics.nominal.accuracy import AnnotatorAccuracy
from evaluation.values.wording import NONE, headed, interval, probability, worded

SHORT = {PLAIN: "t", LOGIT: "logit-t", ROOT: "root-t", WILSON: "Wilson", WILSON_OF_EQUAL: "Wilson"}
"""How an interval was made, in the word that stands beside it."""


class ChanceTest(NamedTuple):
    """Whether chance could have given as much.

    ``p``: the probability that it does, None where that cannot be said.
    ``method``: how p was found.
    """

    p: float | None
    method: str


class Line(NamedTuple):
    """One measure with its value.

    ``measure``: what is measured.
    ``estimate``: its value and interval.
    ``chance``: what guessing gives, None where that is not known.
    ``exact``: whether chance was enumerated for this study; else it is 0 by the coefficient's definition.
    ``test``: of the value against chance, None where there is none.
    """

    measure: MeasureOf[Any]
    estimate: Estimate
    chance: float | None
    exact: bool
    test: ChanceTest | None = None


class LeftOutRange(NamedTuple):
    """How far a measure moves when each annotator is left out in turn.

    ``measure``: what is measured.
    ``low``, ``high``: the least and the greatest value.
    ``without_low``, ``without_high``: the pseudonym of the annotator without whom it is that.
    """

    measure: MeasureOf[Any]
    low: float
    without_low: str
    high: float
    without_high: str


def left_out_range(
    measure: MeasureOf[Any], values: Iterable[tuple[float | None, str]]
) -> Iterator[LeftOutRange]:
    """The range of these values, each with who is left out; nothing where none exists."""
    found = [(value, pseudonym) for value, pseudonym in values if value is not None]
    if found:
        yield LeftOutRange(measure, *min(found), *max(found))


class Numbers(NamedTuple):
    """All numbers of a study.

    ``lines``: its measures in the order in which they are printed; ``accuracies``: annotators against gold;
    ``left_out``: what the numbers are without each annotator; ``found``: what only this kind of data has. No
    page looks into ``found``: it goes back to the kind, which makes sentences, tables and pictures of it.
    """

    lines: tuple[Line, ...] = ()
    accuracies: tuple[AnnotatorAccuracy, ...] = ()
    left_out: tuple[LeftOutRange, ...] = ()
    found: Any = None


class MeasureRow(NamedTuple):
    """One measure, worded.

    ``measure``, ``line``: what is worded here.
    ``value``, ``interval``, ``chance``: a dash or nothing where there is none.
    ``p``: empty where nothing was tested.
    ``method``: how the interval was made, in a word or two; empty without one.
    ``n_items``, ``n_judgments``: what enters the measure.
    ``reason``: why it has no value or no interval, or empty.
    """

    measure: MeasureOf[Any]
    line: Line
    value: str
    interval: str
    chance: str
    p: str
    method: str
    n_items: int
    n_judgments: int
    reason: str

    @property
    def heading(self) -> str:
        return headed(self.measure.label)


def rows_of(lines: Sequence[Line]) -> tuple[MeasureRow, ...]:
    """These lines, worded."""
    return tuple(map(_row, lines))


def _row(line: Line) -> MeasureRow:
    one, estimate = line.measure, line.estimate
    return MeasureRow(
        one,
        line,
        worded(one, estimate.value),
        interval(one, estimate.low, estimate.high),
        chance(line),
        p_value(line.test) if line.test else "",
        SHORT.get(over_items(estimate.method), estimate.method),
        estimate.n_items,
        estimate.n_judgments,
        estimate.reason,
    )


def chance(line: Line) -> str:
    """What guessing gives: worded like the value when enumerated, without its unit; 0 when by definition."""
    if line.chance is None:
        return NONE
    return worded(line.measure, line.chance).removesuffix(f" {line.measure.unit}") if line.exact else "0"


def said(line: Line) -> str:
    """The value with its interval, as a sentence has it."""
    one, estimate = line.measure, line.estimate
    return f"{worded(one, estimate.value)} {interval(one, estimate.low, estimate.high)}".rstrip()


def p_value(test: ChanceTest) -> str:
    """``0.012``, or ``< 0.001``; no smaller than the draws can tell."""
    return NONE if test.p is None else probability(test.p)
