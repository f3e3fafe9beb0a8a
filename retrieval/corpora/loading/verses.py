"""A corpus of verses from a table: in the order of their books, each with its lemmas."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, NamedTuple

from common.errors import BadInput
from common.wording import counted
from retrieval.corpora.loading.staging import LEFT_OUT, Place, Placed
from retrieval.corpora.models import Corpus
from retrieval.engine.interchange import verses
from retrieval.engine.interchange.documents import ReadDocument, checked
from retrieval.engine.interchange.lines import Line, lines, opened, printable, sha256, wrong_in
from retrieval.engine.interchange.objects import checked_id
from retrieval.engine.interchange.verses import ReadVerse

FORMAT = "verses"
TOLD = 20
"""Books that are named where something is said of them."""


class Books(NamedTuple):
    """The order of the books, and which belong together.

    places: the place of each book, from 0.
    genres: the genre of its verses: the name of its list, without the ending.
    files: name and sha256 of each list, as a recipe keeps them.
    """

    places: dict[str, int]
    genres: dict[str, str]
    files: list[dict[str, str]]


def read_books(paths: Sequence[Path]) -> Books:
    """Read lists of books, one a line, in their canonical order.

    Raises:
        BadInput: a list cannot be read, is empty, or names a book that was named before.
    """
    found = Books({}, {}, [])
    for path in paths:
        name = printable(path)
        wrong, before = wrong_in(name), len(found.places)
        with opened(path) as stream:
            for line in lines(stream, name):
                book = line.text.strip()
                if book in found.places:
                    raise wrong(line.number, f"the book “{book}” is named twice; once is enough.")
                if book:
                    found.places[book] = len(found.places)
                    found.genres[book] = Path(name).stem
        if len(found.places) == before:
            raise BadInput(f"{name} names no book; a list of books was expected, one a line.")
        found.files.append({"name": name, "sha256": sha256(path)})
    return found


def documents(stream: IO[bytes], corpus: Corpus, books: Books) -> Iterator[Placed]:
    """Yield the verses that are not stored yet, in the order of the table, each with its place in the corpus.

    The table is read twice: first for the order, of which only names and lines are held.

    Args:
        stream: The table.
        corpus: As far as it is loaded.
        books: In their order; a book that no list names stands behind them, in the order of the table.

    Raises:
        BadInput: a line is no verse, or a verse stands in the table twice.
    """
    name = corpus.recipe["name"]
    wrong = wrong_in(name)
    head = next(lines(stream, name), Line(1, "", 0))
    header = verses.columns_of(head, wrong)

    def rows(begin: int, number: int) -> Iterator[ReadVerse]:
        return verses.table(lines(stream, name, begin=begin, number=number), wrong, header)

    first = (head.end, head.number)
    places = _places(rows(*first), corpus, books)
    for each in rows(*max(first, (corpus.read_to, corpus.read_lines))):
        document = checked(_document(each, books), wrong)
        checked_id(document.external_id, each.line.number, wrong)
        yield document, Place(number=places.get(each.line.number))


def told(corpus: Corpus, books: Books) -> list[str]:
    """Return sentences on books that no list names, and on those of the lists that are not there."""
    rows = corpus.documents.order_by("source_key").values_list("source_key", flat=True)
    there = set(rows.distinct())
    said: list[str] = []
    if not books.places:
        return said
    for names, what in (
        (sorted(there - set(books.places)), "of no list, at the end and without a genre"),
        ([book for book in books.places if book not in there], "of the lists that the table does not have"),
    ):
        if names:
            more = " …" if len(names) > TOLD else ""
            said.append(f"{counted(len(names), 'book')} {what}: {', '.join(names[:TOLD])}{more}.")
    return said


def _places(rows: Iterator[ReadVerse], corpus: Corpus, books: Books) -> dict[int, int]:
    """Return the number of each verse in its corpus, by its line.

    Raises:
        BadInput: a verse stands in the table twice.
    """
    order, seen = dict(books.places), dict[verses.VerseId, int]()
    keys: list[tuple[int, int, int, int]] = []
    for each in rows:
        line = each.line.number
        if each.id in seen:
            raise wrong_in(corpus.recipe["name"])(
                line, f"{each.id} stands in the table twice; first on line {seen[each.id]:,}."
            )
        seen[each.id] = line
        if each.words or corpus.recipe.get("empty") != LEFT_OUT:
            place = order.setdefault(each.id.book, len(order))
            keys.append((place, each.id.chapter, each.id.verse, line))
    return {line: n for n, (*_, line) in enumerate(sorted(keys))}


def _document(each: ReadVerse, books: Books) -> ReadDocument:
    return ReadDocument(
        each.id.written,
        "",
        verses.set_out(each.words)[0],
        genre=books.genres.get(each.id.book, ""),
        year=None,
        language="",
        source_key=each.id.book,
        extra=each.id._asdict(),
        line=each.line.number,
        last=each.line.number,
        end=each.line.end,
        lemmata=verses.lemmatised(each.words, each.lemmas),
    )
