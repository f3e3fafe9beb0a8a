"""Excerpts that staff reject, restore, and give other borders.

Each change of standing is one conditional UPDATE whose row count is the answer, so
of two who decide at once one succeeds. What an excerpt says never changes: other
borders make another row, and what hangs on the old one keeps it.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db import transaction

from common.errors import BadField, BadInput
from retrieval.curating.decisions import check_reason, lock_pair, record
from retrieval.curating.exclusions import exclusion_covering
from retrieval.engine.quotations.digests import digest
from retrieval.engine.quotations.matching import bounded_similarity
from retrieval.engine.text.passages import Passage
from retrieval.models import Act, Book, Excerpt, Standing

if TYPE_CHECKING:
    from django.contrib.auth.models import User

LONGEST_PASSAGE = 40
"""Sentences, as in the search for quotations: what is longer is a reprint."""


class Borders(NamedTuple):
    """The borders of an excerpt.

    first, size: its place in the book: first sentence, from 0, and how many.
    left, right: how many context sentences stay on each side.
    """

    first: int
    size: int
    left: int
    right: int


def reject(excerpt: Excerpt, *, reason: str, by: User | None, now: datetime) -> None:
    """Reject an excerpt in use: no new job takes it. Jobs and studies that have it keep it.

    Raises:
        BadInput: the reason is missing, or the excerpt is not in use any more.
    """
    said = check_reason(reason)
    with transaction.atomic():
        _change(excerpt, Standing.IN_USE, Standing.REJECTED)
        record(excerpt, Act.REJECTED, reason=said, by=by, now=now).save()


def restore(excerpt: Excerpt, *, reason: str, by: User | None, now: datetime) -> None:
    """Put a rejected excerpt back in use.

    Raises:
        BadInput: the reason is missing, the excerpt is not rejected, or an exclusion still holds it.
    """
    said = check_reason(reason)
    with transaction.atomic():
        lock_pair(None, excerpt.source)
        holding = exclusion_covering(excerpt)
        if holding:
            raise BadInput(
                f"Excerpt {excerpt.pk} lies in what is excluded from its source ({holding.reason}); "
                "lift that exclusion first."
            )
        _change(excerpt, Standing.REJECTED, Standing.IN_USE)
        record(excerpt, Act.RESTORED, reason=said, by=by, now=now).save()


def move(excerpt: Excerpt, borders: Borders, *, reason: str, by: User | None, now: datetime) -> Excerpt:
    """Return another excerpt with these borders, which supersedes the given one.

    Raises:
        BadInput: naming the border that is wrong, or the excerpt is not in use any more.
    """
    said = check_reason(reason)
    before = Borders(excerpt.first or 0, excerpt.size or 0, len(excerpt.left), len(excerpt.right))
    _check(excerpt.book, borders, before)
    made = _with(excerpt, borders)
    change = {"was": before._asdict(), "is": borders._asdict()}
    return supersede(excerpt, made, Act.MOVED, reason=said, by=by, now=now, change=change)


def supersede(
    excerpt: Excerpt,
    made: Excerpt,
    act: Act,
    *,
    reason: str,
    by: User | None,
    now: datetime,
    change: dict[str, Any],
) -> Excerpt:
    """Store another excerpt in the place of one, with the record of it on both; all or nothing.

    Raises:
        BadInput: the excerpt is not in use any more.
    """
    with transaction.atomic():
        lock_pair(None, excerpt.source)
        made.save(force_insert=True)
        _change(excerpt, Standing.IN_USE, Standing.SUPERSEDED, superseded_by=made)
        for each in (excerpt, made):
            record(each, act, reason=reason, by=by, now=now, change=change).save()
    return made


def place_in(book: Book, first: int, size: int) -> Passage:
    """Return the place that a person typed, with its first sentence counted from 0.

    Raises:
        BadField: it is not all in the book, or longer than a quotation is.
    """
    if not 0 <= first < book.n_sentences:
        raise BadField(
            "first", f"There is no sentence {first + 1:,}: the book has 1 to {book.n_sentences:,}."
        )
    if not 1 <= size <= LONGEST_PASSAGE:
        raise BadField("size", f"The length is {size}; a quotation has 1 to {LONGEST_PASSAGE} sentences.")
    if first + size > book.n_sentences:
        raise BadField(
            "size",
            f"The passage ends at sentence {first + size:,}, and the book at sentence {book.n_sentences:,}.",
        )
    return Passage(first, size)


def _check(book: Book, borders: Borders, before: Borders) -> None:
    place_in(book, borders.first, borders.size)
    for side, kept, there in (
        ("left", borders.left, before.left),
        ("right", borders.right, before.right),
    ):
        if not 0 <= kept <= there:
            raise BadField(side, f"{kept} context sentences cannot stay on the {side}: there are {there}.")
    if not borders.left + borders.right:
        raise BadField("left", "No context would stay; at least one sentence has to, on either side.")
    if borders == before:
        raise BadInput("These are the borders it has; nothing was changed.")


def _with(excerpt: Excerpt, borders: Borders) -> Excerpt:
    place = Passage(borders.first, borders.size)
    words = excerpt.book.passage(*place)
    return Excerpt(
        source_id=excerpt.source_id,
        book_id=excerpt.book_id,
        left=excerpt.left[len(excerpt.left) - borders.left :],
        right=excerpt.right[: borders.right],
        printed=excerpt.printed,
        start=excerpt.start,
        end=excerpt.end,
        first=place.first,
        size=place.size,
        score=bounded_similarity(excerpt.printed, words) if excerpt.printed else None,
        why=f"Borders set by hand; excerpt {excerpt.pk} had others.",
        external_id=excerpt.external_id,
        # Borders may be moved back to where an earlier row has them: the row before tells the two apart.
        digest=digest(excerpt.digest, excerpt.book.slug, [borders.left, borders.right], place, "moved"),
    )


def _change(excerpt: Excerpt, old: Standing, new: Standing, **more: Any) -> None:
    """Change the standing of an excerpt. Raises `BadInput`, which undoes the transaction, if somebody was
    faster.
    """
    if not Excerpt.objects.filter(pk=excerpt.pk, standing=old).update(standing=new, **more):
        now = Excerpt.objects.get(pk=excerpt.pk).get_standing_display().lower()
        raise BadInput(f"Excerpt {excerpt.pk} is {now}, not {old.label.lower()}; nothing was changed.")
    excerpt.refresh_from_db(fields=["standing", "superseded_by"])
