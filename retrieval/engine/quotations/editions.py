"""Recognise where a source compares editions: an appendix of readings quotes to correct, not to claim."""

import re
from bisect import bisect_left

from retrieval.engine.quotations.pairing import SourceText

_AROUND = 500  # words on either side that are looked at
_MANY = 8
_TALK = re.compile(
    r"\b(?:editions?|editors?|misprint(?:s|ed)?|emendations?|emended|readings|corrected|corrections?)\b",
    re.IGNORECASE,
)


class EditionTalk:
    """Where the source speaks of editions, misprints, readings and corrections."""

    def __init__(self, printed: SourceText) -> None:
        self._printed = printed
        self._places = [found.start() for found in _TALK.finditer(printed.blanked)]

    def compares(self, start: int, end: int) -> bool:
        """Return whether a stretch stands where editions are compared, as an appendix does line by line.

        That is eight words on editions within 500 on either side: around the 33 readings in the appendix
        to Austen-Leigh 1913 there are 14 and more, around the other 65 quotations of three critics at most 3.
        """
        words = self._printed.words
        if not len(words):
            return False
        first, stop = words.between(start, end)
        low = int(words.starts[max(0, first - _AROUND)])
        high = int(words.ends[min(len(words), stop + _AROUND) - 1])
        return bisect_left(self._places, high) - bisect_left(self._places, low) >= _MANY
