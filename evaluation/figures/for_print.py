"""A report's pictures for print, drawn by matplotlib. Only ``manage.py figures`` imports this module.

The same report gives the same bytes: no date and no random name is written into a file.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import matplotlib as mpl
from matplotlib.figure import Figure

from evaluation.values.lines import Line
from evaluation.values.wording import headed, is_share

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
    """``name``: of the file, without study and extension."""

    name: str
    data: bytes


Picture = tuple[str, Callable[[], Figure]]


def draw(lines: Sequence[Line], others: Iterable[Picture], form: str, *, simulated: bool) -> Iterator[Drawn]:
    """The measures and then ``others``, as svg, png (300 dots per inch) or pdf.

    ``simulated``: whether readers were programs, which is then written over every picture.
    """
    drawn = [line for line in lines if line.estimate.value is not None and line.measure.range[1] <= 1]
    first: list[Picture] = [("measures", lambda: measures(drawn))] if drawn else []
    with mpl.rc_context(STYLE):
        for name, picture in (*first, *others):
            figure = picture()
            if simulated:
                figure.suptitle("Simulated readers: programs, not people", fontsize=8, color=SOFT)
            yield Drawn(name, _bytes(figure, form))


def measures(lines: list[Line]) -> Figure:
    """Dot: the value; bar: its interval; upright stroke: what chance gives, where that is known."""
    figure = Figure(figsize=(6.2, 0.32 * len(lines) + 0.7), layout="constrained")
    axes = figure.subplots()
    for y, line in enumerate(lines):
        found = line.estimate
        if found.low is not None and found.high is not None:
            axes.plot([found.low, found.high], [y, y], color=ACCENT, linewidth=2, solid_capstyle="round")
        if line.chance is not None:
            axes.plot([line.chance] * 2, [y - 0.3, y + 0.3], color=SOFT, linewidth=1)
        axes.plot([found.value or 0.0], [y], "o", color=ACCENT, markersize=5)
    names = [headed(line.measure.label) + (" (share)" if is_share(line.measure) else "") for line in lines]
    axes.set_yticks(range(len(lines)), names)
    axes.invert_yaxis()
    axes.set_xlim(right=1.02)
    axes.grid(axis="x", color="#ddd5c7", linewidth=0.5)
    axes.set_axisbelow(True)
    axes.tick_params(axis="y", length=0)
    return figure


def _bytes(figure: Figure, form: str) -> bytes:
    out = io.BytesIO()
    figure.savefig(out, format=form, dpi=DOTS_PER_INCH, metadata=DATES[form])
    return out.getvalue()
