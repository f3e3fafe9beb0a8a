"""What changed between two texts, paragraph by paragraph and word by word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import NamedTuple

BETWEEN, WORD = re.compile(r"\n\s*\n"), re.compile(r"\S+\s*")
MOST_WORDS = 2000
"""Beyond this a paragraph is shown as replaced whole: comparing words takes the square of their number."""


class Piece(NamedTuple):
    """Some words that are the `same`, `new` or `gone`."""

    kind: str
    text: str


Paragraph = list[Piece]


def changes(before: str, after: str) -> list[Paragraph]:
    """The paragraphs of `after` that are new or changed, and those that are gone, in order."""
    old, new = paragraphs(before), paragraphs(after)
    found: list[Paragraph] = []
    for tag, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        both = min(j - i, m - k)
        found += [reworded(a, b) for a, b in zip(old[i : i + both], new[k : k + both], strict=True)]
        found += [[Piece("gone", each)] for each in old[i + both : j]]
        found += [[Piece("new", each)] for each in new[k + both : m]]
    return found


def paragraphs(text: str) -> list[str]:
    return [each.strip() for each in BETWEEN.split(text.replace("\r\n", "\n")) if each.strip()]


def reworded(before: str, after: str) -> Paragraph:
    """One paragraph with the words that went and came; whole, where hardly a word stayed."""
    old, new = words(before), words(after)
    if max(len(old), len(new)) > MOST_WORDS:
        return [Piece("gone", before), Piece("new", after)]
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    if matcher.ratio() < 0.3:
        return [Piece("gone", before), Piece("new", after)]
    return list(pieces(matcher, old, new))


def pieces(matcher: SequenceMatcher[str], old: list[str], new: list[str]) -> Iterator[Piece]:
    for tag, i, j, k, m in matcher.get_opcodes():
        if tag == "equal":
            yield Piece("same", "".join(new[k:m]))
            continue
        if j > i:
            yield Piece("gone", "".join(old[i:j]))
        if m > k:
            yield Piece("new", "".join(new[k:m]))


def words(text: str) -> list[str]:
    """Words, each with the blanks after it."""
    return WORD.findall(text)
