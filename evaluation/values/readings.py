"""An item's readings as a critical edition has them: the passage, the lemma, and who reads what."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

GOLD = "gold"
Act = Literal["reading", "none", "undecided", "broken"]
ACTS: dict[Act, str] = {
    "none": "no allusion",
    "undecided": "can’t decide",
    "broken": "this item is broken",
}
Place = tuple[int, ...]


class Reading(NamedTuple):
    """What some read alike.

    ``act``: how they answered.
    ``words``: what they read, empty without.
    ``place``: tokens [start, end), of several spans one after the other, or the number of what was chosen and
        the next; None where nothing is read.
    ``sigla``: who, in the order of joining, gold first.
    ``note``: the reason that was given.
    """

    act: Act
    words: str
    place: Place | None
    sigla: tuple[str, ...]
    note: str = ""

    @property
    def is_gold(self) -> bool:
        return GOLD in self.sigla

    @property
    def said(self) -> str:
        """What stands in the place of words where there are none."""
        return ACTS.get(self.act, "")


class Said(NamedTuple):
    """One current judgment.

    ``siglum``: whose.
    ``act``, ``place``, ``words``, ``note``: as in `Reading`.
    ``counts``: whether it is an annotator's and enters the agreement.
    ``marks``: what was marked beside it as what decided, [first, end) in code points of the passage.
    """

    siglum: str
    act: Act
    place: Place | None
    words: str
    note: str
    counts: bool
    marks: tuple[tuple[int, int], ...] = ()


class Piece(NamedTuple):
    """A run of the passage alike.

    ``text``: the run.
    ``is_anchor``: whether it is the anchor.
    ``in_lemma``: whether the lemma reads it.
    ``depth``: how many of the annotators marked it, in quarters, 0 to 4; None where nobody marks.
    """

    text: str
    is_anchor: bool = False
    in_lemma: bool = False
    depth: int | None = None


class Shown(NamedTuple):
    """An item's passage.

    ``pieces``: as the page prints it.
    ``question``: what is asked of it, empty where nothing is.
    ``passage``: what only this kind of data knows of it, for its own TEI.
    """

    pieces: tuple[Piece, ...]
    question: str = ""
    passage: Any = None


class Rationale(NamedTuple):
    """What one reader marked as what decided.

    ``siglum``: whose.
    ``words``: of each place, in the order of the passage.
    """

    siglum: str
    words: tuple[str, ...]


class Entry(NamedTuple):
    """One item.

    ``number``: as pages number it.
    ``citation``: where the passage stands; empty where that is not known.
    ``language``: of the passage, as BCP 47 has it.
    ``shown``: the passage.
    ``references``: what the passage may allude to.
    ``lemma``: the reading that stands first, None where nobody reads anything.
    ``others``: all other readings.
    ``agreement``: of the annotators, in words; empty below two readings.
    ``rationales``: of those who marked what decided.
    """

    number: int
    citation: str
    language: str
    shown: Shown
    references: tuple[Mapping[str, Any], ...]
    lemma: Reading | None
    others: tuple[Reading, ...]
    agreement: str
    rationales: tuple[Rationale, ...] = ()

    @property
    def pieces(self) -> tuple[Piece, ...]:
        return self.shown.pieces

    @property
    def readings(self) -> tuple[Reading, ...]:
        return (*([self.lemma] if self.lemma else []), *self.others)
