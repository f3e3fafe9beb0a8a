"""Spans sorted as in the text, looked up by place: asked thousands of times."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Any, TypeVar

Spanned = TypeVar("Spanned", bound=tuple[Any, ...])


class Spans(list[Spanned]):
    """Tuples that begin with a start and an end, sorted by them; they may overlap, and are not changed."""

    def __init__(self, spans: Iterable[Spanned] = ()) -> None:
        super().__init__(spans)
        self.starts: list[int] = [span[0] for span in self]
        # How far the spans up to each reach: it never falls, so it can be searched by halves.
        self._reach = list(accumulate((span[1] for span in self), max))

    def numbers(self, start: int, end: int) -> range:
        """Return the numbers of the spans that may share a character with start..end; no other does."""
        return range(bisect_right(self._reach, start), bisect_left(self.starts, end))

    def overlapping(self, start: int, end: int) -> list[Spanned]:
        """Return those that share a character with start..end."""
        return [self[number] for number in self.numbers(start, end) if self[number][1] > start]

    def from_(self, start: int) -> Iterator[Spanned]:
        """Return all but those at the beginning that end before ``start`` or there."""
        return map(self.__getitem__, range(bisect_right(self._reach, start), len(self)))

    def across(self, start: int, end: int) -> bool:
        """Return whether one begins before ``start`` and ends behind ``end``."""
        before = bisect_left(self.starts, start)
        return before > 0 and self._reach[before - 1] > end

    def begin_in(self, low: int, high: int) -> bool:
        """Return whether one begins at low..high, both included."""
        return bisect_left(self.starts, low) < bisect_right(self.starts, high)
