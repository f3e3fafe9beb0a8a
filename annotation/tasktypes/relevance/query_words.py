"""The words of a topic's title in a document: which they are, and a text cut where they stand.

A word is one of the title if it has the same letters, whatever their case and accents; words of fewer than
four letters count only where the title has no longer one. No stems: what is marked is seen to be the same.
"""

from __future__ import annotations

import re
from typing import NamedTuple
from unicodedata import combining, normalize

WORD = re.compile(r"\w+")
PARAGRAPHS = re.compile(r"\n\s*\n")
SHORTEST = 4
"""Letters of the shortest word that counts, where the title has one as long."""


class Piece(NamedTuple):
    """A stretch of a text.

    text: its words as they stand.
    marked: whether it is a word of the title.
    """

    text: str
    marked: bool = False


def plain(word: str) -> str:
    """Return a word without case and accents."""
    return "".join(letter for letter in normalize("NFD", word.casefold()) if not combining(letter))


def words_of_title(title: str) -> frozenset[str]:
    """Return the words that are looked for, as `plain` gives them."""
    words = {plain(word) for word in WORD.findall(title)}
    return frozenset({word for word in words if len(word) >= SHORTEST} or words)


def share_in(title: str, text: str) -> float | None:
    """Return the share of the title's words that stand in a text, 0 to 1; None for a title without words."""
    wanted, there = words_of_title(title), {plain(word) for word in WORD.findall(text)}
    return len(wanted & there) / len(wanted) if wanted else None


def paragraphs(text: str, words: frozenset[str] = frozenset()) -> list[list[Piece]]:
    """Return the paragraphs of a text, each cut where one of these words stands; joined they are its text."""
    return [cut(each.strip(), words) for each in PARAGRAPHS.split(text) if each.strip()]


def cut(text: str, words: frozenset[str]) -> list[Piece]:
    """Return a text cut where one of these words stands."""
    pieces, at = [], 0
    for found in WORD.finditer(text) if words else ():
        if plain(found[0]) in words:
            pieces += [Piece(text[at : found.start()]), Piece(found[0], True)]
            at = found.end()
    return [piece for piece in (*pieces, Piece(text[at:])) if piece.text]
