"""Where a source quotes a book: found by the engine, stored once."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from retrieval.engine import quotations
from retrieval.engine.errors import BadInput
from retrieval.engine.passages import Passage
from retrieval.loading import storing
from retrieval.loading.digests import digest
from retrieval.loading.progress import Progress, silent
from retrieval.models import Book, Excerpt, Source

_BATCH = 500
_LONGEST_WHY = 300


class Found(NamedTuple):
    """How many excerpts are new or were known, how many quotations were dropped and why, and all excerpts.

    `dropped` counts by the engine's reason; `excerpts` are in the order of the source.
    """

    new: int
    known: int
    dropped: Counter[str]
    excerpts: list[Excerpt]


def find_excerpts(book: Book, source: Source, progress: Progress | None = None) -> Found:
    """Find every quotation of the book in the source and store it as an excerpt.

    Running it again adds nothing: a quotation that overlaps a stored one in the source is that one.

    Raises:
        BadInput: the two are not in one language, or nothing of the book is quoted; nothing is stored.
    """
    tell = progress or silent
    _comparable(book, source)
    tell(0, 2, "comparing")
    findings = quotations.find(source.text, book.text, book.bounds())
    dropped = Counter(each.reason for each in findings.dropped)
    if not findings.found:
        raise BadInput(_nothing(book, source, dropped))
    made = list(
        {each.digest: each for each in (_excerpt(source, book, it) for it in findings.found)}.values()
    )

    def store() -> Found:
        tell(1, 2, "storing")
        before = list(source.excerpts.filter(book=book))
        pairs = [(each, _known(each, before)) for each in made]
        fresh = [each for each, known in pairs if known is None]
        Excerpt.objects.bulk_create(fresh, batch_size=_BATCH)
        tell(2, 2, "stored")
        return Found(len(fresh), len(made) - len(fresh), dropped, [known or each for each, known in pairs])

    return storing.write(store)


def _known(made: Excerpt, before: list[Excerpt]) -> Excerpt | None:
    """The stored excerpt of the same quotation.

    The digest tells, or else the place in the source: a later version of the
    engine may draw a border differently, and studies may hang on the first one.
    """
    same = (each for each in before if each.digest == made.digest)
    return next(same, None) or next((each for each in before if _overlap(each, made)), None)


def _overlap(one: Excerpt, other: Excerpt) -> bool:
    if one.start is None or one.end is None or other.start is None or other.end is None:
        return False
    return one.start < other.end and other.start < one.end


def _comparable(book: Book, source: Source) -> None:
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
    looked_at = ", ".join(f"{reason} {number:,}" for reason, number in dropped.most_common())
    return (
        f'The source "{source.slug}" quotes nothing that was found in the book "{book.slug}"; '
        f"nothing was stored{f' (dropped: {looked_at})' if looked_at else ''}."
    )


def _excerpt(source: Source, book: Book, found: quotations.Quotation) -> Excerpt:
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
