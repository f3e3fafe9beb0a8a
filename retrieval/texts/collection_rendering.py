"""The collection's numbers as a table, as JSON, and as CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from typing import Any

from retrieval.texts.collection import LENGTHS, POSITIONS, Collection

NONE = "—"
BOOK_COLUMNS = (
    "book",
    "sentences",
    *(f"passages_{size}" for size in range(1, LENGTHS + 1)),
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


def render(found: Collection, style: str) -> str:
    """`table` for a terminal, `json` with everything, `csv` with a row a book."""
    return {"table": _table, "json": _json, "csv": _csv}[style](found)


def number(value: float | None) -> str:
    return NONE if value is None else f"{value:,.1f}"


def share(value: float | None) -> str:
    return NONE if value is None else f"{value:.2%}".replace("%", " %")


def _table(found: Collection) -> str:
    sections = [
        _columns(totals(found)),
        "Quotations by length in sentences",
        _columns([(label, f"{count:,}") for label, count in lengths(found)]),
        "Quotations by place in the book",
        _columns([(label, f"{count:,}") for label, count in positions(found)]),
        "Books",
        _columns(
            [
                (row.title, f"{row.sentences:,} sentences", f"{row.excerpts:,} excerpts", share(row.quoted))
                for row in found.rows
            ]
        ),
        "Places several sources quote",
        _columns(
            [
                (place.title, f"sentence {place.first + 1:,}", f"{place.size}", f"{place.sources} sources")
                for place in found.shared
            ]
        ),
    ]
    return "\n".join(section for section in sections if section)


def _columns(rows: Sequence[tuple[str, ...]]) -> str:
    """Rows with the first column flush left and the others flush right."""
    if not rows:
        return "  none"
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            ["", row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))]
        )
        for row in rows
    )


def _json(found: Collection) -> str:
    whole: dict[str, Any] = found._asdict()
    whole["lengths"] = dict(lengths(found))
    whole["positions"] = list(found.positions)
    whole["shared"] = [place._asdict() for place in found.shared]
    whole["rows"] = [row._asdict() for row in found.rows]
    return json.dumps(whole, ensure_ascii=False, indent=2)


def _csv(found: Collection) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(BOOK_COLUMNS)
    writer.writerows(_cells(found))
    return out.getvalue().rstrip("\n")


def _cells(found: Collection) -> Iterator[list[object]]:
    for row in found.rows:
        yield [
            row.slug,
            row.sentences,
            *row.passages,
            row.excerpts,
            row.sources,
            row.quoted,
            "" if row.context_words is None else row.context_words,
            "" if row.quotation_words is None else row.quotation_words,
        ]
