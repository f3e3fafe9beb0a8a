"""Runs of words that two texts share, joined into chains.

A chain is a place where one text prints what the other says, words altered or
left out on the way: exact runs of at least four words whose order is the same
in both texts and whose gaps are small.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from common.texts.surface import POINTS, SINGLE

SEED = 4
"""Words of the shortest run that counts."""
_MOST_PLACES = 12  # a run of four words that the book says oftener than this places nothing
_PRINTED_GAP = 14
_BOOK_GAP = 14
_ELLIPSIS_GAP = 150
_BACK = 60  # how many earlier runs a run may be joined to
_WORDS_OF_THE_CRITIC = 6
_ATTRIBUTION = 20  # words of the book that say who speaks, between two halves of a speech

_LETTER = rf"[^\W_{SINGLE}]"
_WORD = re.compile(rf"{_LETTER}+(?:['’]{_LETTER}+|[{POINTS}]{_LETTER}*)*|[{SINGLE}]")
_OMISSION = re.compile(r"\.\s?\.\s?\.|…|\*\s?\*\s?\*|\[")
_MARKS = re.compile('["“”]')


def words_in(text: str) -> list[str]:
    """Return the words of a text as `Words` has them, without their places."""
    return [word.lower().replace("’", "'") for word in _WORD.findall(text)]


class Words:
    """The words of a text, lower case with straight apostrophes, and where each one stands."""

    def __init__(self, text: str) -> None:
        self.text = text
        found = list(_WORD.finditer(text))
        self.words = [word[0].lower().replace("’", "'") for word in found]
        self._starts = [word.start() for word in found]
        self._ends = [word.end() for word in found]
        self.starts = np.array(self._starts, dtype=np.int64)
        self.ends = np.array(self._ends, dtype=np.int64)
        self._marked: NDArray[np.bool_] | None = None

    def __len__(self) -> int:
        return len(self.words)

    def between(self, start: int, end: int) -> tuple[int, int]:
        """Return the half-open range of the words that lie inside the offsets."""
        # Asked some hundred thousand times a search: bisect answers one question faster than numpy.
        first = bisect_left(self._starts, start)
        return first, bisect_right(self._ends, end, lo=first)

    def span(self, first: int, stop: int) -> tuple[int, int]:
        """Return the offsets from the first word's beginning to the last one's end."""
        return int(self.starts[first]), int(self.ends[stop - 1])

    @property
    def marked(self) -> NDArray[np.bool_]:
        """Return whether a double quotation mark stands between a word and the one before it."""
        if self._marked is None:
            marks = np.array([found.start() for found in _MARKS.finditer(self.text)], dtype=np.int64)
            before = np.concatenate(([0], self.ends[:-1])) if len(self) else self.ends
            self._marked = np.searchsorted(marks, before) < np.searchsorted(marks, self.starts)
        return self._marked


class SharedRun(NamedTuple):
    """Words that both texts have in a row.

    printed, printed_stop: half-open range of words of the printing text.
    book, book_stop: half-open range of words of the book.
    """

    printed: int
    printed_stop: int
    book: int
    book_stop: int

    @property
    def length(self) -> int:
        """Return how many words are the same, at most."""
        return min(self.printed_stop - self.printed, self.book_stop - self.book)


class Chain(NamedTuple):
    """Runs that make one quotation.

    runs: in the order of both texts.
    """

    runs: tuple[SharedRun, ...]

    @property
    def matched(self) -> int:
        """Return how many words are the same."""
        return sum(run.length for run in self.runs)

    @property
    def printed(self) -> tuple[int, int]:
        """Return the half-open range of words of the printing text."""
        return self.runs[0].printed, self.runs[-1].printed_stop

    @property
    def book(self) -> tuple[int, int]:
        """Return the half-open range of words of the book."""
        return self.runs[0].book, self.runs[-1].book_stop

    def clipped(self, first: int, stop: int) -> "Chain":
        """Return the part of the chain in words first..stop of the printing text."""
        kept = []
        for run in self.runs:
            before, after = max(0, first - run.printed), max(0, run.printed_stop - stop)
            if before + after >= run.length:
                continue
            printed = run.printed + before, run.printed_stop - after
            # Word answers to word only where both sides count the same.
            equal = run.printed_stop - run.printed == run.book_stop - run.book
            place = (run.book + before, run.book_stop - after) if equal else (run.book, run.book_stop)
            kept.append(SharedRun(*printed, *place))
        return Chain(tuple(kept))


def shared_runs(printed: Words, book: Words) -> list[SharedRun]:
    """Return the longest runs of at least four equal words, in order of the printed text."""
    source, target = _coded(printed.words, book.words)
    if not len(source) or not len(target):
        return []
    order = np.argsort(target, kind="stable")
    ranked = target[order]
    left = np.searchsorted(ranked, source, side="left")
    repeats = np.searchsorted(ranked, source, side="right") - left
    repeats[(source < 0) | (repeats > _MOST_PLACES)] = 0
    at = np.repeat(np.arange(len(source)), repeats)
    within = np.arange(len(at)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    return _merged(at, order[np.repeat(left, repeats) + within])


def _merged(at: NDArray[np.int64], positions: NDArray[np.int64]) -> list[SharedRun]:
    """Seeds on the same diagonal that touch are one run."""
    if not len(at):
        return []
    diagonal = positions - at
    order = np.lexsort((at, diagonal))
    at, positions, diagonal = at[order], positions[order], diagonal[order]
    fresh = np.ones(len(at), dtype=bool)
    fresh[1:] = (diagonal[1:] != diagonal[:-1]) | (at[1:] - at[:-1] > SEED)
    first = np.flatnonzero(fresh)
    last = np.append(first[1:], len(at)) - 1
    columns = (at[first], at[last] + SEED, positions[first], positions[last] + SEED)
    return sorted(SharedRun(*map(int, row)) for row in zip(*columns, strict=True))


def _coded(printed: Sequence[str], book: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return a number for every four words in a row; -1 where the book does not have them."""
    codes: dict[str, int] = {}
    target = np.array([codes.setdefault(word, len(codes)) for word in book], dtype=np.int64)
    source = np.array([codes.get(word, -1) for word in printed], dtype=np.int64)
    if len(target) < SEED or len(source) < SEED:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    # Pairs are numbered afresh, so that two of them fit into 64 bits whatever the vocabulary.
    pairs, paired = np.unique(target[:-1] * len(codes) + target[1:], return_inverse=True)
    wanted = np.where((source[:-1] < 0) | (source[1:] < 0), -1, source[:-1] * len(codes) + source[1:])
    at = np.searchsorted(pairs, wanted).clip(max=len(pairs) - 1)
    found = np.where(pairs[at] == wanted, at, -1)
    missing = (found[:-2] < 0) | (found[2:] < 0)
    fours = np.where(missing, -1, found[:-2] * len(pairs) + found[2:])
    return fours, paired[:-2] * len(pairs) + paired[2:]


