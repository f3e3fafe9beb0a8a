"""Pictures for print, drawn by matplotlib. It is imported only where a picture is asked for.

The same picture gives the same bytes: no date and no random name is written into a file.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from string import ascii_lowercase
from typing import Any, NamedTuple

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from common.pictures.marks import Chart, Dots, Grid, Picture

mpl.use("Agg")
INK, ACCENT, SOFT = "#211d18", "#7b2333", "#665d52"
STYLE: Any = {
    "font.size": 9,
    "font.family": "DejaVu Sans",
    "axes.edgecolor": SOFT,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.color": INK,
    "xtick.color": SOFT,
    "ytick.color": INK,
    "svg.hashsalt": "variorum",
    "pdf.fonttype": 42,
}
# What each format writes of its own accord and what would differ from run to run.
DATES: dict[str, dict[str, None]] = {
    "svg": {"Date": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None},
}
DOTS_PER_INCH = 300
SHADES = LinearSegmentedColormap.from_list("shades", ["white", ACCENT])
FILLS = ((ACCENT, ""), (SOFT, "///"), ("#c9a25f", "..."), (INK, "xxx"))
"""Colour and hatching of a chart's series, told apart without colours too."""
WIDTH = 0.92
"""Of a bar, as a part of what it stands over."""


class Drawn(NamedTuple):
    """A picture as a file.

    name: of the file, without study and extension.
    data: its bytes.
    """

    name: str
    data: bytes


def draw(pictures: Iterable[tuple[str, Picture]], form: str, above: str = "") -> Iterator[Drawn]:
    """Yield each picture as svg, png (300 dots per inch) or pdf, with the words ``above`` written over it."""
    with mpl.rc_context(STYLE):
        for name, picture in pictures:
            figure = drawn(picture)
            if above:
                figure.suptitle(above, fontsize=8, color=SOFT)
            out = io.BytesIO()
            figure.savefig(out, format=form, dpi=DOTS_PER_INCH, metadata=DATES[form])
            yield Drawn(name, out.getvalue())


def drawn(picture: Picture) -> Figure:
    """Draw one picture, whatever its marks."""
    match picture:
        case Dots():
            return dots(picture)
        case Grid():
            return grid(picture)
    return charts(*picture)


def dots(picture: Dots) -> Figure:
    """Draw values: a dot, a bar for the interval, and an upright stroke for chance where that is known."""
    figure = Figure(figsize=(6.2, 0.32 * len(picture.dots) + 0.7), layout="constrained")
    axes = figure.subplots()
    for y, each in enumerate(picture.dots):
        if each.low is not None and each.high is not None:
            axes.plot([each.low, each.high], [y, y], color=ACCENT, linewidth=2, solid_capstyle="round")
        if each.chance is not None:
            axes.plot([each.chance] * 2, [y - 0.3, y + 0.3], color=SOFT, linewidth=1)
        axes.plot([each.value], [y], "o", color=ACCENT, markersize=5)
    axes.set_yticks(range(len(picture.dots)), [each.label for each in picture.dots])
    axes.invert_yaxis()
    axes.set_xlim(right=1.02)
    axes.grid(axis="x", color="#ddd5c7", linewidth=0.5)
    axes.set_axisbelow(True)
    axes.tick_params(axis="y", length=0)
    return figure


def charts(*pictures: Chart) -> Figure:
    """Draw charts beside each other, with a letter each where there are several."""
    figure = Figure(figsize=(6.2 if len(pictures) > 1 else 4.2, 2.6), layout="constrained")
    beside = figure.subplots(1, len(pictures), squeeze=False)[0]
    for letter, (axes, each) in zip(ascii_lowercase, zip(beside, pictures, strict=True), strict=False):
        title = ", ".join(filter(None, (each.heading, each.words)))
        named = f"({letter}) {title}" if len(pictures) > 1 else title
        axes.set_title(named, fontsize=8, loc="left", parse_math=False)
        _bars(axes, each)
        for curve in each.curves:
            style = "steps-post" if curve.stepped else "default"
            axes.plot(*zip(*curve.points, strict=True), color=ACCENT, drawstyle=style, clip_on=False)
        _scales(axes, each)
    return figure


def _bars(axes: Axes, chart: Chart) -> None:
    """Bars flush with their lower ends, a little narrower than what they stand over; the upright stroke.

    Raises:
        ValueError: there are more series than fills that can be told apart.
    """
    if len(chart.names) > len(FILLS):
        raise ValueError(f"The chart has {len(chart.names)} series of bars; at most {len(FILLS)} are drawn.")
    for series, name in enumerate(chart.names or ("",)):
        own = [each for each in chart.bars if each.series == series]
        axes.bar(
            [each.low for each in own],
            [each.value for each in own],
            width=[WIDTH * (each.high - each.low) for each in own],
            align="edge",
            color=FILLS[series][0],
            hatch=FILLS[series][1],
            edgecolor="white",
            label=name,
        )
    if chart.names:
        axes.legend(frameon=False)
    if chart.upright is not None:
        axes.axvline(chart.upright.at, color=INK, linewidth=1, linestyle="--")


def _scales(axes: Axes, chart: Chart) -> None:
    """Both scales with their ticks; above the highest value there is a little room."""
    x, y = chart.x, chart.y
    axes.set_xlim(x.low, x.high)
    axes.set_ylim(y.low, y.high + 0.02 * (y.high - y.low))
    axes.set_xticks([each.at for each in x.ticks], [each.label for each in x.ticks])
    axes.set_yticks([each.at for each in y.ticks], [each.label for each in y.ticks])
    if y.low < 0:
        axes.axhline(0, color=INK, linewidth=0.8)
    axes.set_xlabel(x.label)
    axes.set_ylabel(y.label)


def grid(picture: Grid) -> Figure:
    """Draw squares, the darker the larger their share, with their words in them."""
    longest = max(map(len, picture.rows), default=0)
    figure = Figure(figsize=(3.8 + 0.09 * longest, 3.6), layout="constrained")
    axes = figure.subplots()
    axes.imshow([[cell.share for cell in row] for row in picture.cells], cmap=SHADES, vmin=0, vmax=1)
    for down, row in enumerate(picture.cells):
        for across, cell in enumerate(row):
            colour = "white" if cell.share > 0.5 else INK
            axes.text(across, down, cell.words, ha="center", va="center", color=colour, fontsize=8)
    axes.set_ylabel(picture.down)
    axes.set_xlabel(picture.across)
    # A name is words: between two dollar signs matplotlib would set mathematics, or stop where it is none.
    axes.set_yticks(range(len(picture.rows)), picture.rows, parse_math=False)
    axes.set_xticks(range(len(picture.columns)), picture.columns, parse_math=False)
    axes.tick_params(length=0)
    return figure
