"""What a picture shows: dots with intervals, bars, curves, their scales, and words for those who do not see.

Numbers only. Where a mark stands, in percent and pixels or in inches, is for those who draw to say.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import count
from typing import NamedTuple


class Tick(NamedTuple):
    """A labelled value of a scale.

    at: the value.
    label: what stands there.
    """

    at: float
    label: str


class Scale(NamedTuple):
    """An axis.

    low, high: its first and last value.
    ticks: its labelled values.
    label: what is measured; empty where the title says it.
    """

    low: float
    high: float
    ticks: tuple[Tick, ...] = ()
    label: str = ""

    def share(self, value: float) -> float:
        """Return how far along the scale the value lies, from 0 to 1; a lower value is at its beginning."""
        return (max(value, self.low) - self.low) / (self.high - self.low)


class Dot(NamedTuple):
    """One value with its interval.

    label: its name.
    words: the value as people read it.
    value: where the dot stands.
    low, high: ends of the interval; None without one.
    chance: the value that chance gives; None where there is none.
    """

    label: str
    words: str
    value: float
    low: float | None = None
    high: float | None = None
    chance: float | None = None


class Dots(NamedTuple):
    """Values below each other on one scale.

    name: its id on a page.
    title, described: the picture in a few words, and in sentences.
    dots: the values, from the top.
    scale: the axis they share.
    """

    name: str
    title: str
    described: str
    dots: tuple[Dot, ...]
    scale: Scale


class Bar(NamedTuple):
    """A bar over a part of the scale. It stands on 0, or hangs from it where its value is below.

    low, high: where it begins and ends on the scale across.
    value: where it ends on the upright scale.
    words: printed above it; may be empty.
    series: the place of its name among those of the chart.
    """

    low: float
    high: float
    value: float
    words: str = ""
    series: int = 0


class Curve(NamedTuple):
    """A line through points.

    label: its name in the legend, empty where it is the only one.
    points: pairs (x, y) in the order in which they are joined.
    dotted: whether each point has a dot.
    stepped: whether it is level from one point to the next.
    """

    label: str
    points: tuple[tuple[float, float], ...]
    dotted: bool = False
    stepped: bool = False


class Upright(NamedTuple):
    """An upright stroke from the foot of the chart.

    at: where it stands on the scale across.
    top: the height it reaches; None for all of it.
    """

    at: float
    top: float | None = None


class Chart(NamedTuple):
    """Bars or curves over a scale.

    name: its id on a page.
    title, described: the picture in a few words, and in sentences.
    x, y: the scales across and upright.
    bars: none where it has curves.
    curves: none where it has bars.
    upright: a stroke that marks one value; None without.
    heading, words: printed at its upper corners; empty where the page says it.
    names: of the series of its bars, for a legend; empty where there is one.
    """

    name: str
    title: str
    described: str
    x: Scale
    y: Scale
    bars: tuple[Bar, ...] = ()
    curves: tuple[Curve, ...] = ()
    upright: Upright | None = None
    heading: str = ""
    words: str = ""
    names: tuple[str, ...] = ()


class Shade(NamedTuple):
    """A square of a grid.

    words: printed in it.
    share: how dark it is, from 0 to 1.
    """

    words: str
    share: float


class Grid(NamedTuple):
    """Squares in rows and columns.

    rows, columns: the name of each.
    cells: a row of squares for each name.
    down, across: what the rows are, and what the columns.
    name: its id on a page.
    title, described: the picture in a few words, and in sentences.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[Shade, ...], ...]
    down: str
    across: str
    name: str = "grid"
    title: str = ""
    described: str = ""


Picture = Dots | Grid | tuple[Chart, ...]
"""What is drawn for print; charts stand beside each other."""

QUARTERS = tuple(Tick(quarter / 4, f"{25 * quarter} %") for quarter in range(5))
SHARES = Scale(0.0, 1.0, QUARTERS)


def counts(most: int, label: str = "") -> Scale:
    """Make a scale from 0 to ``most`` with at most five round ticks."""
    ticks = tuple(Tick(number, f"{number:,}") for number in range(0, most + 1, round_step(most)))
    return Scale(0, max(most, 1), ticks, label)


def coefficients(values: Iterable[float], worded: str = "{:.2f}") -> Scale:
    """Make a scale that ends at 1 and begins at 0, or as far below as these values need."""
    least, step = min(values, default=0.0), 0.25
    if least < 0:
        least = math.floor(2 * least) / 2
        step = 0.5 if least >= -1 else math.ceil((1 - least) / 4)
    least = min(least, 0.0)
    steps = math.floor((1 - least) / step + 1e-9)
    at = [1 - (steps - number) * step for number in range(steps + 1)]
    ticks = tuple(Tick(value, worded.format(value).replace("-", "−")) for value in at)
    return Scale(least, 1.0, ticks)


def round_step(most: int) -> int:
    """Return 1, 2 or 5 times a power of ten: the smallest step of which at most four fit into ``most``."""
    steps = (first * int(10**power) for power in count() for first in (1, 2, 5))
    return next(step for step in steps if most // step <= 4)
