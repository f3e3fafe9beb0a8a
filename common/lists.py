"""What the pages share: how long a list is, what it does not load, numbers in addresses."""

from __future__ import annotations

from django.http import HttpRequest

PAGE = 25
HEAVY = ("text", "sentences", "headings", "left_out", "marked", "read_as", "notes")
"""What makes a book heavy; no list loads it."""
TEXTS = (*(f"book__{field}" for field in HEAVY), "source__text", "source__notes", "source__read_as")
_DIGITS = 9


def whole_number(request: HttpRequest, name: str) -> int | None:
    """A query parameter that is a whole number; None where it is missing or something else."""
    given = request.GET.get(name, "")
    if given.isascii() and given.isdigit() and len(given) <= _DIGITS:
        return int(given)
    return None


def word(request: HttpRequest, name: str) -> str:
    """A query parameter that is compared with slugs; PostgreSQL takes no NUL."""
    return request.GET.get(name, "").replace("\0", "")
