"""Passages: n consecutive sentences of a book, as positions and never as copied text."""

from __future__ import annotations

from typing import NamedTuple


class Passage(NamedTuple):
    """`size` consecutive sentences of a book, the first of them at index `first` (from 0)."""

    first: int
    size: int

    @property
    def stop(self) -> int:
        """The index just after the last sentence."""
        return self.first + self.size

    def overlaps(self, other: Passage) -> bool:
        """Whether the two share a sentence."""
        return self.first < other.stop and other.first < self.stop
