"""The files of vectors that belong to a book, found by what they were made of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from django.conf import settings

from common.errors import BadInput
from retrieval.dense import checkpoints
from retrieval.engine.dense import late, ranker
from retrieval.engine.dense import settings as dense_settings
from retrieval.engine.text import passages
from retrieval.models import Book, Checkpoint

LONGEST = 40
"""Sentences of the longest passage that is ever ranked: what is longer is a reprint."""


def remove(book: Book) -> int:
    """Remove the vectors of a book's passages by every checkpoint there is; return how many files that were.

    A file is named by what it was made of, so a book with the same text shares it, and makes it anew.
    """
    if not any((settings.DATA_DIR / "vectors").glob("*.npy")):
        return 0
    gone = 0
    for place in _places(book):
        if place.exists():
            place.unlink(missing_ok=True)
            gone += 1
    return gone


def _places(book: Book) -> Iterator[Path]:
    known = [each for each in map(_opened, checkpoints.all_checkpoints()) if each]
    bounds = book.bounds()
    for size in range(1, min(LONGEST, len(bounds)) + 1) if known else ():
        texts = passages.texts(book.text, bounds, size)
        distinct, _ = ranker.distinct(texts)
        for each in known:
            yield from ranker.places(each, texts)
            yield from late.places(each, distinct)


def _opened(row: Checkpoint) -> ranker.Checkpoint | None:
    """Return the checkpoint as the rankers know it; None where this version cannot read its settings."""
    try:
        chosen = dense_settings.checked(row.settings)
    except BadInput:
        return None
    return ranker.Checkpoint(row.place, row.sha256, chosen, vectors=settings.DATA_DIR / "vectors")
