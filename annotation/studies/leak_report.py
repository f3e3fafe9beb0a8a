"""What the check of a study found as a report, in every format that reports have."""

from __future__ import annotations

from textwrap import shorten
from typing import Any, NamedTuple

from annotation.items.longest_runs import Run
from annotation.models import Study
from annotation.studies.leaks import KINDS, Checked, Leak
from common.tables.formats import formats
from common.tables.latex import Paper
from common.tables.table import Block, Cell, Column, Document, Paragraph, Records, Row, Table, table
from common.wording import counted

SHORT = 50
"""Characters of the words that a line of plain text prints."""
FINDINGS = (
    Column("item", "Item", main=True),
    Column("option", "Option"),
    Column("kind", "What", numeric=False),
    Column("caution", "Caution", numeric=False),
    Column("where", "In item"),
    Column("run", "Words in a row"),
    Column("share", "Share"),
    Column("words", "Which words", numeric=False),
    Column("harmless", "Harmless", numeric=False),
)
RUNS = (
    Column("item", "Item", main=True),
    Column("run", "Words in a row"),
    Column("words", "Which words", numeric=False),
)


class LeakReport(NamedTuple):
    """The study's short name, and what was found in it."""

    study: str
    checked: Checked


def report(study: Study, checked: Checked) -> LeakReport:
    return LeakReport(study.slug, checked)


def summary(found: LeakReport) -> str:
    """What was checked, and what was found."""
    cautions, dismissed = found.checked.cautions, found.checked.dismissed
    can = f"{counted(len(cautions), 'answer')} can be found without reading"
    noted = counted(len(found.checked.noted), "other finding") + " noted"
    harmless = f"; {len(dismissed)} marked as harmless" if dismissed else ""
    return f"Checked {counted(found.checked.n_items, 'item')}. {can}; {noted}{harmless}."


def findings(found: LeakReport) -> Table:
    return table(FINDINGS, [row(each) for each in found.checked.leaks], title="What is printed twice")


def row(leak: Leak) -> Row:
    there = leak.shown.item.number if leak.shown.item else None
    return Row(
        (
            Cell(str(leak.sought.item.number), leak.sought.item.number),
            Cell(str(leak.sought.option), leak.sought.option),
            Cell(KINDS[leak.kind], leak.kind),
            Cell("yes" if leak.caution else "", leak.caution),
            Cell("" if there is None else str(there), there),
            Cell(str(leak.printed.run), leak.printed.run),
            Cell(f"{leak.printed.share:.0%}".replace("%", " %"), leak.printed.share),
            quoted(" / ".join(leak.words)),
            quoted(leak.dismissal.why if leak.dismissal else ""),
        )
    )


def runs(found: LeakReport) -> Table:
    """Every item with the longest run of words that its right option and its context share."""
    rows = [run_row(each) for each in found.checked.runs]
    return table(RUNS, rows, title="The longest run that context and right option share")


def run_row(run: Run) -> Row:
    item, length = run.item.number, run.length
    return Row((Cell(str(item), item), Cell(str(length), length), quoted(run.words)))


def quoted(words: str) -> Cell:
    """Words whole, and shortened where every row is one line."""
    return Cell(words, words, short=shorten(words, SHORT, placeholder=" …"))


def document(found: LeakReport) -> Document:
    blocks: list[Block] = [Paragraph(summary(found))]
    if found.checked.leaks:
        blocks.append(findings(found))
    if found.checked.runs:
        blocks.append(runs(found))
    return Document(f"Printed answers of {found.study}", tuple(blocks))


def data(found: LeakReport) -> dict[str, Any]:
    return {
        "study": found.study,
        "items": found.checked.n_items,
        "cautions": len(found.checked.cautions),
        "dismissed": len(found.checked.dismissed),
        "findings": values(findings(found)),
        "runs": values(runs(found)),
    }


def records(found: LeakReport) -> Records:
    return Records(tuple(each.name for each in FINDINGS), values(findings(found)))


def values(of: Table) -> list[dict[str, Any]]:
    """The rows of a table for scripts, under the names of its columns."""
    names = [each.name for each in of.columns]
    return [dict(zip(names, (cell.value for cell in row.cells), strict=True)) for row in of.rows]


def paper(found: LeakReport) -> Paper:
    caption = f"{found.study}: answers that other items print. {summary(found)}"
    return Paper(findings(found)._replace(caption=caption), f"leaks-{found.study}")


FORMATS = formats(document, data, records, paper)
