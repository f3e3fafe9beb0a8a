"""Show what an import would store, before anything is stored."""

from __future__ import annotations

from typing import NamedTuple

from common.progress import Compute, here
from retrieval.curating.aside import SetAside, set_aside
from retrieval.engine.formats.reading import ReadText
from retrieval.loading import storing
from retrieval.loading.books import check_length, split
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
    left_out: kind and words of the longest parts left out, longest first.
    remarks: what a person should be told, in sentences.
    file: how it was read.
    set_aside: what is no sentence, by kind, the kind with the longest piece first.
    """

    sentences: list[tuple[int, str]]
    ends: list[tuple[int, str]]
    n_sentences: int
    headings: list[str]
    n_headings: int
    left_out: list[tuple[str, str]]
    remarks: tuple[str, ...]
    file: ReadText
    set_aside: list[SetAside]


class SourcePreview(NamedTuple):
    """What an import would store of a source.

    paragraphs: the beginnings of the first ones.
    n_characters: how long the text is, in code points.
    remarks: what a person should be told, in sentences.
    file: how it was read.
    """

    paragraphs: list[str]
    n_characters: int
    remarks: tuple[str, ...]
    file: ReadText


def preview_book(
    book: Book,
    data: bytes,
    name: str,
    compute: Compute = here,
    *,
    encoding: str = "",
    notes: bool = False,
    least_words: int = 0,
) -> BookPreview:
    """Read and segment a file as the import does; `book` holds the facts and is not saved.

    An encoding that nobody gave is guessed, so that it can be looked at.

    Raises:
        BadInput: what the import would refuse.
    """
    storing.check_facts(book)
    file, known = storing.read_text(book, data, name, compute, encoding=encoding, guess=True)
    check_length(book.text, name, least_words)
    split(book, file, name, compute, notes=notes)
    text = book.text
    numbered = [(number, text[a:b]) for number, (a, b) in enumerate(book.sentences, 1)]
    longest_first = sorted(book.left_out, key=lambda part: part[0] - part[1])
    return BookPreview(
        sentences=numbered[:SENTENCES],
        ends=numbered[max(SENTENCES, book.n_sentences - ENDS) :],
        n_sentences=book.n_sentences,
        headings=[" ".join(text[a:b].split()) for a, b in book.headings[:HEADINGS]],
        n_headings=len(book.headings),
        left_out=[(kind, _short(text[a:b])) for a, b, kind in longest_first[:LEFT_OUT]],
        remarks=(*book.notes, *(known[1] if known else ())),
        file=file,
        set_aside=set_aside(book),
    )


def preview_source(
    source: Source, data: bytes, name: str, compute: Compute = here, *, encoding: str = ""
) -> SourcePreview:
    """Read a file as the import does; `source` holds the facts and is not saved.

    Raises:
        BadInput: what the import would refuse.
    """
    storing.check_facts(source)
    file, known = storing.read_text(source, data, name, compute, encoding=encoding, guess=True)
    beginnings = [_short(part) for part in source.text.split("\n\n", PARAGRAPHS)[:PARAGRAPHS]]
    remarks = (*source.notes, *(known[1] if known else ()))
    return SourcePreview(beginnings, len(source.text), remarks, file)


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST].rstrip()} …"
