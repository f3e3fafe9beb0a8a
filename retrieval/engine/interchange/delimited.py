"""Documents in tables of tabs: MS MARCO's collections, and any table whose head names its columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from retrieval.engine.interchange.documents import IDS, TEXTS, ReadDocument, checked
from retrieval.engine.interchange.lines import Line, Wrong
from retrieval.engine.interchange.objects import checked_id

_PLAIN = {2: ("id", "text"), 4: ("id", "url", "title", "text")}
"""The columns of a table without a head, by how many there are: MS MARCO's passages and documents."""
_VALUES = ("genre", "language", "source", "lemmata")


def columns_of(first: Line, wrong: Wrong) -> tuple[tuple[str, ...], bool]:
    """Return the names of a table's columns, and whether its first line is a head that names them.

    A head begins with one of the names of an id; the text may be called by any of `documents.TEXTS`.

    Raises:
        BadInput: it is a head without a text or with a name twice, or none and not of two or four columns.
    """
    cells = [cell.strip() for cell in first.text.split("\t")]
    if cells[0].lower() not in IDS:
        if len(cells) not in _PLAIN:
            raise wrong(
                first.number,
                f"{len(cells)} columns between tabs; id and text were expected, or id, address, title and "
                "text, or a head that names the columns (id, title, text …); a table of verses is read with "
                "--format verses.",
            )
        return _PLAIN[len(cells)], False
    names = ["id", *(cell.lower() for cell in cells[1:])]
    if called := next((name for name in TEXTS if name in names), None):
        names[names.index(called)] = "text"
    if "text" not in names or len(set(names)) < len(names) or "" in names:
        raise wrong(first.number, "the head needs the column text, and each name once.")
    return tuple(names), True


def table(lines: Iterable[Line], wrong: Wrong, columns: tuple[str, ...]) -> Iterator[ReadDocument]:
    """Yield the document of each line that is not blank; the head is not among them.

    Columns beside id, title, text, genre, year, language, source and lemmata are kept as `extra`.

    Raises:
        BadInput: a line has too few or too many columns, or a value that is none.
    """
    for line in lines:
        if not line.text.strip():
            continue
        cells = line.text.split("\t")
        if len(cells) != len(columns):
            raise wrong(line.number, f"{len(cells)} columns between tabs; {len(columns)} were expected.")
        row = dict(zip(columns, (cell.strip() for cell in cells), strict=True))
        genre, language, source, lemmata = (row.pop(name, "") for name in _VALUES)
        yield checked(
            ReadDocument(
                checked_id(row.pop("id"), line.number, wrong),
                row.pop("title", ""),
                row.pop("text"),
                genre,
                _year(row.pop("year", ""), line, wrong),
                language,
                source,
                {name: value for name, value in row.items() if value},
                line.number,
                line.number,
                line.end,
                lemmata,
            ),
            wrong,
        )


def _year(cell: str, line: Line, wrong: Wrong) -> int | None:
    if not cell:
        return None
    if not (cell.isascii() and cell.removeprefix("-").isdigit() and len(cell) < 6):
        raise wrong(line.number, f"the year {cell[:20]!r} is no whole number.")
    return int(cell)
