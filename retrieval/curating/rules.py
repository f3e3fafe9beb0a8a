"""Which rules read a book's page: they change, and a stored book keeps the sentences it was given."""

from __future__ import annotations

from functools import cache

from django.conf import settings

from common.code_digest import code_digest
from retrieval.engine import formats, text


@cache
def text_rules() -> str:
    """Return the release and a digest of the code that reads files and finds sentences."""
    return f"{settings.VERSION}+text.{code_digest(text, formats)}"
