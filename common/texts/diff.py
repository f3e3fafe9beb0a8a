"""What changed between two texts, paragraph by paragraph and word by word."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

BETWEEN, WORD = re.compile(r"\n\s*\n"), re.compile(r"\S+\s*")
MOST, MOST_PAIRS, MOST_STEPS = 2000, 20_000, 40_000_000
"""Beyond so many paragraphs or words, so many pairs of equal ones, or so many steps in a whole text (the
pairs may be gone through again for every word), nothing is aligned: a row of equal words would take the
cube of their number. Paragraphs are then compared by their places, and one is shown as replaced whole."""


class Piece(NamedTuple):
    """Some words of a comparison.

    kind: same, new or gone.
    text: the words.
    """

    kind: str
    text: str


Paragraph = list[Piece]


def changes(before: str, after: str) -> list[Paragraph]:
    """Return the paragraphs of `after` that are new or changed, and those that are gone, in order."""
    old, new = paragraphs(before), paragraphs(after)
    found: list[Paragraph] = []
    done = 0
    for tag, i, j, k, m in blocks(old, new):
        if tag == "equal":
            continue
        both = min(j - i, m - k)
        for one, other in zip(old[i : i + both], new[k : k + both], strict=True):
            if one != other:
                pairs = work(words(one), words(other))
                steps = pairs * min(len(words(one)), len(words(other)))
                aligned = pairs <= MOST_PAIRS and done + steps <= MOST_STEPS
                done += steps if aligned else 0
                found.append(reworded(one, other) if aligned else replaced(one, other))
        found += [[Piece("gone", each)] for each in old[i + both : j]]
        found += [[Piece("new", each)] for each in new[k + both : m]]
    return found


def blocks(old: list[str], new: list[str]) -> Iterable[tuple[str, int, int, int, int]]:
    """Align two lists of paragraphs; yield difflib's opcodes (tag, i, j, k, m)."""
    if work(old, new) > MOST_PAIRS:
        return [("replace", 0, len(old), 0, len(new))]
    return SequenceMatcher(None, old, new, autojunk=False).get_opcodes()


def work(old: Sequence[str], new: Sequence[str]) -> int:
    """Return how many pairs of equal items are to be aligned; above `MOST_PAIRS` for too long a list."""
    if max(len(old), len(new)) > MOST:
        return MOST_PAIRS + 1
    times = Counter(old)
    return sum(times[each] for each in new)


def paragraphs(text: str) -> list[str]:
    """Split a text at its empty lines."""
    return [each.strip() for each in BETWEEN.split(text.replace("\r\n", "\n")) if each.strip()]


def reworded(before: str, after: str) -> Paragraph:
    """Return one paragraph with the words that went and came; as replaced where hardly a word stayed."""
    old, new = words(before), words(after)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return replaced(before, after) if matcher.ratio() < 0.3 else list(pieces(matcher, old, new))


def replaced(before: str, after: str) -> Paragraph:
    """Return one paragraph as gone and its successor as new."""
    return [Piece("gone", before), Piece("new", after)]


def pieces(matcher: SequenceMatcher[str], old: list[str], new: list[str]) -> Iterator[Piece]:
    """Yield the words that stayed, went and came."""
    for tag, i, j, k, m in matcher.get_opcodes():
        if tag == "equal":
            yield Piece("same", "".join(new[k:m]))
            continue
        if j > i:
            yield Piece("gone", "".join(old[i:j]))
        if m > k:
            yield Piece("new", "".join(new[k:m]))


def words(text: str) -> list[str]:
    """Split a paragraph into words, each with the blanks after it."""
    return WORD.findall(text)
