"""How a table is laid out to fit a width: size of type, columns that wrap, and parts beside one another.

Numbers are never broken: words are, in columns of paragraphs, and headings, over several lines. Where
``\\footnotesize``, the smallest size that is read with comfort, does not do, the columns are split into parts
that stand below each other, each with the first column, which names the rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from common.tables.table import Cell, Column, Table
from common.tables.tex.widths import longest, width

NARROWEST = 7.0
"""A column of words, in em: narrower ones are hard to read."""
SLACK = 0.985
"""Of the room, what is filled: a word may be a little wider than counted."""

BOLD = 1.18
"""How much wider bold words run: a figure of cmbx10 has 0.575 em, one of cmr10 has 0.5."""


class Type(NamedTuple):
    """A size of type in an article of 11 points.

    command: what LaTeX calls it; empty for that of the text.
    em: an em of it, in points.
    gap: half of what stands between two columns, in points.
    line: from a line to the next, in points.
    """

    command: str
    em: float
    gap: float
    line: float


TYPES = (
    Type("", 10.95, 6, 13.6),
    Type(r"\small", 10, 5, 12),
    Type(r"\footnotesize", 9.25, 4, 11),
    Type(r"\footnotesize", 9.25, 3, 11),
)


class Fitted(NamedTuple):
    """One column of a part.

    place: which column of the table it is.
    head: the lines of its heading.
    room: its width in em where it holds paragraphs; 0 where its cells are one line each.
    width: how wide it is, in em.
    """

    place: int
    head: tuple[str, ...]
    room: float
    width: float


Part = tuple[Fitted, ...]


class Layout(NamedTuple):
    """How a table stands.

    type: its size of type.
    parts: its columns, in one part or in several below each other.
    """

    type: Type
    parts: tuple[Part, ...]


def fitting(found: Table, points: float) -> Layout | None:
    """Return the largest type in which all columns stand beside each other within ``points``, or None."""
    places = range(len(found.columns))
    for each in TYPES:
        for wrapped in (False, True):
            part = _part(found, places, each, points, wrapped=wrapped)
            if part:
                return Layout(each, (part,))
    return None


def split(found: Table, points: float) -> Layout:
    """Return the columns in as few parts as fit into ``points``, in order, each behind the first column."""
    size = TYPES[-1]
    parts: list[Part] = []
    rest = list(range(1, len(found.columns)))
    while rest:
        for many in range(len(rest), 0, -1):
            places = [0, *rest[:many]]
            part = _part(found, places, size, points, wrapped=True, forced=many == 1)
            if part:
                parts.append(part)
                rest = rest[many:]
                break
    return Layout(size, tuple(parts))


def _part(
    found: Table, places: Sequence[int], size: Type, points: float, *, wrapped: bool, forced: bool = False
) -> Part | None:
    """Return the columns at these places, or None where they are too wide; ``forced``: never None."""
    room = SLACK * (points - 2 * size.gap * (len(places) - 1)) / size.em
    columns = [_measured(found, place, wrapped, room) for place in places]
    left = room - sum(each.natural for each in columns if not each.flexible)
    words = [each for each in columns if each.flexible]
    if left < sum(each.least for each in words):
        if not forced:
            return None
        return tuple(Fitted(each.place, each.head, share, share) for each in columns for share in [room / 2])
    rooms = _shared(words, left)
    return tuple(_fitted(each, rooms.get(each.place, each.natural)) for each in columns)


class _Measured(NamedTuple):
    """A column before it has a width: how wide it would like to be, and must be, in em."""

    place: int
    head: tuple[str, ...]
    natural: float
    least: float
    flexible: bool


def _measured(found: Table, place: int, wrapped: bool, room: float) -> _Measured:
    column = found.columns[place]
    head = _heading(column, wrapped)
    own = [row.cells[place] for row in found.rows]
    texts = [(text, BOLD if cell.loud else 1.0) for cell in own for text in _texts(cell)]
    cells = max((bold * width(text) for text, bold in texts), default=0.0)
    natural = max(cells, *map(width, head))
    flexible = wrapped and (not column.numeric or natural > room / 3)
    words = (*texts, *((text, 1.0) for text in head))
    least = max((bold * longest(text) for text, bold in words), default=0.0)
    return _Measured(place, head, natural, max(least, min(natural, NARROWEST)), flexible)


def _texts(cell: Cell) -> Iterator[str]:
    """The lines of a cell; its badge and the letter of its footnote stand behind its words."""
    badge = f" ({cell.badge})" if cell.badge else ""
    yield cell.words + badge + ("a" if cell.note else "")
    if cell.below:
        yield cell.below


def _heading(column: Column, wrapped: bool) -> tuple[str, ...]:
    """The heading on one line, or a word a line; short words stay together."""
    if column.latex or not wrapped:
        return (column.heading,)
    lines: list[str] = []
    for word in column.heading.split():
        if lines and len(lines[-1]) + len(word) < max(map(len, column.heading.split())):
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return tuple(lines) or ("",)


def _shared(words: Sequence[_Measured], left: float) -> dict[int, float]:
    """Give each column what it would like where there is room, and share the rest, by place."""
    rooms: dict[int, float] = {}
    waiting = sorted(words, key=lambda each: each.natural)
    for number, each in enumerate(waiting):
        others = sum(other.least for other in waiting[number + 1 :])
        fair = max(left / (len(waiting) - number), each.least)
        rooms[each.place] = min(each.natural, fair, left - others)
        left -= rooms[each.place]
    return rooms


def _fitted(each: _Measured, wide: float) -> Fitted:
    narrowed = wide < each.natural
    return Fitted(each.place, each.head, wide if narrowed else 0.0, wide)
