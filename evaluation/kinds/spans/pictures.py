"""The paper's figures for a study: overlap of pairs of spans (3), words in common with the reference (2)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from common.pictures import page
from common.pictures.marks import SHARES, Bar, Chart, Curve, Picture, Upright, counts
from common.tables.table import Cell, Row, Table, table
from evaluation.kinds.spans.dataset import MARKED, DatasetRow, DatasetStatistics
from evaluation.kinds.spans.marked import Found
from evaluation.metrics.spans.overlap import OverlapDistribution
from evaluation.values.tables import column, named
from evaluation.values.wording import digits, percent


class OverlapFigure(NamedTuple):
    """Figure 3 on a page.

    ``charts``: histogram and cumulative curve, placed.
    ``table``: the numbers behind them.
    ``n_pairs``: of spans.
    ``identical``: the share of pairs that are, in percent.
    """

    charts: tuple[page.PlacedChart, page.PlacedChart]
    table: Table
    n_pairs: int
    identical: str


def drawings(found: Found) -> Iterator[tuple[str, Picture]]:
    """Those for print in which there is something to see."""
    yield from drawn(found.report.overlap, found.dataset)


def drawn(overlap: OverlapDistribution, dataset: DatasetStatistics) -> Iterator[tuple[str, Picture]]:
    """Figures 3 and 2 of these numbers."""
    if overlap.n_pairs:
        yield "overlap", (histogram(overlap), cumulative(overlap))
    for row in dataset.rows:
        if row.name == MARKED:
            yield "shared-words", (shared_words(row),)


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


def shared_words(row: DatasetRow) -> Chart:
    """Spans by the number of words, and of lemmata, that they share with their reference."""
    named = [("Tokens", row.tokens.histogram)]
    if row.lemmata:
        named.append(("Lemmata", row.lemmata.histogram))
    width = 0.8 / len(named)
    bars = tuple(
        Bar(shared - 0.4 + series * width, shared - 0.4 + (series + 1) * width, spans, series=series)
        for series, (_, histogram) in enumerate(named)
        for shared, spans in enumerate(histogram)
    )
    most = max(len(histogram) for _, histogram in named) - 1
    return Chart(
        "shared-words",
        "Words in common",
        f"{row.n:,} spans by the words{' and the lemmata' if row.lemmata else ''} that they share with their "
        "reference.",
        counts(most, "Words in common")._replace(low=-0.5, high=most + 0.5),
        counts(max(max(histogram) for _, histogram in named), "Spans"),
        bars=bars,
        names=tuple(name for name, _ in named),
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
