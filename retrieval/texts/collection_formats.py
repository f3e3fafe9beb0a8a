"""The collection's numbers in every format."""

from __future__ import annotations

from typing import Any

from django.urls import reverse

from common.tables import json
from common.tables.formats import formats
from common.tables.latex import Paper
from common.tables.table import NONE, Cell, Column, Document, Records, Row, Table, table, tally
from common.tables.text import Style
from retrieval.models.texts import passage_address
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
    """Return RELiC's table 1, and what its appendix A.3 says beside it, as labels and values in words."""
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
    """Return quotations by their sentences, as in RELiC's figure 2: label and count."""
    labels = [*map(str, range(1, LENGTHS)), f"{LENGTHS} or more"]
    return list(zip(labels, found.lengths, strict=True))


def positions(found: Collection) -> list[tuple[str, int]]:
    """Return quotations by the tenth of the book they stand in, in percent: label and count."""
    step = 100 // POSITIONS
    labels = [f"{at * step}–{(at + 1) * step} %" for at in range(POSITIONS)]
    return list(zip(labels, found.positions, strict=True))


def number(value: float | None) -> str:
    """Return a mean in words, with one digit."""
    return NONE if value is None else f"{value:,.1f}"


def share(value: float | None) -> str:
    """Return a share in words, in percent."""
    return NONE if value is None else f"{value:.2%}".replace("%", " %")


def document(found: Collection) -> Document:
    """Return all tables: totals, lengths and positions of quotations, books, places that several quote."""
    sentences, part = Column("sentences", "Sentences", numeric=False), Column("part", "Part", numeric=False)
    return Document(
        "",
        (
            _totals(found),
            tally(sentences, lengths(found), "Quotations", title="Quotations by length in sentences"),
            tally(part, positions(found), "Quotations", title="Quotations by place in the book"),
            books(found),
            places(found),
        ),
    )


def _totals(found: Collection) -> Table:
    columns = (Column("what", "What", numeric=False), Column("value", "Value"))
    rows = (Row((Cell(label, label), Cell(words))) for label, words in totals(found))
    return table(columns, rows)


def books(found: Collection, *, linked: bool = False) -> Table:
    """Return a table with a row for each book; ``linked`` to the books' pages."""
    columns = (
        Column("book", "Book", numeric=False),
        Column("sentences", "Sentences"),
        Column("excerpts", "Excerpts"),
        Column("sources", "Sources"),
        Column("quoted", "Quoted"),
        Column("context_words", "Mean context"),
        Column("quotation_words", "Mean quotation"),
    )
    rows = (
        Row(
            (
                Cell(
                    row.title,
                    row.slug,
                    title=True,
                    link=reverse("retrieval:book", args=[row.slug]) if linked else "",
                ),
                _counted(row.sentences, "sentences"),
                _counted(row.excerpts, "excerpts"),
                _counted(row.sources, "sources"),
                Cell(share(row.quoted), row.quoted, short=f"{share(row.quoted)} quoted"),
                _words(row.context_words, "context"),
                _words(row.quotation_words, "quotation"),
            )
        )
        for row in found.rows
    )
    caption = "A book of n sentences has n + 1 − k candidates for a quotation of k sentences. Means in words."
    return table(columns, rows, title="Books", caption=caption)


def places(found: Collection, *, linked: bool = False) -> Table:
    """Return a table of the places several sources quote, most quoted first; ``linked`` to the book."""
    columns = (
        Column("book", "Book", numeric=False),
        Column("first", "Place"),
        Column("size", "Sentences"),
        Column("sources", "Sources"),
        Column("excerpts", "Excerpts"),
    )
    rows = (
        Row(
            (
                Cell(place.title, place.slug, title=True),
                Cell(
                    f"sentence {place.first + 1:,}",
                    place.first,
                    link=passage_address(place.slug, place.first, place.size) if linked else "",
                    spoken=f"sentence {place.first + 1:,} of {place.title}",
                ),
                _counted(place.size, "sentences"),
                _counted(place.sources, "sources"),
                _counted(place.excerpts, "excerpts"),
            )
        )
        for place in found.shared
    )
    caption = f"{found.n_shared:,} of {found.n_places:,} places"
    if found.n_shared > len(found.shared):
        caption += f"; the {len(found.shared)} most quoted"
    return table(columns, rows, title="Places several sources quote", caption=caption)


def _counted(number: int, what: str) -> Cell:
    return Cell(f"{number:,}", number, short=f"{number:,} {what}")


def _words(mean: float | None, of: str) -> Cell:
    return Cell(number(mean), mean, short="" if mean is None else f"{of} {number(mean)} words")


def data(found: Collection) -> dict[str, Any]:
    """Return everything as plain values, for JSON."""
    return {**json.plain(found), "lengths": dict(lengths(found))}


def records(found: Collection) -> Records:
    """Return a row for each book, for CSV."""
    rows = []
    for row in found.rows:
        passages = zip(PASSAGES, row.passages, strict=True)
        rows.append({**row._asdict(), **dict(passages), "book": row.slug})
    return Records(BOOK_COLUMNS, rows)


def paper(found: Collection) -> Paper:
    """Return RELiC's table 1, for LaTeX."""
    caption = f"The collection: {found.excerpts:,} excerpts in use, of {found.books:,} books."
    return Paper(_totals(found)._replace(caption=caption), "collection")


FORMATS = formats(
    document,
    data,
    records,
    paper,
    style=Style(width=None, gap=0, indent=2, heads=False, empty="none"),
)
