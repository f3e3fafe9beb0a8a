"""A corpus cut from books and sources that are here: each document a paragraph, or some sentences."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from django.db.models import Exists, OuterRef

from common.errors import BadField, BadInput
from common.progress import Progress, silent
from retrieval.corpora.loading import staging
from retrieval.corpora.loading.files import Loaded
from retrieval.corpora.loading.staging import Place, Placed
from retrieval.corpora.models import Corpus, Document
from retrieval.curating.dependents import Deletable, Dependent
from retrieval.engine.interchange.documents import ReadDocument, checked
from retrieval.engine.interchange.lines import wrong_in
from retrieval.engine.quotations.cleaning import footnote_marks, page_marks
from retrieval.engine.text import sentences
from retrieval.models import Book, Source

MOST_SENTENCES = 50
PARAGRAPHS = 0
"""The `size` that means paragraphs."""
Span = tuple[int, int]


class Chosen(NamedTuple):
    """A text to cut.

    slug: of a book or a source; a book where both have it.
    genre: of its documents.
    """

    slug: str
    genre: str


def load(chosen: Sequence[Chosen], size: int, facts: dict[str, str], progress: Progress = silent) -> Loaded:
    """Cut texts into documents and store them as a corpus, or go on with one where that was interrupted.

    Ids are `slug-number`, numbered from 1 within the text. They have no titles. Marks of the pages and notes
    of a critic's edition are left out. A document never
    holds a heading, or what is not the text, and neither crosses one.

    Args:
        chosen: The texts, in order.
        size: Sentences of a document; 0: paragraphs.
        facts: Values of `staging.FACTS`.
        progress: Called with the texts that are cut, and how many there are.

    Raises:
        BadInput: no such text, none chosen, one chosen twice, or a fact is wrong; nothing is stored.
    """
    rows = _rows(chosen, size)
    cut = "paragraphs" if size == PARAGRAPHS else f"{size} sentences"
    recipe = {
        "format": "texts",
        "name": f"{len(rows)} texts",
        "cut": cut,
        "texts": [[type(row).__name__.lower(), row.slug, genre] for row, genre in rows],
    }
    digest = hashlib.sha256(" ".join(row.sha256 for row, _ in rows).encode()).hexdigest()
    corpus, ready = staging.begin(Corpus(**facts, recipe=recipe, sha256=digest))
    if ready:
        return Loaded(corpus, False)
    # A batch may end within a text: what is staged of it is cut again and passed over.
    rest = islice(_documents(rows, size, progress), corpus.n_documents, None)
    staging.stage(corpus, rest, lambda stored: None)
    return Loaded(staging.finish(corpus), True)


def cut(text: str, bounds: Sequence[Span], size: int) -> Iterator[Span]:
    """Yield the documents of a text, in order, as half-open offsets.

    Args:
        text: The text.
        bounds: Half-open offsets of its sentences.
        size: Sentences of a document, fewer where a heading comes before; 0: the sentences of a paragraph.
    """
    begin = held = 0
    for n, (start, end) in enumerate(bounds):
        if not held:
            begin = start
        held += 1
        gap = text[end : bounds[n + 1][0]] if n + 1 < len(bounds) else "heading"
        if gap.strip() or held == size or (size == PARAGRAPHS and "\n\n" in gap):
            yield begin, end
            held = 0


def corpora_on(row: Deletable) -> Iterator[Dependent]:
    """Yield each corpus that has a document cut from the book, for whoever wants to delete that."""
    if isinstance(row, Book):
        cut_from_it = Document.objects.filter(corpus=OuterRef("pk"), book=row)
        for corpus in Corpus.objects.filter(Exists(cut_from_it)):
            yield Dependent(f"corpus “{corpus.slug}”")


def without_marks(text: str) -> str:
    """Return a piece of a critic's text without marks of its pages and notes, which are no words of it.

    The text of a book stays as it is: its documents are shown in their place in it.
    """
    kept, at = [], 0
    for start, end in sorted((*page_marks(text), *footnote_marks(text))):
        piece, at = text[at:start], end
        # The space before a mark goes with it, unless a word follows at once.
        kept.append(piece if text[end : end + 1].isalnum() else piece.rstrip(" "))
    return ("".join(kept) + text[at:]).strip() or text


def _rows(chosen: Sequence[Chosen], size: int) -> list[tuple[Book | Source, str]]:
    if not 0 <= size <= MOST_SENTENCES:
        raise BadField("size", f"A document is a paragraph or 1 to {MOST_SENTENCES} sentences, not {size}.")
    slugs = [each.slug for each in chosen]
    if len(set(slugs)) < len(slugs):
        twice = next(slug for slug in slugs if slugs.count(slug) > 1)
        raise BadInput(f'The text "{twice}" is chosen twice.')
    if not slugs:
        raise BadInput("No text is chosen; a corpus needs one at least.")
    books = {row.slug: row for row in Book.objects.filter(slug__in=slugs)}
    sources = {row.slug: row for row in Source.objects.filter(slug__in=slugs)}
    for slug in slugs:
        row = books.get(slug) or sources.get(slug)
        if row is None or not row.text:
            raise BadInput(f'No book or source "{slug}" with a text is here; import it first.')
    return [(books.get(each.slug) or sources[each.slug], each.genre) for each in chosen]


def _documents(rows: Sequence[tuple[Book | Source, str]], size: int, progress: Progress) -> Iterator[Placed]:
    for n, (row, genre) in enumerate(rows):
        progress(n, len(rows), f"cutting {row.slug}")
        yield from _of_text(row, genre, size)
    progress(len(rows), len(rows), "cut")


def _of_text(row: Book | Source, genre: str, size: int) -> Iterator[Placed]:
    is_book = isinstance(row, Book)
    bounds = row.bounds() if isinstance(row, Book) else sentences.segment(row.text).sentences
    wrong = wrong_in(row.slug)
    for number, (start, end) in enumerate(cut(row.text, bounds, size), 1):
        document = ReadDocument(
            f"{row.slug}-{number}",
            # A title that all documents of a text share would be searched with every one of them.
            "",
            row.text[start:end] if is_book else without_marks(row.text[start:end]),
            genre,
            row.year if isinstance(row, Book) else None,
            row.language,
            row.slug,
            extra={},
            line=number,
            last=0,
            end=0,
        )
        yield checked(document, wrong), Place(row.pk, start, end) if is_book else Place()
