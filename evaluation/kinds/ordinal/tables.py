"""Confusion of grades, pairs of readers, and readers against gold as tables, worded."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.kinds.ordinal.grades import Found
from evaluation.metrics.common.intervals import Estimate
from evaluation.metrics.common.measure import Measure
from evaluation.metrics.ordinal.gold import EXACT_WITH_GOLD, WITHIN_ONE_OF_GOLD
from evaluation.metrics.ordinal.weighted_kappa import QUADRATIC_KAPPA
from evaluation.values.report import Report
from evaluation.values.tables import Table
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
    body = [
        [name, *(digits(float(cell), 1) for cell in row)]
        for name, row in zip(names_of(found, len(counts)), counts, strict=True)
    ]
    return Table(caption, ["", *map(str, range(len(counts)))], body if counts.sum() else [])


def gold_table(found: Found) -> Table:
    """A row a gold grade, a column a grade that was given."""
    counts = found.report.gold_confusion
    body = [
        [name, *(f"{cell:,}" for cell in row.tolist())]
        for name, row in zip(names_of(found, len(counts)), counts, strict=True)
    ]
    caption = "How often each grade was given, a row for every gold grade."
    return Table(caption, ["", *map(str, range(len(counts)))], body if counts.sum() else [])


def pair_table(report: Report, found: Found) -> Table:
    """A row a pair of readers."""
    pairs = found.report.pairs
    body = [
        [
            f"{report.readers[each.first].pseudonym}, {report.readers[each.second].pseudonym}",
            f"{each.n_items:,}",
            f"{percent(each.agreement)} % [{percent(each.low)}, {percent(each.high)}]",
            worded(QUADRATIC_KAPPA, each.kappa.value),
            interval(QUADRATIC_KAPPA, each.kappa.low, each.kappa.high),
        ]
        for each in pairs.pairs
    ]
    caption = "Every two readers on the items that both graded; κ is the quadratic weighted one."
    if pairs.n_pairs > len(body):
        caption += f" Of {pairs.n_pairs:,} pairs those with most common items."
    return Table(caption, ["readers", "items", "same grade", "κ", "95 % interval"], body)


def reader_table(report: Report, found: Found) -> Table:
    """A row a reader with a grade on an item with gold."""
    body = []
    for each in found.report.annotators:
        if each.n_with_gold:
            shares = [_cell(EXACT_WITH_GOLD, each.exact), _cell(WITHIN_ONE_OF_GOLD, each.within_one)]
            steps = [_grades(each.difference), _grades(each.absolute_difference)]
            body.append([report.readers[each.annotator].pseudonym, f"{each.n_with_gold:,}", *shares, *steps])
    caption = (
        "Each reader against gold, with 95 % intervals: grades equal to gold, at most one grade from it, the "
        "mean of grade minus gold (above 0: higher than gold) and the mean distance, both in grades."
    )
    return Table(caption, ["reader", "items", "equal", "±1", "minus gold", "distance"], body)


def _cell(measure: Measure, each: Estimate) -> str:
    return f"{worded(measure, each.value)} {interval(measure, each.low, each.high)}".rstrip()


def _grades(each: Estimate) -> str:
    """With two digits and without the unit, which the caption says."""
    if each.value is None:
        return NONE
    if each.low is None or each.high is None:
        return digits(each.value, 2)
    return f"{digits(each.value, 2)} [{digits(each.low, 2)}, {digits(each.high, 2)}]"


def names_of(found: Found, grades: int) -> Sequence[str]:
    """Number and words of each grade, the number alone where items have different words."""
    return [
        f"{grade} {_short(found.labels[grade])}" if found.labels else str(grade) for grade in range(grades)
    ]


def _short(label: str) -> str:
    return label if len(label) <= LONGEST else f"{label[: LONGEST - 1].rstrip()}…"
