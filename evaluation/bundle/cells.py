"""The cells of a report as it was written: what stands where, so that two of them can be laid side by side.

Each reader takes a text to pieces and loses nothing that a person could read: what is in no table is a line.
"""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from io import StringIO
from itertools import zip_longest
from typing import Any, NamedTuple, NoReturn

from common import strict_json

RELATIVE, ABSOLUTE = 1e-9, 1e-12
"""Numbers at full precision are equal up to this: another processor may round the last digits otherwise."""
LONGEST, SHORT, BEFORE = 120, 40, 30
TITLE = 60


class Cell(NamedTuple):
    """One cell: its table, row and column, in words, and what stands there."""

    table: str
    row: str
    column: str
    value: str

    @property
    def told(self) -> bool:
        """Return whether it is a sentence, or a line that stands in no table."""
        return not self.column or (len(self.value) > SHORT and " " in self.value)

    @property
    def place(self) -> str:
        """Return where it stands."""
        parts = (("table", self.table), ("row", self.row), ("column", self.column))
        return ", ".join(f"{name} “{shown(value)}”" for name, value in parts if value)


class Difference(NamedTuple):
    """The first cell in which two texts differ; one of them may have none there."""

    shipped: Cell | None
    computed: Cell | None

    def __str__(self) -> str:
        if self.shipped is None or self.computed is None:
            cell = self.shipped or self.computed or Cell("", "", "", "")
            sides = [f"“{shown(each.value)}”" if each else "nothing" for each in self]
            return f"{cell.place}: shipped {sides[0]}, computed again {sides[1]}"
        shipped, computed = _from_there(self.shipped.value, self.computed.value)
        if self.shipped[1:3] == self.computed[1:3]:
            return f"{self.shipped.place}: shipped “{shipped}”, computed again “{computed}”"
        return (
            f"{self.shipped.place}: shipped “{shipped}”; computed again, there stands "
            f"{self.computed.place}: “{computed}”"
        )


class Compared(NamedTuple):
    """Two texts laid side by side.

    cells: of the shipped one.
    first: where they differ first, None where they do not.
    rounded: numbers that differ in digits behind the ninth alone.
    """

    cells: int
    first: Difference | None
    rounded: int = 0


def shown(text: str) -> str:
    """Return a text for a terminal: on one line, nothing in it that steers, its beginning if it is long."""
    plain = "".join(each if each.isprintable() else " " for each in text)
    return plain if len(plain) <= LONGEST else f"{plain[:LONGEST]}…"


def _from_there(one: str, other: str) -> tuple[str, str]:
    """Return two texts for a terminal, without most of a long beginning that they share."""
    pairs = enumerate(zip(one, other, strict=False))
    same = next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))
    cut = same - BEFORE if max(len(one), len(other)) > LONGEST and same > BEFORE else 0
    first, second = (f"…{text[cut:]}" if cut else text for text in (one, other))
    return shown(first), shown(second)


def compared(ending: str, shipped: str, computed: str) -> Compared:
    """Compare two texts of the format whose file has this ending: numbers first, then the sentences on them.

    Raises ValueError where the shipped one is not of that format.
    """
    mine, theirs = list(READERS[ending](shipped)), list(READERS[ending](computed))
    first, rounded = _first(
        (each for each in mine if not each.told), (each for each in theirs if not each.told)
    )
    if not first:
        first, rounded = _first(mine, theirs)
    if shipped != computed and not rounded and not first:
        first = _first_line(shipped, computed)
    return Compared(len(mine), first, rounded)


def _first(shipped: Iterable[Cell], computed: Iterable[Cell]) -> tuple[Difference | None, int]:
    """Return where the cells differ first, and how many before that are rounded otherwise."""
    rounded = 0
    for mine, theirs in zip_longest(shipped, computed):
        if mine == theirs:
            continue
        if mine is None or theirs is None or mine[1:3] != theirs[1:3]:
            return Difference(mine, theirs), rounded
        if mine.value != theirs.value:
            if not _near(mine.value, theirs.value):
                return Difference(mine, theirs), rounded
            rounded += 1
    return None, rounded


def _first_line(shipped: str, computed: str) -> Difference:
    """Return the first of the lines that differ, of two texts with the same cells."""
    lines = enumerate(zip_longest(shipped.split("\n"), computed.split("\n")), 1)
    number, sides = next((at, pair) for at, pair in lines if pair[0] != pair[1])
    mine, theirs = (None if each is None else Cell("", f"line {number}", "", each) for each in sides)
    return Difference(mine, theirs)


def _near(one: str, other: str) -> bool:
    """Whether both are numbers at full precision that differ in digits behind the ninth alone."""
    first, second = _precise(one), _precise(other)
    if first is None or second is None:
        return False
    return math.isclose(first, second, rel_tol=RELATIVE, abs_tol=ABSOLUTE)


def _precise(text: str) -> float | None:
    """Return the number that scripts write so; None for whole ones, and where it is none."""
    if len(text) > SHORT or not {".", "e"} & set(text):
        return None
    try:
        return float(text)
    except ValueError:
        return None


