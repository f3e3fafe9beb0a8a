"""What an import set aside: headings, notes, contents and the rest that is no sentence, longest first.

A heading of a page's length is a fault of the rules, and it stands on top.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any, NamedTuple

from common.wording import counted
from retrieval.curating.rules import text_rules
from retrieval.engine.text.layout import HEADING
from retrieval.models import Book

SHOWN, LONGEST = 3, 160
"""Pieces of each kind that are shown, and their characters."""


class SetAside(NamedTuple):
    """The pieces of one kind that are no sentences.

    kind: as `layout` names it.
    number: how many there are.
    longest: the characters of the longest.
    pieces: the characters and the beginning of the longest ones, longest first.
    """

    kind: str
    number: int
    longest: int
    pieces: list[tuple[int, str]]


def set_aside(book: Book) -> list[SetAside]:
    """Return what is set aside in a book by kind, the kind with the longest piece first."""
    spans = defaultdict[str, list[tuple[int, int]]](list)
    for start, end in book.headings:
        spans[HEADING].append((start, end))
    for start, end, kind in book.left_out:
        spans[kind].append((start, end))
    rows = [_row(book.text, kind, found) for kind, found in spans.items()]
    return sorted(rows, key=lambda row: (-row.longest, row.kind))


def in_lines(rows: list[SetAside]) -> list[str]:
    """Return a sentence for each kind, for terminals and the record of an import."""
    return [
        f"Set aside {counted(row.number, 'piece')} as {row.kind}, the longest of "
        f"{counted(row.longest, 'character')}: {row.pieces[0][1]}"
        for row in rows
    ]


def record(book: Book, *, notes: bool | None = None) -> None:
    """Write into `read_as` which rules found the sentences, what is set aside, and whether notes are text."""
    kept: dict[str, Any] = {**book.read_as, "rules": text_rules()}
    if notes is not None:
        kept["notes"] = notes
    kept["set_aside"] = [
        {**row._asdict(), "pieces": [list(each) for each in row.pieces]} for row in set_aside(book)
    ]
    book.read_as = kept


def _row(text: str, kind: str, spans: list[tuple[int, int]]) -> SetAside:
    ordered = sorted(spans, key=lambda span: (span[0] - span[1], span[0]))
    pieces = [(end - start, _short(text[start:end])) for start, end in ordered[:SHOWN]]
    return SetAside(kind, len(spans), pieces[0][0], pieces)


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= LONGEST else f"{words[:LONGEST].rstrip()} …"
