"""Find where a source quotes a book, and store each quotation once as an excerpt."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from django.utils import timezone

from common.errors import BadInput
from common.progress import Compute, Progress, here, silent
from retrieval.curating import exclusions
from retrieval.curating.decisions import lock_pair
from retrieval.engine.quotations import finding
from retrieval.engine.quotations.digests import digest
from retrieval.engine.quotations.finding import Dropped, Quotation
from retrieval.engine.quotations.spans import Spans
from retrieval.engine.text.passages import Passage
from retrieval.jobs import queue
from retrieval.loading import storing
from retrieval.models import Book, Comparison, Excerpt, Exclusion, Source, Standing

_BATCH = 500
_LONGEST_WHY = 300
_STANDINGS: list[str] = [Standing.IN_USE, Standing.REJECTED, Standing.SUPERSEDED]


class SearchResult(NamedTuple):
    """What a search for quotations came to.

    new: excerpts that were stored now.
    known: excerpts that were there.
    dropped: how many quotations were dropped, by the engine's reason.
    excerpts: all of them, in the order of the source.
    set_aside: how many of the known ones staff had rejected.
    """

    new: int
    known: int
    dropped: Counter[str]
    excerpts: list[Excerpt]
    set_aside: int = 0


def find_excerpts(
    book: Book, source: Source, progress: Progress | None = None, *, now: datetime | None = None
) -> SearchResult:
    """Search as `search` does, but refuse a source that quotes nothing of the book.

    Raises:
        BadInput: as `search`, or nothing of the book is quoted; no excerpt is stored.
    """
    result = search(book, source, progress, now=now)
    if not result.excerpts:
        raise BadInput(_nothing(book, source, result.dropped))
    return result


def search(
    book: Book,
    source: Source,
    progress: Progress | None = None,
    *,
    now: datetime | None = None,
    compute: Compute = here,
    also: Callable[[SearchResult], object] | None = None,
) -> SearchResult:
    """Find every quotation of the book in the source and store it as an excerpt.

    Running it again adds nothing: a quotation that overlaps a stored one in the source is that one, also
    where staff rejected it or moved its borders. What was dropped is kept as the pair's `Comparison`.
    `also` is called with the result, in its transaction.

    Raises:
        BadInput: the source is excluded from the book, or the two are not in one language; nothing is stored.
    """
    tell = progress or silent
    check_comparable(book, source)
    findings = compute(finding.find, source.text, book.text, book.bounds(), progress=tell)

    def store() -> SearchResult:
        lock_pair(book, source)
        found, dropped = _outside(findings, list(exclusions.active_exclusions(source, book)))
        _remember(book, source, len(found), dropped, now or timezone.now())
        made = list({each.digest: each for each in (_excerpt(source, book, it) for it in found)}.values())
        before = list(source.excerpts.filter(book=book))
        stored = _StoredExcerpts(before)
        pairs = [(each, stored.same(each)) for each in made]
        fresh = [each for each, known in pairs if known is None]
        Excerpt.objects.bulk_create(fresh, batch_size=_BATCH)
        known = [each for _, each in pairs if each is not None]
        set_aside = sum(each.standing == Standing.REJECTED for each in known)
        excerpts = [known or each for each, known in pairs]
        return SearchResult(
            len(fresh), len(known), Counter(each.reason for each in dropped), excerpts, set_aside
        )

    return storing.write(store, also)


def _outside(findings: finding.Findings, excluded: list[Exclusion]) -> tuple[list[Quotation], list[Dropped]]:
    """Return what lies in no excluded stretch, and all that is dropped, in the order of the source."""
    found, dropped = [], list(findings.dropped)
    for each in findings.found:
        if any(exclusion.covers(each.start, each.end) for exclusion in excluded):
            dropped.append(Dropped(each.start, each.end, each.printed, exclusions.EXCLUDED))
        else:
            found.append(each)
    return found, sorted(dropped, key=lambda each: (each.start, each.end))


def _remember(book: Book, source: Source, found: int, dropped: list[Dropped], now: datetime) -> None:
    values = {
        "found": found,
        "dropped": [[each.start, each.end, each.reason] for each in dropped],
        "code_version": queue.code_version(),
        "at": now,
    }
    Comparison.objects.update_or_create(book=book, source=source, defaults=values)


class _StoredExcerpts:
    """The stored excerpts of a source and a book, looked up by digest and by place."""

    def __init__(self, excerpts: list[Excerpt]) -> None:
        self._excerpts = excerpts
        self._of_digest = defaultdict[str, list[int]](list)
        for number, each in enumerate(excerpts):
            self._of_digest[each.digest].append(number)
        placed = ((each.start, each.end, number) for number, each in enumerate(excerpts))
        self._placed = Spans(sorted(it for it in placed if it[0] is not None and it[1] is not None))

    def same(self, made: Excerpt) -> Excerpt | None:
        """Return the stored excerpt of the same quotation; of several the one in use.

        The digest tells, or else the place in the source: a later version of the
        engine may draw a border differently, and studies may hang on the first one.
        """
        numbers = set(self._of_digest.get(made.digest, ()))
        if made.start is not None and made.end is not None:
            numbers |= {number for _, _, number in self._placed.overlapping(made.start, made.end)}
        return min(
            (self._excerpts[number] for number in sorted(numbers)),
            key=lambda each: (_STANDINGS.index(each.standing), each.digest != made.digest),
            default=None,
        )


def check_comparable(book: Book, source: Source) -> None:
    """Raise `BadInput` where quotations of the book cannot be looked for in the source."""
    excluded = exclusions.exclusion_of_whole(source, book)
    if excluded:
        raise BadInput(
            f'The source "{source.slug}" is excluded from the book "{book.slug}" ({excluded.reason}); '
            "lift the exclusion to look for quotations."
        )
    ours, theirs = (each.language.split("-")[0].lower() for each in (book, source))
    if ours != theirs:
        raise BadInput(
            f'The source "{source.slug}" is in {source.language} and the book "{book.slug}" in '
            f"{book.language}; quotations are found only where both are in one language."
        )
    if not source.text:
        raise BadInput(
            f'The source "{source.slug}" has no text to look for quotations in; import the critic\'s text.'
        )


def _nothing(book: Book, source: Source, dropped: Counter[str]) -> str:
    """Return the sentence for a source that quotes nothing of the book."""
    looked_at = ", ".join(f"{reason} {number:,}" for reason, number in dropped.most_common())
    return (
        f"{source.citation} quotes nothing that was found in {book.title}; "
        f"no excerpt was stored{f' (dropped: {looked_at})' if looked_at else ''}."
    )


def _excerpt(source: Source, book: Book, found: Quotation) -> Excerpt:
    place = Passage(found.first, found.size)
    return Excerpt(
        source=source,
        book=book,
        left=list(found.left),
        right=list(found.right),
        printed=found.printed,
        start=found.start,
        end=found.end,
        first=found.first,
        size=found.size,
        score=found.score,
        why=found.why[:_LONGEST_WHY],
        digest=digest(source.slug, book.slug, [found.start, found.end], place, found.printed),
    )
