"""The collection's numbers in every format."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from common.tables import json
from common.tables.formats import formats
from common.tables.latex import Paper
from common.tables.table import NONE, Cell, Column, Document, Records, Row, Table, table
from common.tables.text import Style
from retrieval.texts.collection import LENGTHS, POSITIONS, Collection

PASSAGES = tuple(f"passages_{size}" for size in range(1, LENGTHS + 1))
BOOK_COLUMNS = (
    "book",
    "sentences",
    *PASSAGES,
    "excerpts",
    "sources",
    "quoted",
    "context_words",
    "quotation_words",
)


def totals(found: Collection) -> list[tuple[str, str]]:
    """RELiC's table 1 and what its appendix A.3 says beside it: label and value."""
    return [
        ("Excerpts", f"{found.excerpts:,}"),
        ("Books", f"{found.books:,}"),
        ("Sources", f"{found.sources:,}"),
        ("Sources that quote", f"{found.quoting:,}"),
        ("Mean context, words", number(found.context_words)),
        ("Mean quotation, words", number(found.quotation_words)),
        ("Mean excerpts a book", number(found.per_book)),
        ("Mean sources a book", number(found.sources_per_book)),
        ("Mean excerpts a source", number(found.per_source)),
        ("Mean share of a book’s sentences quoted", share(found.quoted)),
        ("Places quoted", f"{found.n_places:,}"),
        ("Places several sources quote", f"{found.n_shared:,}"),
        ("Excerpts without a place", f"{found.unplaced:,}"),
        ("Excerpts rejected", f"{found.rejected:,}"),
        ("Excerpts superseded", f"{found.superseded:,}"),
    ]


LENGTH_TICKS = [*map(str, range(1, LENGTHS)), f"{LENGTHS}+"]
POSITION_TICKS = [str(at * 100 // POSITIONS) for at in range(POSITIONS)]


def lengths(found: Collection) -> list[tuple[str, int]]:
    """Figure 2: quotations by their sentences."""
    labels = [*map(str, range(1, LENGTHS)), f"{LENGTHS} or more"]
    return list(zip(labels, found.lengths, strict=True))


def positions(found: Collection) -> list[tuple[str, int]]:
    """Quotations by the part of the book they stand in, in percent from its beginning."""
    step = 100 // POSITIONS
    labels = [f"{at * step}–{(at + 1) * step} %" for at in range(POSITIONS)]
    return list(zip(labels, found.positions, strict=True))


def number(value: float | None) -> str:
    return NONE if value is None else f"{value:,.1f}"


def share(value: float | None) -> str:
    return NONE if value is None else f"{value:.2%}".replace("%", " %")


def document(found: Collection) -> Document:
    """The totals, how long quotations are and where they stand, the books, and places quoted twice."""
    sentences, part = Column("sentences", "Sentences", numeric=False), Column("part", "Part", numeric=False)
    return Document(
        "",
        (
            _totals(found),
            _counts("Quotations by length in sentences", sentences, lengths(found)),
            _counts("Quotations by place in the book", part, positions(found)),
            _books(found),
            _places(found),
        ),
    )


def _totals(found: Collection) -> Table:
    columns = (Column("what", "What", numeric=False), Column("value", "Value"))
    rows = (Row((Cell(label, label), Cell(words))) for label, words in totals(found))
    return table(columns, rows)


def _counts(title: str, first: Column, counts: Sequence[tuple[str, int]]) -> Table:
    rows = (Row((Cell(label, label), Cell(f"{number:,}", number))) for label, number in counts)
    return table((first, Column("quotations", "Quotations")), rows, title=title)


def _books(found: Collection) -> Table:
    columns = [Column("book", "Book", numeric=False), Column("sentences", "Sentences")]
    columns += [Column("excerpts", "Excerpts"), Column("quoted", "Quoted")]
    rows = (
        Row(
            (
                Cell(row.title, row.slug),
                Cell(f"{row.sentences:,}", row.sentences, short=f"{row.sentences:,} sentences"),
                Cell(f"{row.excerpts:,}", row.excerpts, short=f"{row.excerpts:,} excerpts"),
                Cell(share(row.quoted), row.quoted),
            )
        )
        for row in found.rows
    )
    return table(columns, rows, title="Books")


def _places(found: Collection) -> Table:
    columns = [Column("book", "Book", numeric=False), Column("first", "Place")]
    columns += [Column("size", "Sentences"), Column("sources", "Sources")]
    rows = (
        Row(
            (
                Cell(place.title, place.slug),
                Cell(f"sentence {place.first + 1:,}", place.first),
                Cell(str(place.size), place.size),
                Cell(str(place.sources), place.sources, short=f"{place.sources} sources"),
            )
        )
        for place in found.shared
    )
    return table(columns, rows, title="Places several sources quote")


def data(found: Collection) -> dict[str, Any]:
    """Everything as plain values."""
    return {**json.plain(found), "lengths": dict(lengths(found))}


def records(found: Collection) -> Records:
    """A row a book."""
    rows = []
    for row in found.rows:
        passages = zip(PASSAGES, row.passages, strict=True)
        rows.append({**row._asdict(), **dict(passages), "book": row.slug})
    return Records(BOOK_COLUMNS, rows)


def paper(found: Collection) -> Paper:
    """RELiC's table 1."""
    return Paper(_totals(found)._replace(caption="The collection."), "collection")


FORMATS = formats(
    document,
    data,
    records,
    paper,
    style=Style(width=None, gap=0, indent=2, heads=False, empty="none"),
)
