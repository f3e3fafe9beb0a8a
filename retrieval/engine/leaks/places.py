"""Where words that somebody typed stand in some texts."""

from collections.abc import Sequence
from typing import NamedTuple

from common.errors import BadField
from retrieval.engine.quotations.alignment import Words

MOST_WORDS = 200
"""Of a stretch that is covered by hand."""


class Place(NamedTuple):
    """A stretch of one of several texts: which one, from 0, and from which to which code point."""

    text: int
    start: int
    end: int


def place_of(typed: str, texts: Sequence[str]) -> Place:
    """Return the one place at which the words stand in a row, whatever marks and capitals are between them.

    Raises:
        BadField: no word was typed, too many, or they stand nowhere or at several places.
    """
    wanted = Words(typed).words
    if not wanted:
        raise BadField("words", "No word was given: copy the words to be covered from the context.")
    if len(wanted) > MOST_WORDS:
        raise BadField("words", f"{len(wanted)} words were given: at most {MOST_WORDS} are covered at once.")
    found = [place for number, text in enumerate(texts) for place in _places(wanted, number, text)]
    if len(found) == 1:
        return found[0]
    said = " ".join(typed.split())
    if not found:
        raise BadField("words", f"“{said}” does not stand in the context in a row: copy the words from it.")
    raise BadField("words", f"“{said}” stands at {len(found)} places: give a word more before or after.")


def _places(wanted: Sequence[str], number: int, text: str) -> list[Place]:
    page = Words(text)
    size = len(wanted)
    starts = [at for at in range(len(page) - size + 1) if page.words[at : at + size] == wanted]
    return [Place(number, *page.span(at, at + size)) for at in starts]
