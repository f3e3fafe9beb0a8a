"""Counts of the collection as a picture: a column a group, its number above it and its name below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from common.pictures import page
from common.pictures.marks import Bar, Chart, Scale, Tick
from common.tables.table import Cell, Column, Row, Table, table

FILLED = 0.72
"""Of a column's share of the width."""


class Columns(NamedTuple):
    """Labelled counts as a picture.

    chart: as a page draws it.
    table: the same in numbers.
    unit: what the groups are of.
    """

    chart: page.PlacedChart
    table: Table
    unit: str


def columns(
    name: str, title: str, unit: str, ticks: Sequence[str], counts: Sequence[tuple[str, int]]
) -> Columns:
    """Return a picture of labelled counts, a short tick under each column; flat where every count is 0."""
    said = "; ".join(f"{label}: {count:,}" for label, count in counts)
    chart = Chart(
        name,
        title,
        f"By {unit}. {said}.",
        Scale(0, max(1, len(counts)), tuple(Tick(at + 0.5, tick) for at, tick in enumerate(ticks))),
        Scale(0, max(1, *(count for _, count in counts), 1)),
        bars=tuple(
            Bar(at + (1 - FILLED) / 2, at + (1 + FILLED) / 2, count, f"{count:,}")
            for at, (_, count) in enumerate(counts)
        ),
    )
    return Columns(page.chart(chart, page.COLUMNS), _table(title, unit, counts), unit)


def _table(title: str, unit: str, counts: Sequence[tuple[str, int]]) -> Table:
    total = sum(count for _, count in counts)
    heads = (
        Column("group", unit[:1].upper() + unit[1:], numeric=False),
        Column("quotations", "Quotations"),
        Column("share", "Share"),
    )
    shares = [(label, count, count / total if total else 0.0) for label, count in counts]
    rows = [
        Row((Cell(label, label), Cell(f"{count:,}", count), Cell(f"{share:.1%}".replace("%", " %"), share)))
        for label, count, share in shares
    ]
    return table(heads, rows, title=title, caption=title)
