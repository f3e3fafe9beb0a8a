"""A book: from a file's bytes to a stored text with its sentences."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from common.errors import BadInput
from common.progress import Compute, Progress, here, silent
from retrieval.engine.text import sentences as segmenting
from retrieval.loading import storing
from retrieval.models import Book


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
    progress: Progress | None = None,
    compute: Compute = here,
    also: Callable[[ImportedBook], object] | None = None,
) -> ImportedBook:
    """Store a plain text as a book, or return the book that already has its slug and text.

    `name` is what errors call the file. The same slug with the same text adds
    nothing, and facts that differ are reported but not changed. `also` is called
    with the result, in its transaction.

    Raises:
        BadInput: one sentence naming the file or the field; nothing is stored.
    """
    tell = progress or silent
    book = Book(slug=slug, title=title, author=author, year=year, language=language, licence=licence)
    storing.check_facts(book)
    tell(0, 3, "reading")
    known = storing.read_text(book, data, name, compute)
    if known:
        return storing.write(lambda: ImportedBook(known[0], False, known[1]), also)
    tell(1, 3, "splitting into sentences")
    split(book, name, compute)
    tell(2, 3, "storing")
    imported = storing.write(lambda: ImportedBook(*storing.store(book, name)), also)
    tell(3, 3, "stored")
    return imported


def split(book: Book, name: str, compute: Compute = here) -> None:
    """Set the sentences, headings and parts left out of the book's text.

    Raises:
        BadInput: there is no sentence in it.
    """
    found = compute(segmenting.segment, book.text)
    if not found.sentences:
        raise BadInput(f"{name} holds no sentence: only headings or what is no part of a book.")
    book.sentences = [list(bounds) for bounds in found.sentences]
    book.headings = [list(bounds) for bounds in found.headings]
    book.left_out = [list(part) for part in found.left_out]
    book.n_sentences = len(book.sentences)
