"""A report's pictures for print, drawn by matplotlib. Only ``manage.py figures`` imports this module.

The same report gives the same bytes: no date and no random name is written into a file.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from evaluation.kinds.spans.dataset import MARKED
from evaluation.metrics.spans.overlap import OverlapDistribution
from evaluation.report.compute import Report
from evaluation.report.numbers import Line, SpanNumbers
from evaluation.report.rows import headed, is_share

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


def draw(report: Report, form: str) -> Iterator[Drawn]:
    """Every picture there is something to see in, as svg, png (300 dots per inch) or pdf."""
    with mpl.rc_context(STYLE):
        for name, picture in _pictures(report):
            figure = picture()
            if report.simulated:
                figure.suptitle("Simulated readers: programs, not people", fontsize=8, color=SOFT)
            yield Drawn(name, _bytes(figure, form))


def _pictures(report: Report) -> Iterator[tuple[str, Callable[[], Figure]]]:
    drawn = [line for line in report.lines if line.estimate.value is not None]
    if drawn:
        yield "measures", lambda: measures(drawn)
    spans = report.spans
    if spans is not None and spans.report.overlap.n_pairs:
        yield "overlap", lambda: overlap(spans.report.overlap)
    if spans is not None and any(row.name == MARKED for row in spans.dataset.rows):
        yield "shared-words", lambda: shared_words(spans)


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


def overlap(shown: OverlapDistribution) -> Figure:
    """Figure 3 of Manjavacas et al. 2019: (a) histogram of overlap over pairs, (b) cumulative curve."""
    figure = Figure(figsize=(6.2, 2.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.bar(
        shown.edges[:-1],
        shown.counts,
        width=0.92 * (shown.edges[1] - shown.edges[0]),
        align="edge",
        color=ACCENT,
    )
    if shown.mean is not None:
        left.axvline(shown.mean, color=INK, linewidth=1, linestyle="--")
        left.set_title(f"(a) pairs by overlap, mean {shown.mean:.3f}", fontsize=9, loc="left")
    left.set_ylabel("Pairs")
    right.step(
        [0.0, *shown.values, 1.0], [0.0, *shown.cumulative, 1.0], where="post", color=ACCENT, clip_on=False
    )
    right.set_title(f"(b) cumulative, n = {shown.n_pairs:,}", fontsize=9, loc="left")
    right.set_ylabel("Share of pairs")
    right.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    right.set_ylim(0, 1.02)
    for axes in (left, right):
        axes.set_xlim(0, 1.0)
        axes.set_xlabel("Overlap")
    return figure


def shared_words(spans: SpanNumbers) -> Figure:
    """Figure 2 there: marked spans by the number of words, and of lemmata, shared with the reference."""
    row = next(row for row in spans.dataset.rows if row.name == MARKED)
    figure = Figure(figsize=(4.2, 2.6), layout="constrained")
    axes = figure.subplots()
    series = [("Tokens", row.tokens.histogram, ACCENT)]
    if row.lemmata:
        series.append(("Lemmata", row.lemmata.histogram, SOFT))
    width = 0.8 / len(series)
    for number, (name, histogram, colour) in enumerate(series):
        places = [shared + (number - (len(series) - 1) / 2) * width for shared in range(len(histogram))]
        hatch = "" if number == 0 else "///"
        axes.bar(places, histogram, width=width, color=colour, hatch=hatch, edgecolor="white", label=name)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=12, integer=True))
    axes.set_xlabel("Words in common")
    axes.set_ylabel("Spans")
    axes.legend(frameon=False)
    return figure


def _bytes(figure: Figure, form: str) -> bytes:
    out = io.BytesIO()
    figure.savefig(out, format=form, dpi=DOTS_PER_INCH, metadata=DATES[form])
    return out.getvalue()
