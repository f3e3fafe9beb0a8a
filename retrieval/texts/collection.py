"""What the collection holds, in the numbers of RELiC's table 1, figure 2 and A.3 (Thai et al. 2022).

Only excerpts in use with a place in their book count. A word is what white space parts; a quotation's words
are the book's own, of whole sentences.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from django.db.models import Count, Q, QuerySet

from retrieval.engine.text import passages
from retrieval.engine.text.passages import Passage
from retrieval.models import Book, Excerpt, Source, Standing

LENGTHS = 5
"""Quotations of as many sentences, or more, are one group: RELiC's own go up to five."""
POSITIONS = 10
"""Equal parts of a book, for where in it critics quote."""
SHOWN = 20


class BookNumbers(NamedTuple):
    """Numbers of one book.

    slug, title: of the book.
    sentences: how many it has.
    passages: how many of 1, 2, 3, 4 and 5 sentences it has: the candidates of a quotation of that length.
    excerpts: in use, with a place in it.
    sources: how many quote it.
    quoted: share of its sentences that stand in a quotation.
    context_words: mean words of an excerpt's context, None without excerpts.
    quotation_words: mean words of a quotation, None without excerpts.
    """

    slug: str
    title: str
    sentences: int
    passages: tuple[int, ...]
    excerpts: int
    sources: int
    quoted: float
    context_words: float | None
    quotation_words: float | None


class QuotedPlace(NamedTuple):
    """A place in a book that is quoted: passages that share sentences, taken together.

    slug, title: of the book.
    first, size: first sentence, from 0, and how many.
    sources: how many quote it.
    excerpts: how many lie in it.
    """

    slug: str
    title: str
    first: int
    size: int
    sources: int
    excerpts: int


class Collection(NamedTuple):
    """Numbers of all books together.

    books: how many there are.
    sources: how many there are.
    quoting: how many sources quote one of the books.
    excerpts: in use, with a place in their book.
    unplaced: excerpts in use without a place.
    rejected, superseded: excerpts that are not in use, by why.
    context_words: mean words of an excerpt's context.
    quotation_words: mean words of a quotation.
    per_book: mean excerpts of a book that has one.
    per_source: mean excerpts of a source that has one.
    sources_per_book: mean sources of a book that is quoted.
    quoted: mean share of such a book's sentences that stand in a quotation.
    lengths: excerpts by sentences of the quotation: 1, 2, 3, 4, and 5 or more.
    positions: excerpts by the tenth of the book in which the quotation's middle stands.
    n_places: places that are quoted.
    n_shared: places that several sources quote.
    shared: the most quoted of those first, at most `SHOWN`.
    rows: each book's numbers, by title.

    Means are None where there is nothing to take one of.
    """

    books: int
    sources: int
    quoting: int
    excerpts: int
    unplaced: int
    rejected: int
    superseded: int
    context_words: float | None
    quotation_words: float | None
    per_book: float | None
    per_source: float | None
    sources_per_book: float | None
    quoted: float | None
    lengths: tuple[int, ...]
    positions: tuple[int, ...]
    n_places: int
    n_shared: int
    shared: list[QuotedPlace]
    rows: list[BookNumbers]


class _Row(NamedTuple):
    """An excerpt.

    source: key of its source.
    passage: its place in the book.
    context: words of its context.
    """

    source: int
    passage: Passage
    context: int


class _Part(NamedTuple):
    """What one book adds.

    numbers: of the book.
    rows: its excerpts.
    words: of each row's quotation.
    places: where it is quoted.
    """

    numbers: BookNumbers
    rows: list[_Row]
    words: list[int]
    places: list[QuotedPlace]


