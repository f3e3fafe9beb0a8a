"""The critic's sentences on both sides of a quotation, cleaned.

RELiC gives four sentences on each side. Where the quotation stands inside a
critic's sentence, what is left of that sentence is the nearest one of the four:
the gap stands where the quotation stood.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from retrieval.engine.quotations.cleaning import clean, steps
from retrieval.engine.quotations.masking import cover
from retrieval.engine.quotations.spans import Spans

SENTENCES = 4
_REACH = 12  # sentences a side among which the four are found
Span = tuple[int, int]

# The marks go with the quotation; a bracket round it is the critic's and stays.
_OPEN = re.compile(r"(?<![^\s(\[—-])[\"“”'‘«_]+\s*$")
_CLOSE = re.compile(r"^[\"”“'’»_]*\s*")
# The number of a paragraph or of a line is no sentence of the critic's.
_LETTER = re.compile(r"[^\W\d_]")


class Page:
    """A critic's text with its sentences and the headings that no context crosses."""

    def __init__(self, text: str, sentences: Sequence[Span], headings: Sequence[Span]) -> None:
        self.text = text
        self.sentences = sentences
        self._starts = [start for start, _ in sentences]
        self._ends = [end for _, end in sentences]
        self._headings = [start for start, _ in headings]
        self._steps = Spans(steps(text))

    def sides(
        self, start: int, end: int, covered: Sequence[Span] = (), *, most: int = SENTENCES
    ) -> tuple[list[Span], list[Span]]:
        """Return the spans of up to four sentences (or remainders) before and behind the quotation.

        What is ``covered`` is none of the critic's: a sentence that holds nothing else does not count.
        """
        return self._before(start, covered, most), self._behind(end, covered, most)

    def window(self, start: int, end: int) -> Span:
        """Offsets between which all lies that the context may print, whatever is covered in it."""
        left, right = self.sides(start, end, most=_REACH)
        return (left[0][0] if left else start), (right[-1][1] if right else end)

    def _before(self, start: int, covered: Sequence[Span], most: int) -> list[Span]:
        at = bisect_right(self._starts, start) - 1
        barrier = bisect_right(self._headings, start) - 1
        least = self._headings[barrier] if barrier >= 0 else -1
        found: list[Span] = []
        while at >= 0 and len(found) < most and self._starts[at] >= least:
            span = self._starts[at], min(self._ends[at], start)
            if _LETTER.search(self.read(span, covered)):
                found.append(span)
            at -= 1
        return found[::-1]

    def _behind(self, end: int, covered: Sequence[Span], most: int) -> list[Span]:
        at = bisect_left(self._ends, end)
        barrier = bisect_left(self._headings, end)
        highest = self._headings[barrier] if barrier < len(self._headings) else len(self.text)
        found: list[Span] = []
        while at < len(self._ends) and len(found) < most and self._ends[at] <= highest:
            span = max(self._starts[at], end), self._ends[at]
            if span[0] < span[1] and _LETTER.search(self.read(span, covered)):
                found.append(span)
            at += 1
        return found

    def read(self, span: Span, covered: Sequence[Span] = ()) -> str:
        """The cleaned words of a sentence or of what a quotation leaves of it."""
        counted = {self.text[slice(*each)] for each in self._steps.overlapping(*span)}
        return clean(cover(self.text, span, covered), counted)

    def context(
        self, start: int, end: int, covered: Sequence[Span] = ()
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the cleaned sentences left and right; the marks around the gap are gone."""
        left, right = self.sides(start, end, covered)
        before = [self.read(span, covered) for span in left]
        behind = [self.read(span, covered) for span in right]
        if before and left[-1][1] == start:
            before[-1] = _OPEN.sub("", before[-1]).rstrip()
        if behind and right[0][0] == end:
            behind[0] = _CLOSE.sub("", behind[0])
        return tuple(filter(_LETTER.search, before)), tuple(filter(_LETTER.search, behind))
