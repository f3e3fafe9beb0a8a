"""A filled layout in every format. All of them print the same numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from common.tables.formats import Format, formats
from common.tables.latex import Paper
from common.tables.table import Document, Paragraph, Points, Records
from common.tables.tex.letters import escaped
from evaluation.paper.values import Filled

VERSION = 1
COLUMNS = (
    "layout",
    "study",
    "section",
    "row",
    "column",
    "value",
    "words",
    "interval",
    "note",
    "resamples",
    "seed",
)


def document(found: Filled) -> Document:
    """For a terminal or a note."""
    warned = [Paragraph(found.warning, loud=True)] if found.warning else []
    return Document("", (*warned, found.table, Points((*found.notes, source(found)))))


def paper(found: Filled) -> Paper:
    """For a paper: the caption says what is printed, the notes what has to be known."""
    after = (" ".join(found.notes), source(found))
    return Paper(found.table, f"{found.study}-{found.layout}", found.warning, after, wide=found.wide)


def source(found: Filled) -> str:
    """Where the numbers come from, so that they can be computed again."""
    return (
        f"Computed {found.computed:%Y-%m-%d} from “{found.study}” by Variorum {found.version}: "
        f"manage.py report {found.study} --layout {found.layout} --resamples {found.resamples}."
    )


def data(found: Filled) -> dict[str, Any]:
    """For scripts."""
    return {
        "report_version": VERSION,
        "layout": found.layout,
        "study": found.study,
        "caption": found.table.caption,
        "warning": found.warning,
        "notes": list(found.notes),
        "seed": found.seed,
        "resamples": found.resamples,
        "level": found.level,
        "computed": found.computed.isoformat(),
        "code_version": found.version,
        "columns": [
            {"name": each.name, "heading": each.heading, "group": each.group} for each in found.table.columns
        ],
        "cells": list(_cells(found)),
    }


def _cells(found: Filled) -> Iterator[dict[str, Any]]:
    """One row a cell, with the name of its row."""
    for section in found.table.sections:
        for row in section.rows:
            name = row.name or row.cells[0].words
            for column, cell in zip(found.table.columns[1:], row.cells[1:], strict=True):
                yield {
                    "section": section.heading,
                    "row": name,
                    "column": column.name,
                    "value": cell.value,
                    "words": cell.words,
                    "interval": cell.below,
                    "note": cell.note,
                }


def records(found: Filled) -> Records:
    """One row a cell."""
    same = {"layout": found.layout, "study": found.study, "resamples": found.resamples, "seed": found.seed}
    return Records(COLUMNS, ({**same, **row} for row in _cells(found)))


def figure(found: Filled, columns: int) -> str:
    """A figure for LaTeX: the drawn files beside each other are read in, and nothing is drawn by TeX."""
    across = "figure*" if columns == 2 and len(found.pictures[0][1]) > 1 else "figure"
    files = [f"{found.study}-{name}.pdf" for name, _ in found.pictures]
    bold = f"\\textbf{{{escaped(found.warning)}}} " if found.warning else ""
    caption = " ".join((found.table.caption, *found.notes, source(found)))
    lines = [
        "% \\usepackage{graphicx}",
        f"% manage.py figures {found.study} --format pdf draws {', '.join(files)}",
        f"\\begin{{{across}}}",
        "\\centering\\sloppy",
        *(f"\\includegraphics[width=\\linewidth]{{{each}}}" for each in files),
        f"\\caption{{{bold}{escaped(caption)}}}",
        f"\\label{{fig:{found.study}-{found.layout}}}",
        f"\\end{{{across}}}",
    ]
    return "\n".join(lines) + "\n"


def _all() -> dict[str, Format[Filled]]:
    """A figure is read in by LaTeX, where a table is set; elsewhere its numbers stand."""
    made = formats(document, data, records, paper)
    for name, columns in (("latex", 1), ("latex-twocolumn", 2)):
        set_table = made[name].render

        def render(
            found: Filled, columns: int = columns, set_table: Callable[[Filled], str] = set_table
        ) -> str:
            return figure(found, columns) if found.pictures else set_table(found)

        made[name] = made[name]._replace(render=render)
    return made


FORMATS = _all()
