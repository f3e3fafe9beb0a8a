"""The paper's Figure 3 for a study: histogram of overlap over pairs of spans, and its cumulative curve."""

from __future__ import annotations

from typing import NamedTuple

from common.pictures import page
from common.pictures.marks import SHARES, Bar, Chart, Curve, Upright, counts
from common.tables.table import Cell, Row, Table, table
from evaluation.metrics.spans.overlap import OverlapDistribution
from evaluation.values.tables import column, named
from evaluation.values.wording import digits, percent


class OverlapFigure(NamedTuple):
    """Both charts as a page draws them, the table behind them, and the share of pairs that are identical."""

    charts: tuple[page.PlacedChart, page.PlacedChart]
    table: Table
    n_pairs: int
    identical: str


def overlap_figure(shown: OverlapDistribution) -> OverlapFigure | None:
    """None where no pair of spans can be compared."""
    if shown.mean is None or shown.identical is None:
        return None
    charts = page.chart(histogram(shown)), page.chart(cumulative(shown))
    return OverlapFigure(charts, _table(shown), shown.n_pairs, f"{percent(shown.identical)} %")


def histogram(shown: OverlapDistribution) -> Chart:
    """Pairs by their overlap, and where the mean is."""
    bins = _bins(shown)
    low, high, most = max(bins, key=lambda each: each[2])
    mean = "" if shown.mean is None else f"{percent(shown.mean)} %"
    return Chart(
        "overlap",
        "Histogram of overlap",
        f"{shown.n_pairs:,} pairs of spans; the mean O_o is {mean}. Most pairs, {most:,}, overlap by "
        f"{_percent(low)} to {_percent(high)}.",
        SHARES._replace(label="Overlap"),
        counts(most, "Pairs"),
        bars=tuple(Bar(low, high, pairs) for low, high, pairs in bins),
        upright=None if shown.mean is None else Upright(shown.mean),
        heading="Pairs by their overlap O",
        words=f"O_o {mean}",
    )


def cumulative(shown: OverlapDistribution) -> Chart:
    """The share of pairs with at most so much overlap, from (0, 0) to (1, 1)."""
    points = zip(shown.values.tolist(), shown.cumulative.tolist(), strict=True)
    entirely = "" if shown.identical is None else f"{percent(shown.identical)} %"
    return Chart(
        "cumulative",
        "Cumulative overlap",
        f"Share of pairs that overlap by at most so much; {entirely} overlap entirely.",
        SHARES._replace(label="Overlap"),
        SHARES._replace(label="Share of pairs"),
        curves=(Curve("", ((0.0, 0.0), *points, (1.0, 1.0)), stepped=True),),
        heading="Share of pairs with at most this overlap",
    )


def _bins(shown: OverlapDistribution) -> list[tuple[float, float, int]]:
    edges = shown.edges.tolist()
    return list(zip(edges[:-1], edges[1:], shown.counts.tolist(), strict=True))


def _table(shown: OverlapDistribution) -> Table:
    rows, so_far = [], 0
    for low, high, pairs in _bins(shown):
        so_far += pairs
        shares = (pairs / shown.n_pairs, so_far / shown.n_pairs)
        name = f"{_percent(low)} to {_percent(high)}"
        cells = [Cell(f"{percent(share)} %", share) for share in shares]
        rows.append(Row((Cell(name, low), Cell(str(pairs), pairs), *cells)))
    columns = (named("overlap"), *map(column, ("pairs", "share", "cumulative")))
    caption = "Pairs of spans by overlap; the last row includes identical pairs."
    return table(columns, rows, title="Pairs by overlap", caption=caption)


def _percent(share: float) -> str:
    return f"{digits(100 * share, 0)} %"
