"""Where the marks of the results page's pictures stand, in percent of the picture's width.

The pictures have no view box: what is placed in percent keeps its letters readable on a narrow screen. They
show what the tables beside them say, so that whoever cannot see them misses nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from evaluation.values.lines import Line
from evaluation.values.report import Report
from evaluation.values.wording import digits, headed, interval, is_share, percent, worded

ROW, TOP, AXIS = 46, 32, 26
LABEL, BAR = 16, 30
LINE, MOST_LETTERS = 16, 44
"""A label and its words stand on one line while both have so many letters: more overlap at 320 px."""
EDGE = 1.5


class Mark(NamedTuple):
    """One value: its words, and where dot, interval and chance stand; empty where there is none."""

    label: str
    words: str
    at: str
    low: str
    high: str
    chance: str
    y_label: int
    y_words: int
    y: int


class Tick(NamedTuple):
    at: str
    label: str
    anchor: str


class Panel(NamedTuple):
    """One picture. ``bottom``: where the axis is; ``height``: of the whole, in pixels."""

    name: str
    title: str
    description: str
    marks: tuple[Mark, ...]
    ticks: tuple[Tick, ...]
    bottom: int
    height: int


class Bar(NamedTuple):
    size: int
    items: int
    width: str


class Spread(NamedTuple):
    """How many items have so many of something. ``what``: is counted; ``note``: of the table."""

    bars: tuple[Bar, ...]
    what: str
    note: str


class Value(NamedTuple):
    label: str
    words: str
    value: float
    low: float | None
    high: float | None
    chance: float | None


def panels(report: Report) -> tuple[Panel, ...]:
    """Shares, coefficients and readers: a picture each, none for what has no value or is no part of 1."""
    drawn = [line for line in report.lines if line.estimate.value is not None and line.measure.range[1] <= 1]
    shares = [_value(line) for line in drawn if is_share(line.measure)]
    kappas = [_value(line) for line in drawn if not is_share(line.measure)]
    titles = report.own.panels
    readers = [
        Value(
            each.pseudonym + (" (simulated)" if each.simulated else ""),
            f"{percent(each.accuracy)} % [{percent(each.low)}, {percent(each.high)}]",
            each.accuracy,
            each.low,
            each.high,
            titles.guess,
        )
        for each in report.readers
        if each.accuracy is not None and each.low is not None and each.high is not None
    ]
    return tuple(
        panel(name, title, values, share)
        for name, title, values, share in (
            ("shares", titles.shares, shares, True),
            ("coefficients", titles.coefficients, kappas, False),
            ("readers", titles.readers, readers, True),
        )
        if values
    )


def bars(histogram: Mapping[int, int]) -> tuple[Bar, ...]:
    """Of {answers: items}; the longest bar is 100 % wide."""
    most = max(histogram.values(), default=1)
    return tuple(Bar(size, items, f"{100 * items / most:.2f}%") for size, items in sorted(histogram.items()))


def _value(line: Line) -> Value:
    one, estimate = line.measure, line.estimate
    assert estimate.value is not None  # noqa: S101 - panels() asked
    words = f"{worded(one, estimate.value)} {interval(one, estimate.low, estimate.high)}".rstrip()
    return Value(one.label, words, estimate.value, estimate.low, estimate.high, line.chance)


def panel(name: str, title: str, values: list[Value], share: bool) -> Panel:
    least, step = (0.0, 0.25) if share else _axis(values)

    def place(value: float | None) -> str:
        if value is None:
            return ""
        return f"{EDGE + (100 - 2 * EDGE) * (max(value, least) - least) / (1 - least):.2f}%"

    marks, bottom = [], TOP
    for each in values:
        more = LINE if len(each.label) + len(each.words) > MOST_LETTERS else 0
        marks.append(
            Mark(
                headed(each.label),
                each.words,
                place(each.value),
                place(each.low),
                place(each.high),
                place(each.chance),
                bottom + LABEL,
                bottom + LABEL + more,
                bottom + BAR + more,
            )
        )
        bottom += ROW + more
    described = "; ".join(f"{each.label} {each.words}" for each in values)
    ticks = tuple(_ticks(least, step, share, place))
    return Panel(name, title, f"{described}.", tuple(marks), ticks, bottom, bottom + AXIS)


def _axis(values: list[Value]) -> tuple[float, float]:
    """Where the axis of coefficients begins (0 or as far below as needed), and the step of its ticks."""
    lowest = min(min(each.value, 0.0 if each.low is None else each.low) for each in values)
    if lowest >= 0:
        return 0.0, 0.25
    least = math.floor(2 * lowest) / 2
    return least, 0.5 if least >= -1 else math.ceil((1 - least) / 4)


def _ticks(least: float, step: float, share: bool, place: Callable[[float | None], str]) -> Iterator[Tick]:
    steps = math.floor((1 - least) / step + 1e-9)
    for number in range(steps + 1):
        value = 1 - (steps - number) * step
        label = f"{round(100 * value)} %" if share else digits(value, 2)
        anchor = "end" if number == steps else "start" if value == least else "middle"
        yield Tick(place(value), label, anchor)
