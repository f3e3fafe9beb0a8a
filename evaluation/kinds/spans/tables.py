"""Boundary offsets and statistics of the data set as tables: plain text and page print the same."""

from __future__ import annotations

from collections.abc import Sequence

from common.tables.table import NONE, Cell, Row, Table, table
from evaluation.kinds.spans.dataset import MARKED, DatasetStatistics
from evaluation.kinds.spans.marked import Found
from evaluation.metrics.spans.offsets import Differences
from evaluation.metrics.spans.reuse import Spread
from evaluation.values.report import Report
from evaluation.values.tables import column, named
from evaluation.values.wording import digits, percent

OFFSETS = (
    named("readers"),
    column("items"),
    column("left median"),
    column("|left|", name="left median absolute"),
    column("left equal"),
    column("right median"),
    column("|right|", name="right median absolute"),
    column("right equal"),
)
DATASET = (
    named("", "Spans", "spans"),
    column("Jaccard (tokens)"),
    column("Jaccard (lemmata)"),
    column("span length"),
    column("reference length"),
    column("instances"),
)
SHARED = (named("words in common"), column("by tokens"), column("by lemmata"))


def offset_table(report: Report, spans: Found) -> Table:
    """A row a pair of readers."""
    rows = []
    for each in spans.report.offsets:
        names = f"{report.readers[each.first].pseudonym}, {report.readers[each.second].pseudonym}"
        items = Cell(f"{each.n_items:,}", each.n_items)
        rows.append(Row((Cell(names, names), items, *_side(each.left), *_side(each.right))))
    caption = (
        "Where two readers part, in tokens, the second minus the first: a negative left median says that the "
        "second begins earlier, a positive right median that the second ends later. |left| and |right| are "
        "medians of absolute differences."
    )
    return table(OFFSETS, rows, caption=caption)


def _side(side: Differences) -> tuple[Cell, ...]:
    return (
        Cell(digits(side.median, 1), side.median),
        Cell(digits(side.median_absolute, 1), side.median_absolute),
        Cell(f"{percent(side.equal)} %", side.equal),
    )


def dataset_table(dataset: DatasetStatistics) -> Table:
    """Table 1 of the paper for this study: a row a kind of span."""
    rows = [
        Row(
            (
                Cell(row.name, row.name),
                spread(row.tokens.jaccard, 2),
                spread(row.lemmata.jaccard, 2) if row.lemmata else Cell(NONE),
                spread(row.source_length, 2),
                spread(row.reference_length, 2),
                Cell(f"{row.n:,}", row.n),
            )
        )
        for row in dataset.rows
    ]
    caption = (
        "What spans share with the texts they allude to, as in Table 1 of Manjavacas et al. 2019: mean "
        "(± standard deviation), lengths in words. An instance is a span and one reference."
    )
    partly = [row for row in dataset.rows if row.lemmata and row.n_lemmata < row.n]
    if partly:
        named = ", ".join(f"{row.n_lemmata:,} of the {row.name}" for row in partly)
        caption += f" Lemmata are given for {named}."
    return table(DATASET, rows, caption=caption)


def shared_table(dataset: DatasetStatistics) -> Table:
    """Figure 2 of the paper: how many marked spans share 0, 1, 2 … words with their reference."""
    row = next((each for each in dataset.rows if each.name == MARKED), None)
    caption = "Marked spans by the number of words they share with their reference, as in Figure 2."
    found = [row.tokens.histogram, *([row.lemmata.histogram] if row.lemmata else [])] if row else []
    rows = [
        Row((Cell(str(shared), shared), *(_count(each, shared) for each in found)))
        for shared in range(max(map(len, found), default=0))
    ]
    return table(SHARED[: 1 + len(found)], rows, caption=caption)


def _count(histogram: Sequence[int], shared: int) -> Cell:
    count = int(histogram[shared]) if shared < len(histogram) else 0
    return Cell(str(count), count)


def spread(found: Spread, places: int) -> Cell:
    """``0.06 (± 0.07)``."""
    if found.mean is None:
        return Cell(NONE)
    deviation = "" if found.deviation is None else f" (± {digits(found.deviation, places)})"
    return Cell(digits(found.mean, places) + deviation, found.mean)
