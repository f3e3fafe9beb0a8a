"""Show what an import would store, before anything is stored."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from retrieval.loading import storing
from retrieval.loading.books import split
from retrieval.models import Book, Source

SENTENCES, ENDS, HEADINGS, LEFT_OUT, PARAGRAPHS = 25, 5, 100, 20, 8
LONGEST = 300
"""Characters of a part left out, or of a paragraph, that are enough to recognise it."""


class BookPreview(NamedTuple):
    """What an import would store of a book.

    sentences: the first ones, with their numbers from 1.
    ends: the last ones, in the same way; none where `sentences` holds them.
    n_sentences: how many there are.
    headings: the first ones.
    n_headings: how many there are.
    left_out: kind and words of the first parts that are no sentence.
    n_left_out: how many there are of each kind, most first.
    remarks: what a person should be told, in sentences.
    """

    sentences: list[tuple[int, str]]
    ends: list[tuple[int, str]]
    n_sentences: int
    headings: list[str]
    n_headings: int
    left_out: list[tuple[str, str]]
    n_left_out: list[tuple[str, int]]
    remarks: tuple[str, ...]


class SourcePreview(NamedTuple):
    """What an import would store of a source.

    paragraphs: the beginnings of the first ones.
    n_characters: how long the text is, in code points.
    remarks: what a person should be told, in sentences.
    """

    paragraphs: list[str]
    n_characters: int
    remarks: tuple[str, ...]


def preview_book(book: Book, data: bytes, name: str) -> BookPreview:
    """Read and segment a file as the import does; `book` holds the facts and is not saved.

    Raises:
        BadInput: what the import would refuse.
    """
    storing.check_facts(book)
    known = storing.read_text(book, data, name)
    split(book, name)
    text = book.text
    numbered = [(number, text[a:b]) for number, (a, b) in enumerate(book.sentences, 1)]
    return BookPreview(
        sentences=numbered[:SENTENCES],
        ends=numbered[max(SENTENCES, book.n_sentences - ENDS) :],
        n_sentences=book.n_sentences,
        headings=[" ".join(text[a:b].split()) for a, b in book.headings[:HEADINGS]],
        n_headings=len(book.headings),
        left_out=[(kind, _short(text[a:b])) for a, b, kind in book.left_out[:LEFT_OUT]],
        n_left_out=Counter(kind for _, _, kind in book.left_out).most_common(),
        remarks=(*book.notes, *(known[1] if known else ())),
    )


def preview_source(source: Source, data: bytes, name: str) -> SourcePreview:
    """Read a file as the import does; `source` holds the facts and is not saved.

    Raises:
        BadInput: what the import would refuse.
    """
    storing.check_facts(source)
    known = storing.read_text(source, data, name)
    beginnings = [_short(part) for part in source.text.split("\n\n", PARAGRAPHS)[:PARAGRAPHS]]
    return SourcePreview(beginnings, len(source.text), (*source.notes, *(known[1] if known else ())))


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST].rstrip()} …"
