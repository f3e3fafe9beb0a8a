"""Tables and sentences as aligned plain text."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import NamedTuple

from common.tables.table import Block, Cell, Document, Paragraph, Points, Table, marked, one_line

WIDTH = 96


class Style(NamedTuple):
    """How the text is laid out.

    width: of wrapped lines; None leaves sentences on one line.
    gap: empty lines between blocks.
    indent: blanks before a table's rows.
    heads: whether columns have headings.
    empty: what stands for a table without rows.
    """

    width: int | None = WIDTH
    gap: int = 1
    indent: int = 0
    heads: bool = True
    empty: str = ""


def text(document: Document, style: Style = Style()) -> str:  # noqa: B008 - a value
    """Return the document as plain text, its last line ended."""
    blocks = [[one_line(document.title)]] if document.title else []
    blocks += [lines for block in document.blocks if (lines := written(block, style))]
    between = "\n" * (style.gap + 1)
    return between.join("\n".join(lines) for lines in blocks) + "\n"


def written(block: Block, style: Style) -> list[str]:
    """Return one block as lines."""
    match block:
        case Paragraph():
            words = block.text.upper() if block.loud else block.text
            return wrapped(words, style.width)
        case Points():
            heading = [block.heading] if block.heading else []
            return heading + [
                line for point in block.items for line in wrapped(f"- {one_line(point)}", style.width, "  ")
            ]
        case Table():
            return [*wrapped(lead(block), style.width), *_table(block, style)]


def lead(found: Table) -> str:
    """Return what stands above a table: its title with what its small print is, or else its caption."""
    if found.title and found.beneath:
        return f"{found.title} ({found.beneath} below the values)"
    return found.title or found.caption


def aligned(cells: Sequence[Sequence[str]]) -> list[str]:
    """Return one line a row; columns are as wide as their widest cells, all but the first flush right."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if place == 0 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in cells
    ]


def wrapped(words: str, width: int | None, indent: str = "") -> list[str]:
    """Return sentences as lines of that width; no line for no text."""
    if width is None:
        return [one_line(part) for part in words.split("\n") if part]
    return wrap(words, width, subsequent_indent=indent)


def _table(found: Table, style: Style) -> list[str]:
    if not found.rows and style.empty:
        return [" " * style.indent + style.empty]
    sections, notes = marked(found)
    heads = [column.heading if column.short is None else column.short for column in found.columns]
    cells = [list(map(one_line, heads))] if style.heads else []
    if cells and found.groups:
        cells.insert(
            0, [word for name, size in found.groups for word in (one_line(name), *[""] * (size - 1))]
        )
    for each in (each for section in sections for each in section):
        cells.append(list(map(_words, each.row.cells, each.letters)))
        if any(cell.below for cell in each.row.cells):
            cells.append([one_line(cell.below) for cell in each.row.cells])
    lines = [(" " * style.indent + line).rstrip() for line in aligned(cells)]
    for note in notes:
        lines += wrapped(f"({note.letter}) {plain(note.row)}: {note.text}", style.width, "    ")
    return lines


def plain(cell: Cell) -> str:
    """Return a cell's words in plain text."""
    return cell.words if cell.short is None else cell.short


def _words(cell: Cell, letter: str) -> str:
    badge = f" ({cell.badge})" if cell.badge else ""
    return one_line(plain(cell) + badge + (f" ({letter})" if letter else ""))
