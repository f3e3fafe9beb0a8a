"""A book: from a file's bytes to a stored text with its sentences."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from common.errors import BadField, BadInput
from common.progress import Compute, Progress, here, silent
from common.wording import counted
from retrieval.curating import aside
from retrieval.engine.formats.reading import ReadText
from retrieval.engine.text import sentences as segmenting
from retrieval.loading import storing
from retrieval.models import Book

LEAST_WORDS = 1000
"""Words below which the command and the page take a text for no book unless they are told."""


class ImportedBook(NamedTuple):
    """What an import of a book came to.

    book: its row.
    created: whether it is new.
    remarks: what a person should be told, in sentences.
    """

    book: Book
    created: bool
    remarks: tuple[str, ...]


def import_book(
    data: bytes,
    *,
    name: str,
    slug: str,
    title: str,
    author: str,
    year: int | None,
    language: str = "en",
    licence: str = "",
    encoding: str = "",
    notes: bool = False,
    least_words: int = 0,
    progress: Progress | None = None,
    compute: Compute = here,
    also: Callable[[ImportedBook], object] | None = None,
) -> ImportedBook:
    """Store a text as a book, or return the book that already has its slug and text.

    `name` is what errors call the file. The same slug with the same text adds
    nothing, and facts that differ are reported but not changed. `encoding` as in `encodings.decode`; with
    `notes` the author's footnotes are sentences; `least_words` refuses what is too short to be a book; `also`
    as in `storing.write`.

    Raises:
        BadInput: one sentence naming the file or the field; nothing is stored.
    """
    tell = progress or silent
    book = Book(slug=slug, title=title, author=author, year=year, language=language, licence=licence)
    storing.check_facts(book)
    tell(0, 3, "reading")
    file, known = storing.read_text(book, data, name, compute, encoding=encoding)
    if known:
        remarks = (*known[1], *_other_notes(known[0], notes))
        return storing.write(lambda: ImportedBook(known[0], False, remarks), also)
    check_length(book.text, name, least_words)
    tell(1, 3, "splitting into sentences")
    split(book, file, name, compute, notes=notes)
    tell(2, 3, "storing")
    imported = storing.write(lambda: ImportedBook(*storing.store(book, name)), also)
    tell(3, 3, "stored")
    return imported


def check_length(text: str, name: str, least_words: int) -> None:
    """Raise `BadInput` for a text with fewer words than a book has.

    Raises:
        BadField: naming the switch that lets it pass; the field is `short`.
    """
    words = len(text.split())
    if words < least_words:
        raise BadField(
            "short",
            f"{name} has {counted(words, 'word')}, and a book has at least {least_words:,}. Where it is "
            "meant, --short on the command line, or “A short text” on the page, lets it pass.",
        )


def split(book: Book, file: ReadText, name: str, compute: Compute = here, *, notes: bool = False) -> None:
    """Set the sentences, headings and other parts set aside of the book's text, and record what they came to.

    Raises:
        BadInput: there is no sentence in it.
    """
    found = compute(partial(segmenting.segment, notes=notes, known=file.known), book.text)
    if not found.sentences:
        raise BadInput(f"{name} holds no sentence: only headings or what is no part of a book.")
    book.sentences = [list(bounds) for bounds in found.sentences]
    book.headings = [list(bounds) for bounds in found.headings]
    book.left_out = [list(part) for part in found.left_out]
    book.marked = [[start, kind] for start, kind in sorted(file.known.items())]
    book.n_sentences = len(book.sentences)
    aside.record(book, notes=notes)


def _other_notes(book: Book, notes: bool) -> tuple[str, ...]:
    there = bool(book.read_as.get("notes"))
    said = {True: "are sentences", False: "are set aside"}
    return () if there == notes else (f"Not changed: the author's footnotes {said[there]}.",)
