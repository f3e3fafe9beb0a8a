"""Passages: n consecutive sentences of a book, as values.

A candidate is a position, never a string: a book may say the same sentence twice.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, overload

from common.errors import BadInput

Span = tuple[int, int]


class Passage(NamedTuple):
    """Consecutive sentences of a book.

    first: the first of them, counted from 0.
    size: how many.
    """

    first: int
    size: int

    @property
    def stop(self) -> int:
        """Return the sentence behind the last one."""
        return self.first + self.size

    def overlaps(self, other: "Passage") -> bool:
        """Return whether the two have a sentence in common."""
        return self.first < other.stop and other.first < self.stop


def count(n_sentences: int, size: int) -> int:
    """Return how many passages of ``size`` sentences a book of ``n_sentences`` has: max(0, n - size + 1)."""
    if size < 1:
        raise BadInput(f"A passage has at least one sentence; {size} was asked for.")
    return max(0, n_sentences - size + 1)


def slice_text(text: str, sentences: Sequence[Span], passage: Passage) -> str:
    """Return the passage as the book prints it.

    What stands between two of its sentences and is no sentence (a chapter's
    heading, a footnote) is set aside; a blank line takes its place.
    """
    _check(sentences, passage)
    return _read(text, sentences, passage.first, passage.stop)


def texts(text: str, sentences: Sequence[Span], size: int) -> Sequence[str]:
    """Return all passages of ``size`` sentences, in order of their first, read only when asked for."""
    return _Texts(text, sentences, size)


class _Texts(Sequence[str]):
    def __init__(self, text: str, sentences: Sequence[Span], size: int) -> None:
        self._text, self._sentences, self._size = text, sentences, size
        self._length = count(len(sentences), size)

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(self._length))]
        first = index + self._length if index < 0 else index
        if not 0 <= first < self._length:
            raise IndexError(f"passage {index} of {self._length}")
        return _read(self._text, self._sentences, first, first + self._size)

    def __iter__(self) -> Iterator[str]:
        return (self[at] for at in range(self._length))


def _read(text: str, sentences: Sequence[Span], first: int, stop: int) -> str:
    pieces = []
    begin = sentences[first][0]
    for here, following in zip(sentences[first : stop - 1], sentences[first + 1 : stop], strict=True):
        if text[here[1] : following[0]].strip():
            pieces.append(text[begin : here[1]])
            begin = following[0]
    pieces.append(text[begin : sentences[stop - 1][1]])
    return "\n\n".join(pieces)


def _check(sentences: Sequence[Span], passage: Passage) -> None:
    if passage.first < 0 or passage.size < 1 or passage.stop > len(sentences):
        raise BadInput(
            f"Sentences {passage.first} to {passage.stop - 1} are not all in the book: "
            f"it has {len(sentences)} sentences, counted from 0."
        )
