"""Citations of verses, such as “1 Corinthians 2:9–11, 13”, as the verses they name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

MOST_OF_A_RANGE = 200
DASHES = "–—‒−"


class Cited(NamedTuple):
    """One verse.

    book: its name as it is written.
    chapter, verse: numbers within it.
    """

    book: str
    chapter: int
    verse: int

    @property
    def name(self) -> str:
        """Return its id in a corpus of verses, such as 1-Corinthians_2_9."""
        return f"{self.book.replace(' ', '-')}_{self.chapter}_{self.verse}"


def verses(citation: str) -> list[Cited]:
    """Return the verses that a citation names, in its order; none where any part of it is no verse.

    A part that leaves out book or chapter has those of the part before it. A range stays in its chapter.
    """
    found: list[Cited] = []
    for part in " ".join(citation.replace(";", ",").split()).split(","):
        named = list(_part(part.strip(), found[-1] if found else None))
        if not named:
            return []
        found += named
    return found


def _part(part: str, before: Cited | None) -> Iterator[Cited]:
    for dash in DASHES:
        part = part.replace(dash, "-")
    book, _, place = part.rpartition(" ")
    chapter, colon, numbers = place.rpartition(":")
    if not book:
        if before is None:
            return
        book, chapter = before.book, chapter or str(before.chapter)
    elif not colon:
        return
    first, _, last = numbers.partition("-")
    if all(map(_is_number, (chapter, first, last or first))):
        begin, end = int(first), int(last or first)
        if begin <= end < begin + MOST_OF_A_RANGE:
            yield from (Cited(book, int(chapter), n) for n in range(begin, end + 1))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 6
