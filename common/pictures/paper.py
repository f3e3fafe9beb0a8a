"""Pictures for print, drawn by matplotlib. Only ``manage.py figures`` imports this module.

The same picture gives the same bytes: no date and no random name is written into a file.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from common.pictures.marks import Chart, Dots

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


class Drawn(NamedTuple):
    """A picture as a file.

    name: of the file, without study and extension.
    data: its bytes.
    """

    name: str
    data: bytes


Picture = tuple[str, Callable[[], Figure]]


def draw(pictures: Iterable[Picture], form: str, above: str = "") -> Iterator[Drawn]:
    """Each as svg, png (300 dots per inch) or pdf, with the words ``above`` written over it."""
    with mpl.rc_context(STYLE):
        for name, picture in pictures:
            figure = picture()
            if above:
                figure.suptitle(above, fontsize=8, color=SOFT)
            out = io.BytesIO()
            figure.savefig(out, format=form, dpi=DOTS_PER_INCH, metadata=DATES[form])
            yield Drawn(name, out.getvalue())


def dots(picture: Dots) -> Figure:
    """Dot: the value; bar: its interval; upright stroke: what chance gives, where that is known."""
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


def bars(axes: Axes, chart: Chart, width: float) -> None:
    """The bars of a chart, each ``width`` wide and flush with its lower end, and its upright stroke."""
    lows, values = [each.low for each in chart.bars], [each.value for each in chart.bars]
    axes.bar(lows, values, width=width, align="edge", color=ACCENT)
    if chart.upright is not None:
        axes.axvline(chart.upright.at, color=INK, linewidth=1, linestyle="--")


def steps(axes: Axes, chart: Chart) -> None:
    """The first curve of a chart, level from point to point."""
    axes.step(*zip(*chart.curves[0].points, strict=True), where="post", color=ACCENT, clip_on=False)
