"""What a report is made of: tables, paragraphs and lists of points, as values that know no format.

A cell holds its value at full precision, for scripts, and its words, for people. Which characters a format
needs, where a column stands and which letter a footnote has is the writer's business.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import count, groupby
from typing import Any, NamedTuple

NONE = "—"
Value = str | int | float | bool | None

# What would end a line or steer a terminal.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


class Column(NamedTuple):
    """One column.

    name: its key in JSON and CSV.
    heading: what stands above it.
    numeric: numbers and their like, set flush right.
    main: the column that a reader looks for first; pages print it bold.
    short: the heading in plain text, None where it is the same.
    latex: the heading as LaTeX's own code, such as ``$n$``; empty where it is the heading, escaped.
    prose: holds sentences, a line each; pages set them small.
    group: what stands above it and its neighbours of the same group; empty for nothing.
    """

    name: str
    heading: str
    numeric: bool = True
    main: bool = False
    short: str | None = None
    latex: str = ""
    prose: bool = False
    group: str = ""


class Cell(NamedTuple):
    """One cell.

    words: as people read it; empty where there is nothing.
    value: the same at full precision, None where there is none.
    below: small print under the words, such as an interval.
    note: the text of a footnote on this cell.
    badge: a mark behind the words, such as ``simulated``.
    badge_kind: how pages print it: ``bad`` for a warning, ``wait`` for what is open, ``soft`` for small
        print, empty for none of these.
    short: the words in plain text, None where they are the same.
    link: the address of a page about it.
    spoken: more words for those who do not see where the cell stands.
    title: whether the words are the title of a work, which pages print as one.
    bar: drawn on pages, this share of the longest bar wide; None without.
    loud: whether it is printed bold, on pages, in LaTeX and in Markdown.
    moment: what the words say, which pages give in the reader's own time; None where it is no moment.
    """

    words: str
    value: Value = None
    below: str = ""
    note: str = ""
    badge: str = ""
    badge_kind: str = "bad"
    short: str | None = None
    link: str = ""
    spoken: str = ""
    title: bool = False
    bar: float | None = None
    loud: bool = False
    moment: datetime | None = None


class About(NamedTuple):
    """What a row's number is, for pages; every field but the first may be empty.

    definition, formula, source: of the number.
    method: how its interval was made.
    chance: what chance means in it.
    reason: why it has no value or no interval, where that is no footnote.
    open: whether formula and source are read without a click.
    """

    definition: str
    formula: str = ""
    source: str = ""
    method: str = ""
    chance: str = ""
    reason: str = ""
    open: bool = False


class Row(NamedTuple):
    """One row.

    cells: one for each column; the first names the row.
    aside: whether it stands beside the results, such as what a random order gives; pages print it paler.
    name: its anchor on a page.
    about: what its number is.
    """

    cells: tuple[Cell, ...]
    aside: bool = False
    name: str = ""
    about: About | None = None


class Section(NamedTuple):
    """Rows that belong together.

    rows: the rows, in order.
    heading: what stands above them; may be empty.
    """

    rows: tuple[Row, ...]
    heading: str = ""


class Table(NamedTuple):
    """A table.

    columns: the first names the rows.
    sections: its rows in groups.
    title: its name.
    caption: how it is to be read.
    beneath: what the small print of its cells is, such as ``95 % intervals``; empty without any.
    totals: a last row on all of them, on pages; None without.
    """

    columns: tuple[Column, ...]
    sections: tuple[Section, ...]
    title: str = ""
    caption: str = ""
    beneath: str = ""
    totals: Row | None = None

    @property
    def rows(self) -> tuple[Row, ...]:
        """Return the rows of all sections."""
        return tuple(row for section in self.sections for row in section.rows)

    @property
    def groups(self) -> tuple[tuple[str, int], ...]:
        """Return the groups of columns with how many stand in each; none where no column has one."""
        if not any(column.group for column in self.columns):
            return ()
        return tuple((name, len(list(some))) for name, some in groupby(each.group for each in self.columns))


class Records(NamedTuple):
    """Rows for scripts, as CSV writes them.

    columns: names of the columns, in order.
    rows: values by column; a column that a row lacks is an empty cell.
    """

    columns: tuple[str, ...]
    rows: Iterable[Mapping[str, Any]]


class Paragraph(NamedTuple):
    """Some sentences.

    text: plain text, in which a line end begins a new line.
    loud: whether they warn.
    """

    text: str
    loud: bool = False


class Points(NamedTuple):
    """A list of points.

    items: a sentence or two each.
    heading: what stands above them; may be empty.
    """

    items: tuple[str, ...]
    heading: str = ""


Block = Table | Paragraph | Points


class Document(NamedTuple):
    """A report for people.

    title: its heading.
    blocks: tables, paragraphs and lists, in order.
    """

    title: str
    blocks: tuple[Block, ...]


class Footnote(NamedTuple):
    """A footnote of a table.

    letter: its mark: a, b, … z, aa.
    row: the cell that names the row it belongs to.
    text: what it says.
    """

    letter: str
    row: Cell
    text: str


class MarkedRow(NamedTuple):
    """A row with the marks of its footnotes.

    row: the row.
    letters: one for each cell, empty where it has no footnote.
    """

    row: Row
    letters: tuple[str, ...]


def table(columns: Iterable[Column], rows: Iterable[Row], **more: Any) -> Table:
    """Make a table of one section; ``more`` are fields of `Table`."""
    return Table(tuple(columns), (Section(tuple(rows)),), **more)


def tally(what: Column, rows: Iterable[tuple[str, int]], counted: str = "How often", **more: Any) -> Table:
    """Make a table of how often each thing was ``counted``; ``more`` are fields of `Table`."""
    cells = ((Cell(label, label), Cell(f"{number:,}", number)) for label, number in rows)
    return table((what, Column(counted.lower().replace(" ", "_"), counted)), map(Row, cells), **more)


def counts(what: Column, counted: str, found: Mapping[int, int], caption: str) -> Table:
    """Make a table of how many ``counted`` have how many of ``what``; the longest bar is 100 % wide."""
    most = max(found.values(), default=0) or 1
    columns = (what, Column("counted", counted), Column("bar", ""))
    rows = [
        Row((Cell(str(size), size), Cell(str(number), number), Cell("", bar=number / most)))
        for size, number in sorted(found.items())
    ]
    return table(columns, rows, caption=caption)


def marked(found: Table) -> tuple[list[list[MarkedRow]], list[Footnote]]:
    """Return the rows of each section with the letters of their footnotes, and the footnotes in order."""
    letters = _letters()
    sections: list[list[MarkedRow]] = []
    notes: list[Footnote] = []
    for section in found.sections:
        sections.append([])
        for row in section.rows:
            mine = tuple(next(letters) if cell.note else "" for cell in row.cells)
            notes += [
                Footnote(letter, row.cells[0], cell.note)
                for letter, cell in zip(mine, row.cells, strict=True)
                if letter
            ]
            sections[-1].append(MarkedRow(row, mine))
    return sections, notes


def _letters() -> Iterator[str]:
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    return (letter * times for times in count(1) for letter in alphabet)


def one_line(text: str) -> str:
    """Return the text without line ends and other control characters, which no cell can hold."""
    return _CONTROL.sub(" ", text).strip() if _CONTROL.search(text) else text
