"""Confusion of grades, pairs of readers, and readers against gold as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from common.tables.table import Cell, Row, Table, table
from evaluation.kinds.ordinal.grades import Found
from evaluation.metrics.common.intervals import Estimate
from evaluation.metrics.common.measure import Measure
from evaluation.metrics.nominal.table import FloatArray, IntArray
from evaluation.metrics.ordinal.gold import EXACT_WITH_GOLD, WITHIN_ONE_OF_GOLD
from evaluation.metrics.ordinal.weighted_kappa import QUADRATIC_KAPPA
from evaluation.values.pairs import ReaderPairs
from evaluation.values.report import Report
from evaluation.values.tables import column, named
from evaluation.values.wording import NONE, digits, interval, percent, worded

LONGEST = 24
"""Letters of a label in a table; the whole scale stands among the notes."""


def confusion_table(found: Found) -> Table:
    """Grades of two readers on one item beside each other."""
    caption = (
        "Grades that two readers gave to the same item. The table is symmetric; each grade counts once, "
        "divided among the other readers of its item, so that it adds up to the grades on items with two."
    )
    counts = found.report.coincidences
    return _crossed(found, counts, caption, 1)


def gold_table(found: Found) -> Table:
    """A row a gold grade, a column a grade that was given."""
    counts = found.report.gold_confusion
    return _crossed(found, counts, "How often each grade was given, a row for every gold grade.", 0)


def margins_table(report: Report, found: Found) -> Table:
    """A row a reader with a grade, and all of them together: how often each grade was given."""
    counts = found.margins
    rows = [
        Row((Cell(each.pseudonym, each.pseudonym), *_parts(own)))
        for each, own in zip(report.readers, counts, strict=True)
        if own.any()
    ]
    caption = (
        "How often each reader gave each grade. Coefficients hang on these: where nearly all is one grade, "
        "α is low and AC2 high on the same answers."
    )
    columns = [named("reader"), *(column(str(grade)) for grade in range(counts.shape[1])), column("all")]
    return table(columns, rows, caption=caption, totals=Row((Cell("Together"), *_parts(counts.sum(axis=0)))))


def _parts(counts: IntArray) -> Iterator[Cell]:
    total = int(counts.sum())
    for n in counts.tolist():
        yield Cell(f"{n:,}", n, below=f"{percent(n / total)} %")
    yield Cell(f"{total:,}", total)


def _crossed(found: Found, counts: FloatArray | IntArray, caption: str, places: int) -> Table:
    """A row and a column a grade; no rows where nothing was counted."""
    rows = [
        Row((Cell(name, grade), *(_count(cell, places) for cell in row.tolist())))
        for grade, (name, row) in enumerate(zip(names_of(found, len(counts)), counts, strict=True))
    ]
    columns = [named("", "Grade", "grade"), *(column(str(grade)) for grade in range(len(counts)))]
    return table(columns, rows if counts.sum() else [], caption=caption)


def _count(cell: float, places: int) -> Cell:
    return Cell(digits(cell, places) if places else f"{cell:,}", cell)


def reader_pairs(report: Report, found: Found) -> ReaderPairs:
    """Each two readers."""
    caption = "Every two readers on the items that both graded; κ is the quadratic weighted one."
    if report.n_topics:
        caption += (
            " The interval of the same grade is Wilson’s, which takes items for independent: too short where "
            "topics differ. That of κ is over topics."
        )
    pseudonyms = [each.pseudonym for each in report.readers]
    return ReaderPairs(found.report.pairs, pseudonyms, QUADRATIC_KAPPA, "same_grade", caption)


def reader_table(report: Report, found: Found) -> Table:
    """A row a reader with a grade on an item with gold."""
    rows = []
    for each in found.report.annotators:
        if each.n_with_gold:
            name = report.readers[each.annotator].pseudonym
            shares = [_cell(EXACT_WITH_GOLD, each.exact), _cell(WITHIN_ONE_OF_GOLD, each.within_one)]
            steps = [_grades(each.difference), _grades(each.absolute_difference)]
            items = Cell(f"{each.n_with_gold:,}", each.n_with_gold)
            rows.append(Row((Cell(name, name), items, *shares, *steps)))
    caption = (
        "Each reader against gold, with 95 % intervals: grades equal to gold, at most one grade from it, the "
        "mean of grade minus gold (above 0: higher than gold) and the mean distance, both in grades."
    )
    columns = (named("reader"), *map(column, ("items", "equal", "±1", "minus gold", "distance")))
    return table(columns, rows, caption=caption)


def _cell(measure: Measure, each: Estimate) -> Cell:
    words = f"{worded(measure, each.value)} {interval(measure, each.low, each.high)}".rstrip()
    return Cell(words, each.value)


def _grades(each: Estimate) -> Cell:
    """With two digits and without the unit, which the caption says."""
    if each.value is None:
        return Cell(NONE)
    words = digits(each.value, 2)
    if each.low is not None and each.high is not None:
        words += f" [{digits(each.low, 2)}, {digits(each.high, 2)}]"
    return Cell(words, each.value)


def names_of(found: Found, grades: int) -> Sequence[str]:
    """Number and words of each grade, the number alone where items have different words."""
    return [
        f"{grade} {_short(found.labels[grade])}" if found.labels else str(grade) for grade in range(grades)
    ]


def _short(label: str) -> str:
    return label if len(label) <= LONGEST else f"{label[: LONGEST - 1].rstrip()}…"