def of_json(text: str) -> Iterator[Cell]:
    """Yield each value; the table is the key at the top, the row what lies between it and the last key."""

    def walk(value: Any, path: tuple[str, ...]) -> Iterator[Cell]:
        if isinstance(value, Mapping) and value:
            for name, each in value.items():
                yield from walk(each, (*path, name))
        elif isinstance(value, list) and value:
            for number, each in enumerate(value, 1):
                yield from walk(each, (*path, _named(each, number)))
        else:
            words = value if isinstance(value, str) else json.dumps(value)
            top, *between = path[:-1] or ("",)
            yield Cell(top, " › ".join(between), path[-1] if path else "", words)

    return walk(strict_json.loads(text, _refuse, _refuse), ())


def _refuse(what: str) -> NoReturn:
    """Refuse a key that stands twice, of which a reader sees the one and this check another; and NaN."""
    raise ValueError(f"{shown(what)} stands there twice, or is no number of JSON")


def _named(value: Any, number: int) -> str:
    """Return the number of a thing in a list, with the name it gives itself."""
    names = ("measure", "pseudonym", "annotator", "name", "version")
    said = next((value[name] for name in names if name in value), None) if isinstance(value, dict) else None
    return f"{number} ({said})" if isinstance(said, str | int) else str(number)


def of_csv(text: str) -> Iterator[Cell]:
    """Yield each cell; a row is called by its line, and by the annotator and the number it is of."""
    rows = csv.reader(StringIO(text, newline=""), strict=True)
    head: list[str] = []
    for line, row in enumerate(rows, 1):
        if not head:
            head = row
        named = dict(zip(head, row, strict=False))
        said = " ".join(filter(None, (named.get("annotator"), named.get("number")))) if line > 1 else ""
        for place, value in enumerate(row):
            column = head[place] if place < len(head) else str(place + 1)
            yield Cell("", f"line {line}" + (f" ({said})" if said else ""), column, value)


def of_markdown(text: str) -> Iterator[Cell]:
    """Yield the cells of tables, called by what stands above them; all other lines whole."""
    return _of_lines(text, lambda line: _PIPES.split(line[2:-2]) if line.startswith("| ") else [], _above)


_PIPES = re.compile(r"(?<!\\)(?:\\\\)* \| ")


def of_latex(text: str) -> Iterator[Cell]:
    """Yield the cells of tables, called by their captions; all other lines whole."""

    def cells(line: str) -> list[str]:
        return _AMPERSANDS.split(line[:-3]) if line.endswith(" \\\\") and " & " in line else []

    def name(line: str, before: str) -> str:
        return line[9:-1] if line.startswith("\\caption{") else before

    return _of_lines(text, cells, name)


_AMPERSANDS = re.compile(r"(?<!\\) & ")


def _above(line: str, before: str) -> str:
    return line.lstrip("# ") or before


def _of_lines(
    text: str, cells: Callable[[str], list[str]], name: Callable[[str, str], str]
) -> Iterator[Cell]:
    """Yield cells of lines that are rows; the first of rows in a row is their heading."""
    title, tables = "", 0
    head: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        row = cells(line)
        if not row:
            head = head if line in WITHIN else []
            title = name(line, title)
            yield Cell("", f"line {number}", "", line)
            continue
        tables += not head
        head = head or row
        for place, value in enumerate(row):
            column = head[place] if place < len(head) else str(place + 1)
            yield Cell(_titled(tables, title), row[0], column, value)


WITHIN = ("\\midrule",)
"""Lines of LaTeX between the rows of one table."""


def _titled(number: int, title: str) -> str:
    """Return what a table is called that may have no title of its own."""
    return f"{number}: {title[:TITLE]}{'…' if len(title) > TITLE else ''}" if title else str(number)


def of_text(text: str) -> Iterator[Cell]:
    """Yield the cells of aligned tables, where a column's cells end below each other; other lines whole."""
    title, tables = "", 0
    ends: dict[int, str] = {}
    for number, line in enumerate(text.split("\n"), 1):
        found = [(each.group(), each.end()) for each in _WORDS.finditer(line)]
        if not line:
            ends = {}
        if len(found) < 2:
            title = line
            yield Cell("", f"line {number}", "", line)
            continue
        if not ends:
            ends, tables = {end: words for words, end in found}, tables + 1
        for place, (words, end) in enumerate(found):
            nearest = min(ends, key=lambda known: abs(known - end))
            column = "name" if line[0] != " " and not place else ends[nearest]
            yield Cell(_titled(tables, title), found[0][0], column, words)


_WORDS = re.compile(r"\S+(?: \S+)*")

READERS: dict[str, Callable[[str], Iterator[Cell]]] = {
    "txt": of_text,
    "json": of_json,
    "csv": of_csv,
    "tex": of_latex,
    "twocolumn.tex": of_latex,
    "md": of_markdown,
}
"""By the ending of a format's files."""
