"""The fingerprint by which an excerpt is stored only once."""

from __future__ import annotations

import hashlib
import json

from retrieval.engine.text.passages import Passage


def digest(source: str, book: str, where: object, place: Passage, words: object) -> str:
    """Return the sha256 over the two slugs, the place in the source, the place in the book, and the words.

    JSON between them, so that no two different excerpts run into one string.
    """
    parts = json.dumps([source, book, where, list(place), words], ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(parts.encode()).hexdigest()
