"""The three tables laid out: measures a row, systems a column, the paper’s values beneath."""

from __future__ import annotations

from collections.abc import Iterator

from common.tables.table import NONE, Cell, Column, Row, Section, Table, table
from evaluation.allusion import published
from evaluation.allusion.systems import ORACLE, WORDS
from evaluation.allusion.values import LABELS, MEASURES, AllusionTable, ColumnOf, Measured
from evaluation.metrics.ranking.measures import RunMeasure
from evaluation.values.wording import digits, percent, probability

INTERVALS = "95 % intervals"
PAPER = "Paper"


def main(found: AllusionTable) -> Table:
    """Return the table itself, its intervals below the values."""
    columns = (
        Column("measure", "Measure", numeric=False),
        *(Column(each.key, each.label, group=each.group) for each in found.columns),
    )
    sections = tuple(Section(tuple(_rows(found, one))) for one in MEASURES)
    return Table(columns, sections, title=found.title, beneath=INTERVALS)


def _rows(found: AllusionTable, one: RunMeasure) -> Iterator[Row]:
    for words in WORDS:
        most = _most(found, one, words)
        name = f"{LABELS[one.slug]}, {words}"
        cells = (_cell(found.cells.get((each.key, words)), one, most) for each in found.columns)
        yield Row((Cell(name, name), *cells))
        printed = [_printed(found, each, one, words) for each in found.columns]
        if any(value is not None for value in printed):
            yield Row(
                (
                    Cell(f"{PAPER}: {name}", name, short=PAPER),
                    *(Cell("" if value is None else digits(value, 2), value) for value in printed),
                ),
                aside=True,
            )


def _most(found: AllusionTable, one: RunMeasure, words: str) -> float | None:
    """The highest value of a row; the oracle's is none."""
    cells = [each for (key, of), each in found.cells.items() if of == words and key != ORACLE]
    values = (each.mean(one).mean.value for each in cells)
    return max((value for value in values if value is not None), default=None)


def _cell(each: Measured | None, one: RunMeasure, most: float | None) -> Cell:
    if each is None:
        return Cell(NONE)
    mean = each.mean(one).mean
    if mean.value is None:
        return Cell(NONE, note=mean.reason)
    return Cell(percent(mean.value), mean.value, below=interval(mean.low, mean.high), loud=mean.value == most)


def _printed(found: AllusionTable, column: ColumnOf, one: RunMeasure, words: str) -> float | None:
    if not found.printed or not column.printed:
        return None
    return published.PRINTED[found.number].get((one.slug, words, column.printed))


def interval(low: float | None, high: float | None) -> str:
    """Return an interval in points of 100; empty without one."""
    return "" if low is None or high is None else f"[{percent(low)}, {percent(high)}]"


def differences(found: AllusionTable) -> Table:
    """Return every system minus the base, a measure and system a row."""
    names = ("Measure", "System", "Difference", "95 % interval", "Raised", "Lowered", "p", "p (Holm)")
    columns = tuple(Column(name.lower(), name, numeric=name not in names[:2]) for name in names)
    rows = [
        Row(
            (
                Cell(LABELS[each.measure.slug], each.measure.slug),
                Cell(each.paired.name, each.paired.name),
                Cell(percent(each.paired.difference), each.paired.difference),
                Cell(interval(each.paired.low, each.paired.high) or NONE),
                Cell(f"{each.n_raised:,}", each.n_raised),
                Cell(f"{each.n_lowered:,}", each.n_lowered),
                Cell(probability(each.paired.p), each.paired.p),
                Cell(probability(each.paired.p_holm), each.paired.p_holm),
            )
        )
        for each in found.compared
    ]
    tests = "; ".join(sorted({each.paired.test for each in found.compared}))
    return table(columns, rows, title=f"Table {found.number}: difference from {found.base}, by {tests}")
