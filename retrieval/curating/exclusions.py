"""Exclude what of a source is no criticism of a book, with a reason; its excerpts are rejected with it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db import transaction
from django.db.models import Q, QuerySet

from common.errors import BadInput
from retrieval.curating.decisions import check_reason, lock_pair, turn
from retrieval.engine.quotations.finding import REASONS
from retrieval.models import Act, Book, Curation, Excerpt, Exclusion, Source, Standing

if TYPE_CHECKING:
    from django.contrib.auth.models import User

EXCLUDED = "excluded"
LABELS = {**REASONS, EXCLUDED: "in what staff excluded from the source"}
"""Why something that looks like a quotation is no excerpt: the engine's reasons, and ours."""


class Excluded(NamedTuple):
    """What an exclusion came to.

    exclusion: its row.
    rejected: how many excerpts it rejected.
    """

    exclusion: Exclusion
    rejected: int


def exclude(
    source: Source,
    *,
    book: Book | None,
    span: tuple[int, int] | None,
    reason: str,
    by: User | None,
    now: datetime,
) -> Excluded:
    """Take no excerpt from `span` (offsets) of the source, or from all of it, for one book or for any.

    Excerpts in use there are rejected by the same act.

    Raises:
        BadInput: the reason is missing, the span is not in the source, or the same is excluded already.
    """
    start, end = span if span else (None, None)
    made = Exclusion(
        source=source, book=book, start=start, end=end, reason=check_reason(reason), by=by, at=now
    )
    if span and not 0 <= span[0] < span[1] <= len(source.text):
        raise BadInput(
            f"{span[0]} to {span[1]} is no stretch of the source: its text ends at {len(source.text)}."
        )
    with transaction.atomic():
        lock_pair(None, source)
        known = active_exclusions(source).filter(book=book, start=start, end=end).first()
        if known:
            raise BadInput(f"This is excluded already ({known.reason}).")
        made.save()
        rows = [each for each in _excerpts(made) if each.standing == Standing.IN_USE]
        said: dict[str, Any] = {"reason": made.reason, "by": by, "now": now, "exclusion": made}
        turn(rows, Standing.IN_USE, Act.REJECTED, **said)
    return Excluded(made, len(rows))


def lift(exclusion: Exclusion, *, by: User | None, now: datetime) -> int:
    """Take the exclusion back; return how many of the excerpts it rejected are in use again.

    What was rejected by hand as well, or lies in another exclusion, stays rejected.

    Raises:
        BadInput: it is lifted already.
    """
    with transaction.atomic():
        lock_pair(None, exclusion.source)
        if not Exclusion.objects.filter(pk=exclusion.pk, lifted=None).update(lifted=now, lifted_by=by):
            raise BadInput("This exclusion was lifted before; nothing was changed.")
        others = list(active_exclusions(exclusion.source))
        last = {row.excerpt_id: row for row in Curation.objects.filter(excerpt__in=_excerpts(exclusion))}
        rows = [
            each
            for each in _excerpts(exclusion)
            if each.standing == Standing.REJECTED
            and each.pk in last
            and last[each.pk].exclusion_id is not None
            and not covering(others, each)
        ]
        said: dict[str, Any] = {
            "reason": "The exclusion was lifted",
            "by": by,
            "now": now,
            "exclusion": exclusion,
        }
        turn(rows, Standing.REJECTED, Act.RESTORED, **said)
    exclusion.refresh_from_db()
    return len(rows)


def active_exclusions(source: Source, book: Book | None = None) -> QuerySet[Exclusion]:
    """Return what is excluded from the source now; with a book, what concerns that book."""
    rows = Exclusion.objects.filter(source=source, lifted=None)
    return rows if book is None else rows.filter(Q(book=None) | Q(book=book))


def exclusion_of_whole(source: Source, book: Book) -> Exclusion | None:
    """Return the exclusion of the whole source from the book, or None."""
    return active_exclusions(source, book).filter(start=None).first()


def exclusion_covering(excerpt: Excerpt) -> Exclusion | None:
    """Return an exclusion that the excerpt lies in, or None."""
    return covering(active_exclusions(excerpt.source), excerpt)


def covering(exclusions: Iterable[Exclusion], excerpt: Excerpt) -> Exclusion | None:
    """Return the first of these exclusions of its source that an excerpt lies in, or None."""
    concerned = (each for each in exclusions if each.book_id in (None, excerpt.book_id))
    return next((each for each in concerned if _in(each, excerpt)), None)


def _in(exclusion: Exclusion, excerpt: Excerpt) -> bool:
    if excerpt.start is None or excerpt.end is None:
        return exclusion.whole
    return exclusion.covers(excerpt.start, excerpt.end)


def _excerpts(exclusion: Exclusion) -> QuerySet[Excerpt]:
    rows = exclusion.source.excerpts.all()
    if exclusion.book_id is not None:
        rows = rows.filter(book=exclusion.book_id)
    if exclusion.start is not None:
        rows = rows.filter(start__lt=exclusion.end, end__gt=exclusion.start)
    return rows
