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
LONGEST, LONGEST_SENTENCE = 300, 1000
"""Characters that are enough to recognise a paragraph or what is set aside, and to judge a sentence."""


class BookPreview(NamedTuple):
    """What an import would store of a book.

    sentences: the first ones, with their numbers from 1; of a very long one its beginning.
    ends: the last ones, in the same way; none where `sentences` holds them.
    n_sentences: how many there are.
    headings: the first ones.
    n_headings: how many there are.
    left_out: kind and words of the longest other parts set aside, longest first.
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
    ends = range(max(SENTENCES, book.n_sentences - ENDS), book.n_sentences)
    longest_first = sorted(book.left_out, key=lambda part: part[0] - part[1])
    return BookPreview(
        sentences=_numbered(book, range(min(SENTENCES, book.n_sentences))),
        ends=_numbered(book, ends),
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


def _numbered(book: Book, which: range) -> list[tuple[int, str]]:
    bounds = ((at + 1, book.sentences[at]) for at in which)
    return [(number, _short(book.text[a:b], LONGEST_SENTENCE)) for number, (a, b) in bounds]


def _short(text: str, longest: int = LONGEST) -> str:
    return text if len(text) <= longest else f"{text[:longest].rstrip()} …"
