"""What the pages share: how long a list is, how much stands behind each row, and what an address says."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, IntegerField, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest

PAGE = 25
_DIGITS = 9


def whole_number(request: HttpRequest, name: str) -> int | None:
    """Return a query parameter that is a whole number; None where it is missing or something else."""
    given = request.GET.get(name, "")
    if given.isascii() and given.isdigit() and len(given) <= _DIGITS:
        return int(given)
    return None


def word(request: HttpRequest, name: str) -> str:
    """Return a query parameter that is compared with slugs, without NUL, which PostgreSQL refuses."""
    return request.GET.get(name, "").replace("\0", "")


def count(rows: QuerySet[Any], by: str) -> Coalesce:
    """Count related rows in a query of their own: joined counts would multiply each other."""
    grouped = rows.order_by().values(by).annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(grouped, output_field=IntegerField()), 0)
