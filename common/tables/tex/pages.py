"""How the rows of a long table stand on pages: a float holds what a page does, and the next one goes on."""

from __future__ import annotations

from typing import NamedTuple

from common.tables.table import MarkedRow, Table, marked
from common.tables.tex.layout import Layout, Part
from common.tables.tex.widths import lines

HEIGHT = 480.0
"""Points of a page of an article of 11 points that a float fills, at most."""
RULES = 40.0
"""Points of a tabular that are rules, their space and its heading."""
CAPTION = 13.6
NOTE = 11.0


class Piece(NamedTuple):
    """Rows that stand together below a heading, which may be empty; a section begins or goes on with them."""

    heading: str
    rows: tuple[MarkedRow, ...]


def pages(found: Table, layout: Layout, above: float, below: float) -> list[list[Piece]]:
    """Return the rows of each page; the last is without any where only the notes stand on it.

    above, below: points that the caption and the notes take, on the first page and on the last.
    """
    result: list[list[Piece]] = [[]]
    fixed = RULES * len(layout.parts)
    filled = above + fixed
    for section, rows in zip(found.sections, marked(found)[0], strict=True):
        result[-1].append(Piece(section.heading, ()))
        filled += layout.type.line * len(layout.parts)
        for row in rows:
            high = sum(_height(row, part, layout) for part in layout.parts)
            if filled + high > HEIGHT and any(piece.rows for piece in result[-1]):
                result.append([Piece(section.heading, ())])
                filled = CAPTION + fixed + layout.type.line * len(layout.parts)
            last = result[-1][-1]
            result[-1][-1] = last._replace(rows=(*last.rows, row))
            filled += high
    kept = [[piece for piece in page if piece.rows or piece.heading] for page in result]
    return [*kept, []] if filled + below > HEIGHT and below and len(found.rows) > 1 else kept


def _height(row: MarkedRow, part: Part, layout: Layout) -> float:
    """Points of a row: its cell with most lines, and its small print."""
    cells = [(row.row.cells[each.place], each.room) for each in part]
    most = max(lines(cell.words, room) if room else 1 for cell, room in cells)
    small = max(
        lines(cell.below, room) if room and cell.below else int(bool(cell.below)) for cell, room in cells
    )
    return layout.type.line * (most + small)