class BreakOffsets(NamedTuple):
    """Places in the printed text at which a quotation may end.

    marks: offsets of quotation marks, ascending.
    sentences: offsets at which sentences begin, ascending.
    """

    marks: Sequence[int] = ()
    sentences: Sequence[int] = ()

    def reopens(self, start: int, end: int) -> bool:
        """Return whether a quotation ends and a sentence of the critic's begins between two offsets."""
        return lies_in(self.marks, start, end) and lies_in(self.sentences, start, end)


def chains(runs: Sequence[SharedRun], printed: Words, book: Words, borders: BreakOffsets) -> list[Chain]:
    """Join runs (sorted) into chains, best first chosen, none sharing a printed word with another.

    Across a quotation mark only a few words of the critic's own may stand
    between two runs, and they begin no sentence. Words left out need an
    ellipsis, unless they only say who speaks: "said Elinor".
    """
    best: list[float] = []
    before: list[int] = []
    for number, run in enumerate(runs):
        best.append(float(run.length))
        before.append(-1)
        for earlier in range(number - 1, max(-1, number - 1 - _BACK), -1):
            cost = _cost(runs[earlier], run, printed, book, borders)
            if cost is not None and best[earlier] - cost + run.length > best[number]:
                best[number] = best[earlier] - cost + run.length
                before[number] = earlier
    return _chosen(runs, best, before)


def _cost(
    one: SharedRun, other: SharedRun, printed: Words, book: Words, borders: BreakOffsets
) -> float | None:
    """Return what it costs to read the two as one quotation, or None where they cannot be."""
    gap, skipped = other.printed - one.printed_stop, other.book - one.book_stop
    if not -SEED < gap <= _PRINTED_GAP or not -SEED < skipped <= _ELLIPSIS_GAP:
        return None
    if other.printed <= one.printed or other.book <= one.book:
        return None
    if gap <= 0 and skipped <= _WORDS_OF_THE_CRITIC:
        return 0.5 + abs(gap)
    # Two runs may share the word behind an ellipsis: look before it.
    low, high = sorted((one.printed_stop, other.printed))
    start, end = int(printed.ends[low - 1]), int(printed.starts[high])
    omitted = skipped > _BOOK_GAP or skipped > 2 * gap + 4
    if omitted and not _OMISSION.search(printed.text, start, end) and not _attributes(one, other, book):
        return None
    if gap > _WORDS_OF_THE_CRITIC and lies_in(borders.marks, start, end):
        return None
    if gap > 0 and borders.reopens(start, int(printed.starts[low])):
        return None
    return 0.5 + 0.1 * gap + 0.02 * skipped


def lies_in(offsets: Sequence[int], start: int, end: int) -> bool:
    """Return whether one of the sorted offsets is start, end or between them."""
    return bisect_left(offsets, start) < bisect_right(offsets, end)


def _attributes(one: SharedRun, other: SharedRun, book: Words) -> bool:
    """Whether the book leaves a speech behind the one run and takes it up again at the other."""
    if not 0 < other.book - one.book_stop <= _ATTRIBUTION or other.printed < one.printed_stop:
        return False
    return bool(book.marked[one.book_stop] and book.marked[other.book])


def _chosen(runs: Sequence[SharedRun], best: list[float], before: list[int]) -> list[Chain]:
    taken: set[int] = set()
    words: set[int] = set()
    found = []
    for end in sorted(range(len(runs)), key=lambda number: (-best[number], number)):
        links: list[SharedRun] = []
        at = end
        while at >= 0 and at not in taken:
            taken.add(at)
            links.append(runs[at])
            at = before[at]
        links = [
            run for run in reversed(links) if not words.intersection(range(run.printed, run.printed_stop))
        ]
        if links:
            found.append(Chain(tuple(links)))
            words.update(range(links[0].printed, links[-1].printed_stop))
    return sorted(found, key=lambda chain: chain.printed)
