"""The books and sources that a command's options name."""

from __future__ import annotations

from typing import TypeVar

from django.core.management.base import CommandError

from retrieval.models import Book, Source

Text = TypeVar("Text", Book, Source)
LISTED = 20


def named(kind: type[Text], slug: str) -> Text:
    """Return the book or source of that slug.

    Raises:
        CommandError: there is none; the message lists those there are.
    """
    rows = kind._default_manager.order_by("slug")
    found = rows.filter(slug=slug).first()
    if found:
        return found
    name = kind._meta.verbose_name
    known = list(rows.values_list("slug", flat=True)[: LISTED + 1])
    if not known:
        raise CommandError(
            f"There is no {name} {slug!a}, nor any other: import one with manage.py import_{name}."
        )
    more = " …" if len(known) > LISTED else ""
    raise CommandError(
        f"There is no {name} {slug!a}; the known {name}s are: {', '.join(known[:LISTED])}{more}."
    )
