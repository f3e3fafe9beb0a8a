"""Tables and sentences as Markdown: tables with pipes, as GitHub, GitLab, Pandoc and Quarto read them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from common.tables.table import Block, Cell, Column, Document, Paragraph, Points, Table, marked, one_line

_SIGNS = re.compile(r"[\\`*_<$~|^]|(?<!\w)@(?=[\w{])|\](?=[(\[:])|&(?=#?\w+;)|(?<=\s)#+\s*$")
# At the beginning of a line these would make a list, a heading, a quotation, a table or a rule of it.
_FIRST = re.compile(r"^(?=[-+#>=])")
_NUMBERED = re.compile(r"^(\d{1,9})(?=[.)](?:\s|$))")


def markdown(document: Document) -> str:
    """Return the document under a heading of the first level, its last line ended."""
    blocks = [f"# {escaped(document.title)}"] if document.title else []
    blocks += [text for block in document.blocks if (text := _written(block))]
    return "\n\n".join(blocks) + "\n"


def escaped(text: str) -> str:
    """Return the text on one line, so that nothing in it is a mark of Markdown."""
    return _SIGNS.sub(lambda found: "".join(f"\\{sign}" for sign in found[0]), one_line(text))


def sentence(text: str) -> str:
    """Return text that begins a line, where more characters are marks."""
    return _NUMBERED.sub(r"\1\\", _FIRST.sub(r"\\", escaped(text.lstrip())))


def _written(block: Block) -> str:
    match block:
        case Paragraph():
            return f"**{sentence(block.text)}**" if block.loud else sentence(block.text)
        case Points():
            heading = [f"{sentence(block.heading)}\n"] if block.heading else []
            return "\n".join([*heading, *(f"- {sentence(each)}" for each in block.items)])
        case Table():
            return _table(block)


def _table(found: Table) -> str:
    above = [f"### {escaped(found.title)}"] if found.title else []
    beneath = f"{found.beneath} stand beside the values." if found.beneath else ""
    above += [sentence(each) for each in (found.caption, beneath) if each]
    if not found.columns:
        return "\n\n".join(above)
    sections, notes = marked(found)
    lines = [_line(map(_heading, found.columns)), _line(map(_rule, found.columns))]
    for section, rows in zip(found.sections, sections, strict=True):
        if section.heading:
            lines.append(_line([f"*{escaped(section.heading)}*", *[""] * (len(found.columns) - 1)]))
        lines += [_line(map(_words, each.row.cells, each.letters)) for each in rows]
    said = [f"- ({each.letter}) {escaped(each.row.words)}: {escaped(each.text)}" for each in notes]
    return "\n\n".join([*above, "\n".join(lines), *(["\n".join(said)] if said else [])])


def _heading(column: Column) -> str:
    """A column's heading; a table has one line of them, so its group stands there too."""
    return escaped(f"{column.group}: {column.heading}" if column.group else column.heading)


def _words(cell: Cell, letter: str) -> str:
    badge = f" ({cell.badge})" if cell.badge else ""
    mark = f" ({letter})" if letter else ""
    loud = f"**{escaped(cell.words)}**" if cell.loud and cell.words else escaped(cell.words)
    words = " ".join(filter(None, (loud, escaped(cell.below)))) + escaped(badge + mark)
    return f"[{words}](<{cell.link}>)" if cell.link else words


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _rule(column: Column) -> str:
    return "--:" if column.numeric else ":--"
