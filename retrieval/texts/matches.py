"""How often each source quotes each book, and what of it was not taken: what may be no criticism."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from django.db.models import Count, Q

from retrieval.curating.exclusions import LABELS
from retrieval.models import Book, Comparison, Excerpt, Exclusion, Source, Standing
from retrieval.texts import source_places

FEWEST, MOST = 3, 200
"""Thai et al. (2022, appendix A): one or two quotations are seldom scholarship, hundreds are an edition."""

_REFERENCE = re.compile(r"\b(dictionar(?:y|ies)|antholog(?:y|ies)|encyclop(?:a)?edias?)\b", re.IGNORECASE)


class ComparedPair(NamedTuple):
    """What is known of a source and a book.

    source, book: their rows.
    in_use, rejected: how many excerpts there are of each.
    dropped: how many quotations were dropped, by reason, most first.
    compared: when they were last compared; None where excerpts came already cut out.
    excluded: why the whole source is excluded; empty where it is not.
    doubts: what speaks against the source being criticism, in a few words each.
    """

    source: Source
    book: Book
    in_use: int
    rejected: int
    dropped: list[tuple[str, int]]
    compared: object
    excluded: str
    doubts: list[str]

    @property
    def n_dropped(self) -> int:
        """How many quotations were dropped for any reason."""
        return sum(count for _, count in self.dropped)


class DroppedQuotation(NamedTuple):
    """What looked like a quotation and was dropped.

    book: whose quotation it may be.
    start, end: offsets in the source, in code points.
    paragraph: of the source, from 1.
    printed: the source from `start` to `end`.
    reason: its slug.
    label: the reason in words.
    taken: the excerpt that was made of it by hand, or overlaps it; None without.
    """

    book: Book
    start: int
    end: int
    paragraph: int
    printed: str
    reason: str
    label: str
    taken: Excerpt | None


def matches(source: Source | None = None) -> list[ComparedPair]:
    """Return every pair that was compared or has an excerpt, by citation and title; all or of one source."""
    of = {} if source is None else {"source": source}
    counts = {
        (by, about): (in_use, rejected)
        for by, about, in_use, rejected in Excerpt.objects.filter(**of)
        .order_by()
        .values("source", "book")
        .annotate(
            in_use=Count("pk", filter=Q(standing=Standing.IN_USE)),
            rejected=Count("pk", filter=Q(standing=Standing.REJECTED)),
        )
        .values_list("source", "book", "in_use", "rejected")
    }
    comparisons = {(row.source_id, row.book_id): row for row in Comparison.objects.filter(**of)}
    keys = {*counts, *comparisons}
    known = {} if source is None else {source.pk: source}
    sources = known or Source.objects.defer("text", "notes").in_bulk({by for by, _ in keys})
    books = Book.objects.only("slug", "title").in_bulk({book for _, book in keys})
    whole = list(Exclusion.objects.filter(**of, lifted=None, start=None))
    found = [
        _match(
            sources[by], books[about], counts.get((by, about), (0, 0)), comparisons.get((by, about)), whole
        )
        for by, about in keys
    ]
    return sorted(found, key=lambda match: (match.source.citation, match.source.slug, match.book.title))


def drops(source: Source, comparisons: Iterable[Comparison], reason: str = "") -> list[DroppedQuotation]:
    """Return what was dropped, in the order of the source; for one reason if given."""
    of = source_places.paragraphs(source.text)
    excerpts = list(
        source.excerpts.exclude(standing=Standing.SUPERSEDED)
        .defer("left", "right")
        .order_by("standing", "pk")
    )
    found = [
        DroppedQuotation(
            each.book,
            start,
            end,
            source_places.number_at(of, start),
            source.text[start:end],
            why,
            LABELS.get(why, why),
            _taken(excerpts, each, start, end),
        )
        for each in comparisons
        for start, end, why in each.dropped
        if not reason or why == reason
    ]
    return sorted(found, key=lambda drop: (drop.start, drop.end, drop.book.title))


def _match(
    source: Source,
    book: Book,
    counted: tuple[int, int],
    comparison: Comparison | None,
    whole: list[Exclusion],
) -> ComparedPair:
    in_use, rejected = counted
    reasons = Counter(why for _, _, why in comparison.dropped) if comparison else Counter()
    excluded = next(
        (each.reason for each in whole if each.source_id == source.pk and each.book_id in (None, book.pk)), ""
    )
    return ComparedPair(
        source,
        book,
        in_use,
        rejected,
        [(LABELS.get(why, why), count) for why, count in reasons.most_common()],
        comparison.at if comparison else None,
        excluded,
        list(_doubts(source, in_use)),
    )


def _doubts(source: Source, in_use: int) -> Iterator[str]:
    if 0 < in_use < FEWEST:
        yield "very few quotations"
    if in_use > MOST:
        yield "so many quotations that it may be an edition"
    found = _REFERENCE.search(source.citation)
    if found:
        yield f"its title says {found[0].lower()}"


def _taken(excerpts: list[Excerpt], of: Comparison, start: int, end: int) -> Excerpt | None:
    return next(
        (
            each
            for each in excerpts
            if each.book_id == of.book_id
            and each.start is not None
            and each.end is not None
            and each.start < end
            and start < each.end
        ),
        None,
    )
