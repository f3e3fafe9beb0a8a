"""A comparison of rankers in every format."""

from __future__ import annotations

from typing import Any

from common.tables import json
from common.tables.formats import formats
from common.tables.latex import Paper
from common.tables.table import Block, Document, Points, Records, Section, Table
from common.tables.text import Style
from common.wording import counted
from evaluation.ranking import tables
from evaluation.ranking.comparison import RankerTable
from evaluation.ranking.formats import FIELDS, of_differences, of_groups

COLUMNS = ("book", *(name for name in FIELDS if name not in ("job", "book", "ranker", "reason")))


def document(found: RankerTable) -> Document:
    """A row a ranker and context, paired differences from the first ranker, and what each was."""
    blocks: list[Block] = [tables.grid(found.rows, "ranker L/R", "By ranker and context L/R")]
    blocks += [tables.differences(each, ", 4/4") for each in found.compared if each.rows]
    return Document(_title(found), (*blocks, Points(_notes(found))))


def _title(found: RankerTable) -> str:
    of = counted(found.n_excerpts, "excerpt")
    return f"Rankers on {found.title}, {of}, all passages of the quotation's length"


def _notes(found: RankerTable) -> tuple[str, ...]:
    task = "no job was found for it" if found.proxy is None else f"wrong passages of job {found.proxy}"
    return (*found.notes, f"Proxy task: {task}.")


def data(found: RankerTable) -> dict[str, Any]:
    """Plain values with full precision."""
    rows = [
        {
            "label": row.label,
            "n_queries": row.n_queries,
            "mean_candidates": row.mean_candidates,
            "numbers": {
                line.slug: {
                    "value": line.estimate.value,
                    "low": line.estimate.low,
                    "high": line.estimate.high,
                    "random": line.random,
                }
                for line in row.lines
            },
        }
        for row in found.rows
    ]
    return {
        "book": found.book,
        "proxy": found.proxy,
        "rows": rows,
        "compared": {each.slug: json.plain(each.rows) for each in found.compared},
        "notes": list(found.notes),
    }


def records(found: RankerTable) -> Records:
    """One row a number; ``against`` is filled where the value is a difference."""
    rows = (*of_groups(found.rows), *of_differences(found.compared))
    return Records(COLUMNS, [{"book": found.book, **row} for row in rows])


def paper(found: RankerTable) -> Paper:
    """RELiC's Table 3: what a random order gives, then a row a ranker and context."""
    aside = Section((tables.random_row(found.rows[0]),))
    sections = (aside, Section(tables.paper_rows(found.rows)))
    caption = " ".join((f"{_title(found)}.", *_notes(found)))
    table = Table(tables.paper_columns(), sections, caption=caption)
    return Paper(table, f"rankers-{found.book}", wide=True)


FORMATS = formats(document, data, records, paper, style=Style(width=None), indent=1)
