"""What every decision of staff shares: a reason, locked rows, a line of history."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import TYPE_CHECKING, Any

from common.errors import BadField, BadInput
from retrieval.models import Act, Book, Curation, Excerpt, Exclusion, Source, Standing
from retrieval.models.curation import LONGEST_REASON

if TYPE_CHECKING:
    from django.contrib.auth.models import User

_BATCH = 500


def check_reason(reason: str) -> str:
    """Return the reason on one line. Raises `BadInput` where there is none.

    Raises:
        BadField: it is missing, too long, or holds what cannot be stored.
    """
    said = " ".join(reason.split())
    if not said:
        raise BadField("reason", "The reason is missing; say why, in a few words.")
    if len(said) > LONGEST_REASON:
        raise BadField("reason", f"The reason has {len(said)} characters; at most {LONGEST_REASON} are kept.")
    if not said.isprintable():
        raise BadField("reason", "The reason holds a character that cannot be printed; plain words are kept.")
    return said


def lock_pair(book: Book | None, source: Source) -> None:
    """Lock the book and the source until the transaction ends, so that nobody else decides about them.

    The book first, so that no two wait for each other.

    Raises:
        BadInput: the book's sentences were corrected since it was read.
    """
    if book is not None:
        revision = Book.objects.select_for_update().values_list("revision", flat=True).get(pk=book.pk)
        if revision != book.revision:
            raise BadInput(f'The sentences of the book "{book.slug}" were corrected meanwhile; try again.')
    Source.objects.select_for_update().values_list("pk").get(pk=source.pk)


def record(
    excerpt: Excerpt,
    act: Act,
    *,
    reason: str,
    by: User | None,
    now: datetime,
    change: dict[str, Any] | None = None,
    exclusion: Exclusion | None = None,
) -> Curation:
    """Return one row of the history, not yet stored."""
    return Curation(
        excerpt=excerpt, act=act, reason=reason, by=by, at=now, change=change or {}, exclusion=exclusion
    )


def turn(
    rows: Collection[Excerpt],
    old: Standing,
    act: Act,
    *,
    reason: str,
    by: User | None,
    now: datetime,
    exclusion: Exclusion | None = None,
) -> None:
    """Reject or restore excerpts of one standing, each with its line of history.

    Raises:
        BadInput: one of them was decided about meanwhile; the caller's transaction is to be undone.
    """
    new = Standing.REJECTED if act == Act.REJECTED else Standing.IN_USE
    keys = [each.pk for each in rows]
    if Excerpt.objects.filter(pk__in=keys, standing=old).update(standing=new) != len(keys):
        raise BadInput("One of these excerpts was decided about meanwhile; try again.")
    Curation.objects.bulk_create(
        (record(each, act, reason=reason, by=by, now=now, exclusion=exclusion) for each in rows),
        batch_size=_BATCH,
    )
