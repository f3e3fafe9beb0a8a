"""The paper's Figures 2 and 3 for a study, drawn by matplotlib: only ``manage.py figures`` imports this."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from common.pictures import paper
from common.pictures.paper import ACCENT, SOFT, Picture
from evaluation.kinds.spans.dataset import MARKED
from evaluation.kinds.spans.marked import Found
from evaluation.kinds.spans.overlap_picture import cumulative, histogram
from evaluation.metrics.spans.overlap import OverlapDistribution


def drawings(found: Found) -> Iterator[Picture]:
    """Those in which there is something to see."""
    if found.report.overlap.n_pairs:
        yield "overlap", lambda: overlap(found.report.overlap)
    if any(row.name == MARKED for row in found.dataset.rows):
        yield "shared-words", lambda: shared_words(found)


def overlap(shown: OverlapDistribution) -> Figure:
    """Figure 3 of Manjavacas et al. 2019: (a) histogram of overlap over pairs, (b) cumulative curve."""
    figure = Figure(figsize=(6.2, 2.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    bins, curve = histogram(shown), cumulative(shown)
    paper.bars(left, bins, 0.92 * float(shown.edges[1] - shown.edges[0]))
    if shown.mean is not None:
        left.set_title(f"(a) pairs by overlap, mean {shown.mean:.3f}", fontsize=9, loc="left")
    left.set_ylabel(bins.y.label)
    paper.steps(right, curve)
    right.set_title(f"(b) cumulative, n = {shown.n_pairs:,}", fontsize=9, loc="left")
    right.set_ylabel(curve.y.label)
    right.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    right.set_ylim(0, 1.02)
    for axes, chart in ((left, bins), (right, curve)):
        axes.set_xlim(0, 1.0)
        axes.set_xlabel(chart.x.label)
    return figure


def shared_words(spans: Found) -> Figure:
    """Figure 2 there: marked spans by the number of words, and of lemmata, shared with the reference."""
    row = next(row for row in spans.dataset.rows if row.name == MARKED)
    figure = Figure(figsize=(4.2, 2.6), layout="constrained")
    axes = figure.subplots()
    series = [("Tokens", row.tokens.histogram, ACCENT)]
    if row.lemmata:
        series.append(("Lemmata", row.lemmata.histogram, SOFT))
    width = 0.8 / len(series)
    for number, (name, heights, colour) in enumerate(series):
        places = [shared + (number - (len(series) - 1) / 2) * width for shared in range(len(heights))]
        hatch = "" if number == 0 else "///"
        axes.bar(places, heights, width=width, color=colour, hatch=hatch, edgecolor="white", label=name)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=12, integer=True))
    axes.set_xlabel("Words in common")
    axes.set_ylabel("Spans")
    axes.legend(frameon=False)
    return figure
