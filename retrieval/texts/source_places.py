"""Places in a critic's text as people name them: paragraph 12, or its third sentence, 12.3."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from common.errors import BadField
from retrieval.engine.text.sentences import segment

Span = tuple[int, int]

_PLACE = re.compile(r"([0-9]{1,7})(?:\.([0-9]{1,5}))?")


def paragraphs(text: str) -> list[Span]:
    """Return the half-open offsets of the paragraphs, which blank lines separate."""
    found, at = [], 0
    for part in text.split("\n\n"):
        if part.strip():
            found.append((at, at + len(part)))
        at += len(part) + 2
    return found


def span(text: str, first: str, last: str) -> Span:
    """Return the offsets from one place to another, both included; an empty `last` stands for `first`.

    Raises:
        BadField: `first` or `last` is no place of the text, or they are in the wrong order.
    """
    of = paragraphs(text)
    start = _read(text, of, first, "first")[0]
    end = _read(text, of, last, "last")[1] if last.strip() else _read(text, of, first, "first")[1]
    if end <= start:
        raise BadField(
            "last", f"{last.strip()} stands before {first.strip()}; the last place comes after the first."
        )
    return start, end


def number_at(of: Sequence[Span], offset: int) -> int:
    """Return the number, from 1, of the paragraph in which an offset is."""
    return max(1, bisect_right(of, offset, key=lambda paragraph: paragraph[0]))


def _read(text: str, of: Sequence[Span], place: str, field: str) -> Span:
    found = _PLACE.fullmatch(place.strip())
    if not found:
        raise BadField(
            field, f"“{place.strip()[:20]}” is no place; a paragraph (12) or a sentence of it (12.3) is."
        )
    number = int(found[1])
    if not 1 <= number <= len(of):
        raise BadField(field, f"There is no paragraph {number}: the source has 1 to {len(of)}.")
    start, end = of[number - 1]
    if not found[2]:
        return start, end
    sentences = sorted(_pieces(text[start:end]))
    which = int(found[2])
    if not 1 <= which <= len(sentences):
        raise BadField(field, f"Paragraph {number} has no sentence {which}: it has 1 to {len(sentences)}.")
    begin, stop = sentences[which - 1]
    return start + begin, start + stop


def _pieces(paragraph: str) -> list[Span]:
    found = segment(paragraph)
    return [*found.sentences, *found.headings, *((start, end) for start, end, _ in found.left_out)]
