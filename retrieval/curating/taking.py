"""Make an excerpt by hand of a quotation that the search dropped."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from django.db import transaction

from common.errors import BadInput
from retrieval.curating.decisions import check_reason, lock_pair, record
from retrieval.curating.excerpts import place_in
from retrieval.curating.exclusions import active_exclusions
from retrieval.engine.quotations.digests import digest
from retrieval.engine.quotations.excerpting import Page
from retrieval.engine.quotations.matching import LONGEST_COMPARED, bounded_similarity, similarity
from retrieval.engine.ranking import order, rankers
from retrieval.engine.text import passages
from retrieval.engine.text.passages import Passage
from retrieval.engine.text.sentences import segment
from retrieval.models import Act, Book, Excerpt, Excerpts, Source, Standing

if TYPE_CHECKING:
    from django.contrib.auth.models import User

SUGGESTIONS = 5


class Suggestion(NamedTuple):
    """A sentence of the book that may be the place.

    first: its number, from 0.
    text: its words.
    score: QRatio, 0 to 100, of it and what is printed.
    """

    first: int
    text: str
    score: float


def take(
    book: Book,
    source: Source,
    span: tuple[int, int],
    place: Passage,
    *,
    reason: str,
    by: User | None,
    now: datetime,
) -> Excerpt:
    """Store an excerpt of what the source prints at `span`, quoted from `place`.

    Raises:
        BadInput: the place is not in the book, the span is no quotation of the source, lies in what is
            excluded, or is an excerpt of the book already; the reason is missing.
    """
    said = check_reason(reason)
    place = place_in(book, *place)
    made = _made(book, source, span, place)
    with transaction.atomic():
        lock_pair(book, source)
        holding = next((each for each in active_exclusions(source, book) if each.covers(*span)), None)
        if holding:
            raise BadInput(f"This is excluded from the source ({holding.reason}); lift the exclusion first.")
        known = overlapping_excerpts(book, source, span).first()
        if known:
            raise BadInput(
                f"This is excerpt {known.pk} already ({known.get_standing_display().lower()}); "
                "change that one instead."
            )
        made.save(force_insert=True)
        record(made, Act.TAKEN, reason=said, by=by, now=now).save()
    return made


def overlapping_excerpts(book: Book, source: Source, span: tuple[int, int]) -> Excerpts:
    """Return the excerpts, in use or rejected, that share characters with a stretch of the source."""
    rows = Excerpt.objects.filter(book=book, source=source, start__lt=span[1], end__gt=span[0])
    return rows.exclude(standing=Standing.SUPERSEDED).order_by("pk")


def context_around(source: Source, span: tuple[int, int]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return up to four cleaned sentences of the critic's on each side."""
    found = segment(source.text)
    return Page(source.text, found.sentences, found.headings).context(*span)


def suggest_places(book: Book, printed: str) -> list[Suggestion]:
    """Return the sentences that share most words with what is printed, best first."""
    texts = passages.texts(book.text, book.bounds(), 1)
    bm25 = rankers.get("bm25")
    scores = bm25.prepare(texts, bm25.defaults).scores([printed])[0]
    best = [
        int(at)
        for at in order.top(scores, SUGGESTIONS)
        if scores[at] > 0 and len(texts[at]) <= LONGEST_COMPARED
    ]
    return [Suggestion(at, texts[at], similarity(printed, texts[at])) for at in best]


def _made(book: Book, source: Source, span: tuple[int, int], place: Passage) -> Excerpt:
    start, end = span
    printed = source.text[start:end]
    if not 0 <= start < end <= len(source.text) or not any(map(str.isalnum, printed)):
        raise BadInput("There are no words at this place of the source.")
    left, right = context_around(source, span)
    if not left and not right:
        raise BadInput("The critic says nothing on either side of it, so there is no context to read.")
    return Excerpt(
        source=source,
        book=book,
        left=list(left),
        right=list(right),
        printed=printed,
        start=start,
        end=end,
        first=place.first,
        size=place.size,
        score=bounded_similarity(printed, book.passage(*place)),
        why="Taken by hand; the search had dropped it.",
        digest=digest(source.slug, book.slug, [start, end], place, printed),
    )
