"""Pictures on a page, without a script: across in percent of the width, down in pixels.

They have no view box: what is placed in percent keeps its letters readable on a narrow screen. Only curves
lie in a box of their own, which is stretched, so that a line and no letter is scaled. A page shows the same
numbers in a table beside the picture, so that whoever cannot see it misses nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from common.pictures.marks import Chart, Curve, Dots, Scale, Tick

ROW, TOP, AXIS = 46, 32, 26
LABEL, BAR = 16, 30
LINE, MOST_LETTERS = 16, 44
"""A label and its words stand on one line while both have so many letters: more overlap at 320 px."""
EDGE = 1.5
LEGEND = 116
"""Pixels from one name of a curve to the next."""


class Frame(NamedTuple):
    """How a chart is laid out.

    top, tall, below: pixels above the plot, of it, and below it.
    left, right: where its scale begins and ends, in percent.
    gap: percent of the width between bars.
    css, bar, curves, dots, upright: classes of the picture and its marks.
    axis: whether a line stands under the plot.
    inward: whether the labels at both ends of the scale stand within it.
    """

    top: int = TOP
    tall: int = 180
    below: int = AXIS
    left: float = EDGE
    right: float = 100 - EDGE
    gap: float = 0.4
    css: str = "intervals"
    bar: str = "column"
    curves: tuple[str, ...] = ("curve",)
    dots: tuple[str, ...] = ("dot",)
    upright: str = "chance"
    axis: bool = False
    inward: bool = True

    @property
    def bottom(self) -> int:
        """Where the plot ends, in pixels from the top."""
        return self.top + self.tall

    def across(self, scale: Scale, value: float) -> str:
        """Return where a value stands between left and right, in percent."""
        return f"{self.left + (self.right - self.left) * scale.share(value):.2f}%"

    def down(self, scale: Scale, value: float) -> str:
        """Return where a value stands between bottom and top, in pixels from the top."""
        return f"{self.bottom - self.tall * scale.share(value):.1f}"


DIFFERENCES = Frame(top=44, tall=180, below=8, left=14, right=100, gap=0, css="intervals chart", inward=False)
COLUMNS = Frame(
    top=24, tall=168, below=28, left=0, right=100, gap=0, css="chart bars", bar="series", axis=True,
    inward=False,
)  # fmt: skip
LOSSES = Frame(
    top=44, tall=168, below=28, left=8, right=96, css="chart",
    curves=("loss-line series", "loss-line second"), dots=("series", "second hollow"), upright="axis",
    inward=False,
)  # fmt: skip


class Label(NamedTuple):
    """A label of an axis.

    at: where it stands: in percent across, in pixels on the upright scale.
    label: its words.
    anchor: which part of the words stands there: start, middle or end; empty on the upright scale.
    """

    at: str
    label: str
    anchor: str = ""


class PlacedDot(NamedTuple):
    """One value on the page; positions that it does not have are empty.

    label: its name.
    words: the value as people read it.
    at, low, high, chance: dot, ends of the interval and chance, in percent of the width.
    y_label, y_words, y: base lines of name and words, and the height of the dot, in pixels from the top.
    """

    label: str
    words: str
    at: str
    low: str
    high: str
    chance: str
    y_label: int
    y_words: int
    y: int


class PlacedDots(NamedTuple):
    """Values on the page.

    picture: what is drawn.
    dots: the values with their positions.
    ticks: labels of the axis.
    bottom: where the axis stands, in pixels from the top.
    height: of the whole, in pixels.
    """

    picture: Dots
    dots: tuple[PlacedDot, ...]
    ticks: tuple[Label, ...]
    bottom: int
    height: int


class PlacedBar(NamedTuple):
    """A bar on the page.

    x, width, middle: left edge, width and middle, in percent.
    y, height: upper edge and height, in pixels.
    words: printed above it; may be empty.
    """

    x: str
    width: str
    middle: str
    y: str
    height: str
    words: str


class PlacedCurve(NamedTuple):
    """A curve on the page.

    label: its name in the legend; may be empty.
    css: class of the line.
    mark: class of its dots.
    points: the line, in a box of 100 by 100.
    dots: pairs (across in percent, down in pixels).
    legend: where in the legend its sample line begins, has its dot and ends, and where its name begins, in
        pixels across.
    """

    label: str
    css: str
    mark: str
    points: str
    dots: tuple[tuple[str, str], ...]
    legend: tuple[int, int, int, int]


class PlacedChart(NamedTuple):
    """A chart on the page.

    chart: what is drawn.
    frame: how it is laid out.
    height: of the whole, in pixels.
    bars, curves: the marks with their positions.
    levels: labels of the upright scale.
    ticks: labels of the scale across.
    upright: position across, upper and lower end of the stroke; None without.
    ends: left edge, right edge and width of the plot, in percent.
    grid: where the lines of the grid begin and end.
    """

    chart: Chart
    frame: Frame
    height: int
    bars: tuple[PlacedBar, ...]
    curves: tuple[PlacedCurve, ...]
    levels: tuple[Label, ...]
    ticks: tuple[Label, ...]
    upright: tuple[str, str, str] | None
    ends: tuple[str, str, str]
    grid: tuple[str, str]


def dots(picture: Dots) -> PlacedDots:
    """Place each value, with its words above its interval."""

    def place(value: float | None) -> str:
        return "" if value is None else f"{EDGE + (100 - 2 * EDGE) * picture.scale.share(value):.2f}%"

    placed, bottom = [], TOP
    for each in picture.dots:
        more = LINE if len(each.label) + len(each.words) > MOST_LETTERS else 0
        at, low, high, chance = map(place, (each.value, each.low, each.high, each.chance))
        lines = (bottom + LABEL, bottom + LABEL + more, bottom + BAR + more)
        placed.append(PlacedDot(each.label, each.words, at, low, high, chance, *lines))
        bottom += ROW + more
    return PlacedDots(picture, tuple(placed), _ticks(Frame(), picture.scale), bottom, bottom + AXIS)


def chart(found: Chart, frame: Frame = Frame()) -> PlacedChart:  # noqa: B008 - a value
    """Place bars and curves in a frame."""
    half, x, y = frame.gap / 2, found.x, found.y
    inside = frame.right - frame.left
    bars = tuple(
        PlacedBar(
            f"{frame.left + inside * x.share(each.low) + half:.2f}%",
            f"{inside * (x.share(each.high) - x.share(each.low)) - 2 * half:.2f}%",
            frame.across(x, (each.low + each.high) / 2),
            frame.down(y, max(each.value, 0.0)),
            f"{frame.tall * abs(y.share(each.value) - y.share(0.0)):.1f}",
            each.words,
        )
        for each in found.bars
        if each.value or each.words
    )
    stroke = found.upright
    upright = None
    if stroke is not None:
        top = f"{frame.top}" if stroke.top is None else frame.down(y, stroke.top)
        upright = (frame.across(x, stroke.at), top, f"{frame.bottom}")
    ends = (f"{frame.left:g}%", f"{frame.right:g}%", f"{inside:g}%")
    return PlacedChart(
        chart=found,
        frame=frame,
        height=frame.bottom + frame.below,
        bars=bars,
        curves=tuple(_curve(found, frame, number, each) for number, each in enumerate(found.curves)),
        levels=tuple(Label(frame.down(y, tick.at), tick.label) for tick in y.ticks),
        ticks=_ticks(frame, x),
        upright=upright,
        ends=ends,
        grid=ends[:2] if frame.inward else ("0", "100%"),
    )


def _curve(found: Chart, frame: Frame, number: int, each: Curve) -> PlacedCurve:
    x, y = found.x, found.y
    line = _stepped(each.points) if each.stepped else each.points
    points = " ".join(f"{100 * x.share(at):.2f},{100 - 100 * y.share(value):.2f}" for at, value in line)
    dotted = tuple((frame.across(x, at), frame.down(y, value)) for at, value in each.points if each.dotted)
    first = LEGEND * number
    legend = (first, first + 12, first + 24, first + 32)
    css, mark = frame.curves[number], frame.dots[min(number, len(frame.dots) - 1)]
    return PlacedCurve(each.label, css, mark, points, dotted, legend)


def _stepped(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """With a corner before each point but the first."""
    line = list(points[:1])
    for (_, level), (at, value) in pairwise(points):
        line += [(at, level), (at, value)]
    return line


def _ticks(frame: Frame, scale: Scale) -> tuple[Label, ...]:
    return tuple(
        Label(frame.across(scale, each.at), each.label, _anchor(frame, scale, each)) for each in scale.ticks
    )


def _anchor(frame: Frame, scale: Scale, tick: Tick) -> str:
    if not frame.inward:
        return "middle"
    return {scale.low: "start", scale.high: "end"}.get(tick.at, "middle")
