"""Which of many texts share enough runs of words with a page to be worth comparing with it.

Runs are numbers, made of the numbers of their words; those of the sought texts are sorted once, and those of
a page are looked up among them. Work grows with the words and with what is really shared. Two runs that get
one number by accident, of 2^64 numbers, cost one comparison and change nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from retrieval.engine.quotations.alignment import words_in

IntArray = NDArray[np.int64]
Hashes = NDArray[np.uint64]

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_STEP = np.uint64(0xC2B2AE3D27D4EB4F)
_MOST_AT_ONCE = 1 << 22
NEVER = np.iinfo(np.int64).max
"""More runs than any text shares."""


class Numbered:
    """Texts as the numbers of their words; a text that is given again is not read again."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._known: dict[str, Hashes] = {}

    def __getitem__(self, text: str) -> Hashes:
        found = self._known.get(text)
        if found is None:
            numbers = self._numbers
            codes = [numbers.setdefault(word, len(numbers) + 1) for word in words_in(text)]
            found = self._known[text] = np.array(codes, dtype=np.uint64) * _FACTOR
        return found


class Postings(NamedTuple):
    """Which texts hold which runs, each run of a text once.

    runs: (R,) the different runs, ascending.
    starts: (R + 1,) where the texts of each begin in ``texts``.
    texts: numbers of texts, from 0.
    """

    runs: Hashes
    starts: IntArray
    texts: IntArray


class Index:
    """Runs of ``size`` words of the texts; ``least`` (N,): how many different ones a page must share."""

    def __init__(self, texts: Sequence[Hashes], size: int, least: IntArray) -> None:
        self.size, self.least = size, least
        runs, of = _different(texts, size)
        order = np.argsort(runs, kind="stable")
        runs, of = runs[order], of[order]
        first = np.flatnonzero(np.r_[True, runs[1:] != runs[:-1]]) if len(runs) else np.zeros(0, np.int64)
        self.held = Postings(runs[first], np.append(first, len(runs)), of)

    def sharing(self, pages: Sequence[Hashes]) -> IntArray:
        """Return the pairs of page and text that share enough, as page * N + text, ascending."""
        runs, of = _different(pages, self.size)
        held = self.held
        if not len(runs) or not len(held.runs):
            return np.zeros(0, dtype=np.int64)
        at = np.searchsorted(held.runs, runs).clip(max=len(held.runs) - 1)
        known = held.runs[at] == runs
        at, of = at[known], of[known]
        found = [np.zeros(0, dtype=np.int64)]
        for some in _portions(of, held.starts[at + 1] - held.starts[at]):
            found.append(self._enough(at[some], of[some]))
        return np.concatenate(found)

    def _enough(self, at: IntArray, page: IntArray) -> IntArray:
        held, n_texts = self.held, len(self.least)
        times = held.starts[at + 1] - held.starts[at]
        within = np.arange(int(times.sum())) - np.repeat(np.cumsum(times) - times, times)
        texts = held.texts[np.repeat(held.starts[at], times) + within]
        pairs, shared = np.unique(np.repeat(page, times) * n_texts + texts, return_counts=True)
        return np.asarray(pairs[shared >= self.least[pairs % n_texts]])


def _different(texts: Sequence[Hashes], size: int) -> tuple[Hashes, IntArray]:
    """The different runs of every text, and which text each is of, in the order of the texts."""
    lengths = np.array([len(text) for text in texts], dtype=np.int64)
    words = np.concatenate([np.zeros(0, dtype=np.uint64), *texts])
    runs = np.zeros(max(0, len(words) - size + 1), dtype=np.uint64)
    for place in range(size):
        runs = (runs ^ (runs >> np.uint64(29))) * _STEP + words[place : place + len(runs)]
    of = np.repeat(np.arange(len(texts)), lengths)
    # What begins in one text and ends in the next is a run of neither.
    whole = of[: len(runs)] == of[size - 1 :]
    runs, of = runs[whole], of[: len(runs)][whole]
    order = np.lexsort((runs, of))
    runs, of = runs[order], of[order]
    new = np.ones(len(runs), dtype=np.bool_)
    new[1:] = (runs[1:] != runs[:-1]) | (of[1:] != of[:-1])
    return runs[new], of[new]


def _portions(page: IntArray, times: IntArray) -> list[slice]:
    """Stretches of whole pages whose runs stand in a bounded number of texts, or one page's."""
    if not len(page):
        return []
    ends = np.append(np.flatnonzero(np.diff(page)) + 1, len(page))
    until = np.cumsum(times)[ends - 1]
    found, start, done = [], 0, 0
    while start < len(page):
        stop = int(np.searchsorted(until, done + _MOST_AT_ONCE, side="right"))
        last = max(stop - 1, int(np.searchsorted(ends, start, side="right")))
        found.append(slice(start, int(ends[last])))
        start, done = int(ends[last]), int(until[last])
    return found
