"""The tables of a study's report as values: its measures, its readers, and readers against decisions."""

from __future__ import annotations

from collections.abc import Iterable

from common.tables.table import About, Cell, Column, Row, Section, Table, table
from evaluation.values import lines
from evaluation.values.report import Report
from evaluation.values.wording import headed

AGAINST = "against decisions"
AMONG = "among readers"


def measures(report: Report, found: Iterable[lines.MeasureRow]) -> Table:
    """A measure a row, for text: with a column for each number."""
    rows = tuple(found)
    tested = any(row.p for row in rows)
    return table(_columns(report, tested), [_measure(row, tested) for row in rows])


def paper(report: Report, caption: str) -> Table:
    """The measures, and below them readers against decisions under a heading of their own."""
    settled = lines.rows_of(report.settled.lines) if report.settled else ()
    every = (*report.rows, *settled)
    tested = any(row.p for row in every)
    sections = [Section(tuple(_measure(row, tested) for row in report.rows))]
    if settled:
        rows = tuple(_measure(row, tested) for row in settled)
        sections.append(Section(rows, "Against what was settled"))
    return Table(tuple(_columns(report, tested)), tuple(sections), caption=caption)


def page(report: Report) -> Table:
    """The measures for a page: each with what it is, and below its interval how that was made."""
    tested = any(row.p for row in report.rows)
    rows = [
        _measure(row, tested)._replace(name=row.measure.slug, about=_about(report, row))
        for row in report.rows
    ]
    caption = f"Each with its 95 % interval, what {report.own.guessing} gives, and what stands behind it."
    return table(_beneath_columns(report, tested), map(_beneath, rows), caption=caption)


def _beneath_columns(report: Report, tested: bool) -> list[Column]:
    """Those of a page, where the name of an interval's method stands below it."""
    return [column for column in _columns(report, tested) if column.name != "method"]


def _beneath(row: Row) -> Row:
    name, value, interval, method, *others = row.cells
    return row._replace(cells=(name, value, interval._replace(below=method.words), *others))


def _about(report: Report, row: lines.MeasureRow) -> About:
    one, chance = row.measure, row.measure.chance if report.own.chance_differs else ""
    return About(one.definition, one.formula, one.source, row.line.estimate.method, chance)


def settled_page(report: Report) -> Table | None:
    """Readers against decisions, and below it how far they agreed; None without any decision."""
    if report.settled is None or not report.settled_rows:
        return None
    rows = []
    for found in report.settled_rows:
        row = _beneath(_measure(found, False))
        against = found.line in report.settled.lines
        name = row.cells[0]._replace(
            badge=AGAINST if against else AMONG, badge_kind="" if against else "soft"
        )
        rows.append(row._replace(cells=(name, *row.cells[1:]), about=About("")))
    caption = (
        "Accuracy against the adjudicated layer, and below it the readers’ agreement, which does not know "
        "that layer"
    )
    return table(_beneath_columns(report, False), rows, caption=caption)


def _columns(report: Report, tested: bool) -> list[Column]:
    statistic = report.own.tested
    return [
        Column("measure", "Measure", numeric=False, short=""),
        Column("value", "Value", main=True, short="value"),
        Column("interval", "95 % interval"),
        Column("method", "By", numeric=False, short="by"),
        Column("random", "Random", short="random"),
        *([Column("p", f"p of {statistic}", latex=f"$p$ of ${statistic}$")] if tested else []),
        Column("n_items", "Items", short="items"),
        Column("n_judgments", "Answers", short="answers"),
    ]


def _measure(row: lines.MeasureRow, tested: bool) -> Row:
    test = row.line.test
    cells = [
        Cell(headed(row.measure.label), row.measure.slug, short=row.measure.label),
        Cell(row.value, row.line.estimate.value, note=row.reason),
        Cell(row.interval),
        Cell(row.method),
        Cell(row.chance, row.line.chance),
        *([Cell(row.p, test.p if test else None)] if tested else []),
        *(Cell(str(n), n, short=f"{n:,}") for n in (row.n_items, row.n_judgments)),
    ]
    return Row(tuple(cells))


def readers(report: Report) -> Table:
    """A reader a row in the order in which they joined, and all of them together."""
    columns = [Column("reader", "Reader", numeric=False, short="reader")]
    columns += [Column(each.short, each.heading, short=each.short) for each in report.own.columns]
    rows = [
        Row(
            (
                Cell(
                    each.pseudonym,
                    each.pseudonym,
                    badge="Simulated" if each.simulated else "",
                    badge_kind="note",
                ),
                *(Cell(column.cells[who]) for column in report.own.columns),
            )
        )
        for who, each in enumerate(report.readers)
    ]
    totals = Row((Cell("Together"), *(Cell(column.total) for column in report.own.columns)))
    caption = "Pseudonyms only. A reader’s interval is Wilson’s; "
    caption += "the time is the median of active seconds an answer."
    return table(columns, rows, caption=caption, totals=totals)
