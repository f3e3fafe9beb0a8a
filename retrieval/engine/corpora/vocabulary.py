"""The terms of an index on disk, in alphabetical order: found by bisection, not read into memory."""

from __future__ import annotations

import mmap
from bisect import bisect_left
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import numpy as np

_KEPT = 2**14
"""Terms whose numbers are remembered: of any two queries half the words are the same few."""


class Vocabulary:
    """The terms of an index, numbered in the order of their code points (which is that of their UTF-8)."""

    def __init__(self, folder: Path) -> None:
        with (folder / "terms.bin").open("rb") as file:
            self._bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        # A view of Python's own: reading one number of a numpy array costs as much as a bisection should.
        self._starts = memoryview(np.load(folder / "term_starts.npy", mmap_mode="r", allow_pickle=False))
        self.number: Callable[[str], int | None] = lru_cache(_KEPT)(self._find)
        """Return the number of a term, or None where no document has it."""

    def __len__(self) -> int:
        return len(self._starts) - 1

    def __getitem__(self, number: int) -> bytes:
        """Return the term of that number in UTF-8; numbers count from 0, not from the end."""
        return self._bytes[self._starts[number] : self._starts[number + 1]]

    def term(self, number: int) -> str:
        """Return the term of that number."""
        return self[number].decode()

    def _find(self, term: str) -> int | None:
        wanted = term.encode("utf-8", "replace")
        place = bisect_left(self, wanted)
        return place if place < len(self) and self[place] == wanted else None
