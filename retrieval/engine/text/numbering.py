"""Headings of a number and a title on one line: ``I. The Return``, ``II  The Old Mill``.

By its form alone such a line may be a name with an initial (``C. Brontë``) or a sentence (``I saw him``).
So it counts where its neighbours do: the number before it or behind it heads a paragraph, too.
"""

import re
from collections.abc import Sequence

from retrieval.engine.text.headings import LONGEST, has_capitals, holds_sentence, is_chapter, is_number

_NUMBERED = re.compile(
    r"\A_?(?:(?P<roman>(?=[IVXLC])C{0,3}(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})(?<=[IVXLC]))|(?P<figure>\d{1,3}))"
    r"(?P<stop>\.|:|\)| ?[-–—]{1,2})? ?(?P<title>[“\"'‘(_]?[^\W\d_][^\n]*)"
)
_CLOSED = re.compile(r"[.!?:;,…]['\"”’)\]_]*$|--$|—$|[”\"]$")
_SMALL = re.compile(r"(?<![^\W_])[a-z]{4,40}(?![^\W_])")
_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}


def numbered_titles(paragraphs: Sequence[str]) -> set[int]:
    """Return which paragraphs, by their index, are a number with a title behind it."""
    found = [(at, *_read(paragraph)) for at, paragraph in enumerate(paragraphs) if len(paragraph) <= LONGEST]
    numbers = [(at, value, titled) for at, value, titled in found if value]
    kept: set[int] = set()
    for place, (at, value, titled) in enumerate(numbers):
        if not titled:
            continue
        before = numbers[place - 1][1] if place else 0
        behind = numbers[place + 1][1] if place + 1 < len(numbers) else 0
        if before == value - 1 > 0 or behind == value + 1 or (value == 1 and has_capitals(paragraphs[at])):
            kept.add(at)
    return kept


def _read(paragraph: str) -> tuple[int, bool]:
    """The number a paragraph begins with, 0 where it heads nothing, and whether a title stands behind it."""
    if is_number(paragraph):
        return value(paragraph.strip("_ .")), False
    found = _NUMBERED.match(paragraph)
    if found is None or found.end() < len(paragraph) or is_chapter(paragraph):
        return 0, False
    if not found["stop"] and paragraph[len(found["roman"] or found["figure"]) :][:1] != " ":
        return 0, False
    title = found["title"].rstrip("_ ")
    return (value(found["roman"] or found["figure"]), True) if _is_title(title, found["stop"]) else (0, False)


def _is_title(title: str, stop: str | None) -> bool:
    """Behind a bare number only capitals tell a title: ``I saw him`` is none."""
    if not title[:1].isupper() and title[:1] not in "“\"'‘(":
        return False
    if has_capitals(title) and not holds_sentence(title):
        return True
    if _CLOSED.search(title):
        return bool(stop) and title.endswith(".") and _SMALL.search(title) is None
    return bool(stop) and len(title) <= 80


def value(numeral: str) -> int:
    """Return the number that figures, or Roman capitals, say."""
    if numeral.isdecimal():
        return int(numeral)
    digits = [_VALUES[each] for each in numeral]
    following = [*digits[1:], 0]
    return sum(-one if one < other else one for one, other in zip(digits, following, strict=True))
