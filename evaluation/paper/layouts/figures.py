"""Manjavacas et al.'s Figures 2 and 3, drawn of the study's spans; a table holds the numbers of each."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from common.errors import BadInput
from common.pictures.marks import Chart, Dots, Grid, Picture
from common.tables.table import Cell, Column, Row, Table, table
from evaluation.kinds.registry import kind_of
from evaluation.paper.layouts import manjavacas_1
from evaluation.paper.values import Asked, Filled, Layout
from evaluation.report.compute import report
from evaluation.report.sentences import warning


class Drawing(NamedTuple):
    """A figure of the paper.

    number: as the paper has it; name: of the picture, as the kind of data calls it.
    title: what it shows; caption: how it is read.
    nothing: why it cannot be drawn where it is not there.
    """

    number: int
    name: str
    title: str
    caption: str
    nothing: str


DRAWINGS = (
    Drawing(
        2,
        "shared-words",
        "Words that spans share with their references",
        "Spans that readers marked by how many words each shares with its reference",
        "No span was marked yet.",
    ),
    Drawing(
        3,
        "overlap",
        "Overlap of two readers’ spans",
        "Overlap O of each two spans that readers marked on one item, as a histogram with the mean, and "
        "cumulative",
        "No two readers have marked a span on one item yet.",
    ),
)


def fill(drawing: Drawing, asked: Asked) -> Filled:
    """The figure, and the numbers that it shows as a table."""
    found = report(asked.study, resamples=asked.resamples)
    drawn = {} if found.problem else dict(kind_of(asked.study).drawings(found))
    if drawing.name not in drawn:
        reason = found.problem or drawing.nothing
        raise BadInput(f"manjavacas-figure-{drawing.number} cannot be filled. {reason}")
    picture = drawn[drawing.name]
    said = [each.described for each in charts(picture)]
    # A histogram shows counts: nothing is resampled, and what is drawn has no interval.
    caption = f"{drawing.caption}: {found.title}. {' '.join(said)}"
    return Filled(
        layout=f"manjavacas-figure-{drawing.number}",
        study=found.slug,
        table=numbers(picture)._replace(caption=caption),
        notes=("The figure shows counts of this study’s spans; nothing is resampled.",),
        seed=found.seed,
        resamples=found.resamples,
        computed=found.computed,
        version=found.version,
        warning=warning(found),
        pictures=((drawing.name, picture),),
    )


def charts(picture: Picture) -> tuple[Chart, ...]:
    """Return the charts of a picture that is of charts."""
    return () if isinstance(picture, Dots | Grid) else picture


def numbers(picture: Picture) -> Table:
    """The bars of a picture as a table: where each begins and ends, and how high it is."""
    rows = [
        Row(
            (
                Cell(" ".join(filter(None, (chart.x.label, _of(chart, bar.series)))), chart.name),
                Cell(f"{bar.low:g}" if chart.x.low == 0 else f"{round((bar.low + bar.high) / 2)}", bar.low),
                Cell(f"{bar.high:g}" if chart.x.low == 0 else "", bar.high),
                Cell(f"{bar.value:,.0f}", bar.value),
            )
        )
        for chart in charts(picture)
        for bar in chart.bars
    ]
    columns = (
        Column("chart", "What", numeric=False),
        Column("from", "From"),
        Column("to", "To"),
        Column("count", "Count"),
    )
    return table(columns, rows)


def _of(chart: Chart, series: int) -> str:
    return f"({chart.names[series].lower()})" if chart.names else ""


LAYOUTS = tuple(
    Layout(
        f"manjavacas-figure-{each.number}",
        f"Figure {each.number}",
        each.title,
        manjavacas_1.NEEDS,
        manjavacas_1.missing,
        partial(fill, each),
    )
    for each in DRAWINGS
)
