"""The numbers of a report as one list of rows, already worded. Every rendering prints these and no others.

Shares are printed in percent with one digit, coefficients with three digits and their leading zero, intervals
in square brackets in the unit of their value. A value that does not exist is an em dash, and the row carries
the reason.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import Any, NamedTuple

from evaluation.metrics.common.intervals import Interval
from evaluation.metrics.common.measure import MeasureOf
from evaluation.metrics.spans.chance.permutation import OverlapTest
from evaluation.report.compute import Report
from evaluation.report.numbers import Line

NONE = "—"
MINUS = "−"
AGREEMENT = ("fleiss_kappa", "randolph_kappa", "observed_overlap", "span_alpha", "placement_kappa")
WORDS = (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"
)  # fmt: skip


def headed(label: str) -> str:
    """With a capital, unless the label is a name in code: ``span_alpha`` stays as it is."""
    return label if "_" in label.split(" ")[0] else label[:1].upper() + label[1:]


class Row(NamedTuple):
    """One measure, worded. ``p``: empty where nothing was tested; ``mark`` is the letter of its footnote,
    empty without; ``reason`` is its text."""

    measure: MeasureOf[Any]
    line: Line
    value: str
    interval: str
    chance: str
    p: str
    jackknife: str
    n_items: int
    n_judgments: int
    mark: str
    reason: str

    @property
    def heading(self) -> str:
        return headed(self.measure.label)


def rows(report: Report) -> tuple[Row, ...]:
    """The report's measures in its own order."""
    return of_lines(report.lines)


def settled_rows(report: Report) -> tuple[Row, ...]:
    """Readers against what was settled, and below it how far they agreed, whatever was settled."""
    if report.settled is None:
        return ()
    agreed = [line for line in map(report.line, AGREEMENT) if line and line.estimate.value is not None]
    return of_lines((*report.settled.lines, *agreed)) if report.settled.lines else ()


def of_lines(lines: tuple[Line, ...]) -> tuple[Row, ...]:
    """These lines, with a letter for each that has a footnote."""
    marks = iter("abcdefghijklmnopqrstuvwxyz")
    return tuple(_row(line, next(marks) if line.estimate.reason else "") for line in lines)


def _row(line: Line, mark: str) -> Row:
    one, estimate = line.measure, line.estimate
    jackknife: Interval | None = estimate.jackknife
    return Row(
        one,
        line,
        worded(one, estimate.value),
        interval(one, estimate.low, estimate.high),
        chance(line),
        p_value(line.test) if line.test else "",
        interval(one, jackknife.low, jackknife.high) if jackknife else "",
        estimate.n_items,
        estimate.n_judgments,
        mark,
        estimate.reason,
    )


def is_share(one: MeasureOf[Any]) -> bool:
    """Whether the measure is a part of a whole and therefore printed in percent."""
    return one.range == (0.0, 1.0)


def worded(one: MeasureOf[Any], value: float | None) -> str:
    """``87.5 %`` for a share, ``0.683`` for a coefficient, ``0.417 grades``, an em dash for nothing."""
    if value is None:
        return NONE
    return percent(value) + " %" if is_share(one) else f"{digits(value, 3)} {one.unit}".rstrip()


def interval(one: MeasureOf[Any], low: float | None, high: float | None) -> str:
    """``[0.615, 0.750]``, in percent for a share; empty where there is none."""
    if low is None or high is None:
        return ""
    if is_share(one):
        return f"[{percent(low)}, {percent(high)}]"
    return f"[{digits(low, 3)}, {digits(high, 3)}]"


def chance(line: Line) -> str:
    """What guessing gives: worded like the value when enumerated, a plain 0 when 0 by definition."""
    if line.chance is None:
        return NONE
    return worded(line.measure, line.chance) if line.exact else "0"


def said(line: Line) -> str:
    """The value with its interval, as a sentence has it."""
    one, estimate = line.measure, line.estimate
    return f"{worded(one, estimate.value)} {interval(one, estimate.low, estimate.high)}".rstrip()


def p_value(test: OverlapTest) -> str:
    """``0.012``, or ``< 0.001``; no smaller than the draws can tell."""
    return NONE if test.p is None else probability(test.p)


def probability(p: float) -> str:
    """Three digits, or what it is smaller than."""
    return "< 0.001" if p < 0.001 else digits(p, 3)


def percent(value: float) -> str:
    """A share as a number of percent with one digit."""
    return digits(100 * value, 1)


def digits(value: float, places: int) -> str:
    """The number rounded half up as people do by hand, so that .6825 is 0.683 whatever its binary form."""
    exact = Decimal(repr(round(value, 10)))
    text = str(exact.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP))
    if not text.strip("-0."):
        return text.lstrip("-")
    return text.replace("-", MINUS)


def counted(number: int, one: str, many: str) -> str:
    """``three readers``: in words up to twelve, in figures beyond."""
    named = WORDS[number] if number < len(WORDS) else f"{number:,}"
    return f"{named} {one if number == 1 else many}"


def listed(names: tuple[str, ...] | list[str]) -> str:
    """``A, B and C``."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
