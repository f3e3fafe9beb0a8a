"""A critic's text as a reader sees it: leaves of whole paragraphs, with the quotations marked."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from retrieval.models import Excerpt

Span = tuple[int, int]

LEAF_CHARACTERS = 12_000
"""Some 2,000 words: as much as a chapter's section."""


class Stretch(NamedTuple):
    """Text that belongs to one quotation, or to none.

    text: its words.
    excerpt: whose quotation it is; None where it is nobody's.
    begins: whether the quotation begins here.
    """

    text: str
    excerpt: Excerpt | None
    begins: bool


def leaves(text: str) -> list[Span]:
    """Cut a text into leaves, as half-open offsets; each ends where a paragraph ends.

    There is at least one, even of an empty text.
    """
    cuts, at = [0], 0
    while len(text) - at > LEAF_CHARACTERS:
        blank = text.find("\n\n", at + LEAF_CHARACTERS)
        if blank < 0:
            break
        at = blank + 2
        cuts.append(at)
    return list(pairwise([*cuts, len(text)]))


def leaf_of(of: Sequence[Span], offset: int) -> int:
    """Return the number, from 1, of the leaf on which an offset is."""
    return max(1, bisect_right(of, offset, key=lambda leaf: leaf[0]))


def paragraphs(text: str, leaf: Span, quoted: Iterable[Excerpt]) -> list[list[Stretch]]:
    """Return the paragraphs of a leaf. Where two quotations overlap, the words belong to the first."""
    spans = _apart([each for each in quoted if each.start is not None], leaf)
    found, at = [], leaf[0]
    for part in text[leaf[0] : leaf[1]].split("\n\n"):
        if part.strip():
            found.append(_stretches(text, at, at + len(part), spans))
        at += len(part) + 2
    return found


def _apart(quoted: list[Excerpt], leaf: Span) -> list[tuple[int, int, Excerpt]]:
    spans: list[tuple[int, int, Excerpt]] = []
    for each in sorted(quoted, key=lambda excerpt: (excerpt.start or 0, excerpt.pk)):
        start, end = each.start or 0, each.end or 0
        start = max(start, spans[-1][1]) if spans else start
        if start < end and start < leaf[1] and end > leaf[0]:
            spans.append((start, end, each))
    return spans


def _stretches(text: str, start: int, end: int, spans: list[tuple[int, int, Excerpt]]) -> list[Stretch]:
    found, at = [], start
    for begin, stop, excerpt in spans:
        low, high = max(begin, start), min(stop, end)
        if low >= high:
            continue
        if at < low:
            found.append(Stretch(text[at:low], None, False))
        found.append(Stretch(text[low:high], excerpt, low == begin))
        at = high
    if at < end:
        found.append(Stretch(text[at:end], None, False))
    return found
