"""What one sees of a passage without reading it: its length, how it opens and ends, whether somebody speaks.

A reader who knows nothing of a book sees these at a glance. Where the right passage differs in them from the
wrong ones, it can be found without being read.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from common.texts.surface import ends_as_a_sentence
from retrieval.engine.quotations.quoted import stretches

MARKS = "\"“”„«»‹›'‘’"
SEEN = 16_384
"""Passages that are remembered: contexts of one book bring the same up again and again."""
_DOUBLE = re.compile('["“”]')
_OPENS_AFTER = "([—-_'‘"


class Surface(NamedTuple):
    """What one sees of a passage."""

    length: int
    """Characters, white space in a row counted once."""
    lower: bool
    """Whether its first letter is a small one."""
    mark: bool
    """Whether it opens with a quotation mark."""
    spoken: bool
    """Whether at least half of its letters stand within quotation marks."""
    whole: bool
    """Whether it ends as a sentence does."""


@lru_cache(maxsize=SEEN)
def surface(text: str) -> Surface:
    """Return what one sees of a passage; one without letters opens with no small one and is not spoken."""
    line = " ".join(text.split())
    opening = line.lstrip("_")[:1]
    return Surface(
        length=length(text),
        lower=next((each.islower() for each in line if each.isalpha()), False),
        mark=bool(opening) and opening in MARKS,
        spoken=_is_spoken(line),
        whole=ends_as_a_sentence(line),
    )


def length(text: str) -> int:
    """Return the characters of a passage, white space in a row counted once."""
    return len(" ".join(text.split()))


def _is_spoken(line: str) -> bool:
    # A passage from the middle of a speech closes a mark that it does not open.
    found = _DOUBLE.search(line)
    lead = found.start() if found and _closes(line, found.start()) else 0
    rest = line[lead + 1 :] if lead else line
    inside = _letters(line[:lead]) + sum(
        _letters(rest[start:end]) for start, end in stretches(rest, [(0, len(rest))])
    )
    return inside > 0 and 2 * inside >= _letters(line)


def _closes(line: str, at: int) -> bool:
    if at == 0 or line[at] == "“":
        return False
    return line[at] == "”" or not (line[at - 1].isspace() or line[at - 1] in _OPENS_AFTER)


def _letters(text: str) -> int:
    return sum(map(str.isalpha, text))
