"""The paper's Figures 2 and 3 for a study, drawn by matplotlib: only ``manage.py figures`` imports this."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from evaluation.figures.for_print import ACCENT, INK, SOFT, Picture
from evaluation.kinds.spans.dataset import MARKED
from evaluation.kinds.spans.marked import Found
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


def shared_words(spans: Found) -> Figure:
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
