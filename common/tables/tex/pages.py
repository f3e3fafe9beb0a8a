"""How a long table stands on pages: a float holds what a page does, and the next one goes on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from common.tables.table import MarkedRow, Table, marked
from common.tables.tex.layout import Layout, Part
from common.tables.tex.widths import lines

HEIGHT = 480.0
"""Points of a page of an article of 11 points that a float fills, at most."""
RULES = 40.0
"""Points of a tabular that are rules, their space and its heading."""
CAPTION = 13.6
"""From a line of a caption to the next, in points."""
LINE, SKIP, EM = 11.0, 4.0, 9.25
"""Of a note: from a line to the next, the space above it, and an em, in points."""


class Piece(NamedTuple):
    """Rows that stand together below a heading, which may be empty; a section begins or goes on with them."""

    heading: str
    rows: tuple[MarkedRow, ...]


class Note(NamedTuple):
    """A paragraph below a table; ``letter``: of the footnote that it is, empty for another one."""

    letter: str
    text: str


class Page(NamedTuple):
    """What one float holds.

    pieces: the rows; empty where the float holds only notes.
    notes: paragraphs below them.
    """

    pieces: list[Piece]
    notes: list[Note]


def pages(found: Table, layout: Layout, above: float, notes: Iterable[Note], points: float) -> list[Page]:
    """Return what each page holds.

    above: points that the caption takes on the first page.
    notes: what stands below the last row; each is kept whole.
    points: how wide a line of them is.
    """
    made, filled = _rows(found, layout, above)
    for note in notes:
        high = note_height(note, points)
        if filled + high > HEIGHT and (made[-1].notes or len(found.rows) > 1):
            made.append(Page([], []))
            filled = CAPTION
        made[-1].notes.append(note)
        filled += high
    return made


def note_height(note: Note, points: float) -> float:
    """Return how high a note is whose lines are so wide, in points."""
    return SKIP + LINE * lines(f"{note.letter} {note.text}", points / EM)


def paragraphs(text: str, points: float) -> Iterator[str]:
    """Yield a note as it is, or by sentences in several where it would fill more than a quarter of a page."""
    most = HEIGHT / 4
    part = ""
    for sentence in text.split(". "):
        longer = f"{part}. {sentence}" if part else sentence
        if part and LINE * lines(longer, points / EM) > most:
            yield f"{part}."
            longer = sentence
        part = longer
    yield part


def _rows(found: Table, layout: Layout, above: float) -> tuple[list[Page], float]:
    """Return pages with their rows, and how high the last of them is, in points."""
    made = [Page([], [])]
    heads = sum(RULES + layout.type.line * _head(found, part) for part in layout.parts)
    filled = above + heads
    for section, rows in zip(found.sections, marked(found)[0], strict=True):
        made[-1].pieces.append(Piece(section.heading, ()))
        filled += layout.type.line * sum(lines(section.heading, _wide(part)) for part in layout.parts)
        for row in rows:
            high = sum(_height(row, part, layout) for part in layout.parts)
            if filled + high > HEIGHT and any(piece.rows for piece in made[-1].pieces):
                made.append(Page([Piece(section.heading, ())], []))
                filled = CAPTION + heads
            last = made[-1].pieces.pop()
            made[-1].pieces.append(last._replace(rows=(*last.rows, row)))
            filled += high
    return [Page([each for each in page.pieces if each.rows], []) for page in made], filled


def _head(found: Table, part: Part) -> int:
    """Lines of the heading."""
    words = ((found.columns[each.place].heading, each) for each in part)
    return max(lines(text, each.room) if each.room else len(each.head) for text, each in words)


def _wide(part: Part) -> float:
    return sum(each.width for each in part)


def _height(row: MarkedRow, part: Part, layout: Layout) -> float:
    """Points of a row: its cell with most lines, and its small print."""
    cells = [(row.row.cells[each.place], each.room) for each in part]
    most = max(lines(cell.words, room) if room else 1 for cell, room in cells)
    below = [lines(cell.below, room) if room else 1 for cell, room in cells if cell.below]
    return layout.type.line * (most + max(below, default=0))
