"""The paragraphs of a file with markup, collected while its tree is walked.

White space is what the format says it is: runs of it are one space, a line break stands where the markup sets
one (``<br>``, ``<l>``). Italics become ``_italics_``, as in plain-text editions. A note stands behind the
paragraph that refers to it.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from retrieval.engine.text.headings import LONGEST
from retrieval.engine.text.layout import HEADING, note_kind
from retrieval.engine.text.reading import letters

_LINE = "\u2028"
_ALPHANUMERIC = re.compile(r"[^\W_]")


class Block(NamedTuple):
    """A paragraph, and its kind where the file says it; empty where the rules of ``layout`` decide."""

    text: str
    kind: str = ""


class Builder:
    """Collects blocks: text, line breaks and the ends of paragraphs, in the order of the file."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._pieces: list[str] = []
        self._outer: list[list[str]] = []
        self._waiting: list[Block] = []
        self._italics: list[int] = []

    def text(self, piece: str | None) -> None:
        """Add text to the open paragraph."""
        if piece:
            self._pieces.append(piece.replace(_LINE, " "))

    def line(self) -> None:
        """Break the line within the open paragraph."""
        self._pieces.append(_LINE)

    def italics(self) -> None:
        """Begin a stretch in italics."""
        self._italics.append(len(self._pieces))

    def roman(self) -> None:
        """End the stretch in italics that began last, where it is within the open paragraph and has words."""
        begin = self._italics.pop()
        if begin > len(self._pieces):
            return
        words = "".join(self._pieces[begin:])
        if _LINE not in words and "_" not in words and _ALPHANUMERIC.search(words):
            inner = words.strip()
            at = words.index(inner)
            self._pieces[begin:] = [words[:at], "_", inner, "_", words[at + len(inner) :]]

    def close(self, kind: str = "") -> None:
        """End the paragraph, if it has words. Within a note only the note ends."""
        if self._outer:
            self._pieces.append(" ")
            return
        text = _collapsed(self._pieces)
        self._pieces, self._italics = [], [0] * len(self._italics)
        if text:
            self.blocks.append(Block(text, "" if kind == HEADING and len(text) > LONGEST else kind))
        self.blocks += self._waiting
        self._waiting = []

    def open_note(self) -> None:
        """Begin a note: what follows is not of the paragraph that is open."""
        self._outer.append(self._pieces)
        self._pieces = []

    def close_note(self, kind: str = "") -> None:
        """End the note; it stands behind the open paragraph, as an editor's where somebody signs it so."""
        text = _collapsed(self._pieces)
        self._pieces = self._outer.pop()
        if text:
            self._waiting.append(Block(text, kind or note_kind(text)))
        if not _collapsed(self._pieces) and not self._outer:
            self.close()


def _collapsed(pieces: Sequence[str]) -> str:
    lines = (" ".join(line.split()) for line in letters("".join(pieces)).split(_LINE))
    return "\n".join(line for line in lines if line)


def composed(blocks: Iterable[Block]) -> tuple[str, dict[int, str]]:
    """Return the text to store, paragraphs parted by a blank line, and the kinds that the file gives them."""
    texts: list[str] = []
    known: dict[int, str] = {}
    at = 0
    for text, kind in blocks:
        if kind:
            known[at] = kind
        texts.append(text)
        at += len(text) + 2
    return "\n\n".join(texts), known