def collection(books: QuerySet[Book] | None = None) -> Collection:
    """Count the whole library, or some of its books."""
    chosen = (Book.objects.all() if books is None else books).order_by("title", "slug")
    excerpts = Excerpt.objects.filter(book__in=chosen.values("pk"))
    placed = _placed(excerpts.in_use())
    # One text at a time: a library of novels does not fit beside a web server.
    parts = [_part(book, placed[book.pk]) for book in chosen.iterator(chunk_size=1)]
    rows = [row for part in parts for row in part.rows]
    places = [place for part in parts for place in part.places]
    shared = sorted((place for place in places if place.sources > 1), key=_most_quoted)
    quoting = len({row.source for row in rows})
    used = [part.numbers for part in parts if part.rows]
    standings = excerpts.aggregate(
        unplaced=Count("pk", filter=Q(standing=Standing.IN_USE, first=None)),
        rejected=Count("pk", filter=Q(standing=Standing.REJECTED)),
        superseded=Count("pk", filter=Q(standing=Standing.SUPERSEDED)),
    )
    return Collection(
        books=len(parts),
        sources=Source.objects.count(),
        quoting=quoting,
        excerpts=len(rows),
        **standings,
        context_words=_mean([row.context for row in rows]),
        quotation_words=_mean([words for part in parts for words in part.words]),
        per_book=_mean([each.excerpts for each in used]),
        per_source=len(rows) / quoting if quoting else None,
        sources_per_book=_mean([each.sources for each in used]),
        quoted=_mean([each.quoted for each in used]),
        lengths=_lengths(row.passage.size for row in rows),
        positions=_positions(parts),
        n_places=len(places),
        n_shared=len(shared),
        shared=shared[:SHOWN],
        rows=[part.numbers for part in parts],
    )


def _part(book: Book, rows: list[_Row]) -> _Part:
    before = [0, *accumulate(len(book.text[start:end].split()) for start, end in book.sentences)]
    words = [before[row.passage.stop] - before[row.passage.first] for row in rows]
    quoted = {number for row in rows for number in range(row.passage.first, row.passage.stop)}
    numbers = BookNumbers(
        slug=book.slug,
        title=book.title,
        sentences=book.n_sentences,
        passages=tuple(passages.count(book.n_sentences, size) for size in range(1, LENGTHS + 1)),
        excerpts=len(rows),
        sources=len({row.source for row in rows}),
        quoted=len(quoted) / book.n_sentences if book.n_sentences else 0.0,
        context_words=_mean([row.context for row in rows]),
        quotation_words=_mean(words),
    )
    return _Part(numbers, rows, words, list(_places(book, rows)))


def _placed(excerpts: QuerySet[Excerpt]) -> dict[int, list[_Row]]:
    """The excerpts of each book, in one query."""
    found: defaultdict[int, list[_Row]] = defaultdict(list)
    fields = ("book_id", "source_id", "first", "size", "left", "right")
    rows = excerpts.filter(first__isnull=False).order_by().values_list(*fields)
    for book, source, first, size, left, right in rows.iterator(chunk_size=2000):
        if first is not None and size is not None:
            context = sum(len(sentence.split()) for sentence in (*left, *right))
            found[book].append(_Row(source, Passage(first, size), context))
    return found


def _places(book: Book, rows: Sequence[_Row]) -> Iterator[QuotedPlace]:
    """The quoted passages of a book, those that share a sentence joined to one place."""
    held: list[_Row] = []
    stop = 0
    for row in sorted(rows, key=lambda row: row.passage):
        if held and row.passage.first >= stop:
            yield _place(book, held, stop)
            held = []
        held.append(row)
        stop = max(stop, row.passage.stop) if len(held) > 1 else row.passage.stop
    if held:
        yield _place(book, held, stop)


def _place(book: Book, rows: Sequence[_Row], stop: int) -> QuotedPlace:
    first = rows[0].passage.first
    return QuotedPlace(
        book.slug, book.title, first, stop - first, len({row.source for row in rows}), len(rows)
    )


def _most_quoted(place: QuotedPlace) -> tuple[int, int, str, int]:
    return -place.sources, -place.excerpts, place.title, place.first


def _lengths(sizes: Iterable[int]) -> tuple[int, ...]:
    counted = Counter(min(size, LENGTHS) for size in sizes)
    return tuple(counted[size] for size in range(1, LENGTHS + 1))


def _positions(parts: Iterable[_Part]) -> tuple[int, ...]:
    counted: defaultdict[int, int] = defaultdict(int)
    for part in parts:
        for row in part.rows:
            middle = (row.passage.first + row.passage.stop) / 2 / part.numbers.sentences
            counted[min(int(middle * POSITIONS), POSITIONS - 1)] += 1
    return tuple(counted[at] for at in range(POSITIONS))


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
