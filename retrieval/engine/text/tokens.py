"""The words of a text, as BM25 and the comparisons between passages see them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

GAP = "\ufffc"
"""Stands in a query where the quotation was taken out: the object replacement character, no word's part."""
TOKENISER = "words-2"
"""Name of `words`, written into every job: a change of the rule needs another name. `words-1` ended a word
before a combining mark, so pointed Hebrew fell to single letters."""


def _ranges(codes: Iterable[int], marks: bool) -> str:
    """Return the combining marks (Unicode's category M) among codes, or all others, as ranges of `re`."""
    found: list[list[int]] = []
    for code in codes:
        if unicodedata.category(chr(code)).startswith("M") is marks:
            if found and found[-1][1] == code - 1:
                found[-1][1] = code
            else:
                found.append([code, code])
    return "".join(rf"\U{first:08x}-\U{last:08x}" for first, last in found)


# Said by what it is not, a class has no character beyond U+FFFF, and `re` searches it a hundred times faster.
_PERHAPS_A_MARK = re.compile(f"[^{_ranges(range(0x10000), marks=False)}]")
# The planes that hold letters, and the variation selectors, beyond which no mark is assigned.
_MARKS = f"[{_ranges((*range(0x20000), *range(0xE0100, 0xE01F0)), marks=True)}]"
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_LETTERS = rf"[^\W_]+(?:{_MARKS}+[^\W_]*)*"
_MARKED_WORD = re.compile(rf"{_LETTERS}(?:['’]{_LETTERS})*")
"""Finds what `_WORD` does where there is no mark, in twice the time."""


def words(text: str) -> list[str]:
    """Return the lower-case runs of letters and digits, joined across an inner apostrophe.

    Combining marks belong to the letter before them: points of Hebrew, vowels of Arabic and of Indian
    scripts, and accents that are not composed. No stop list and no stemming. Underscores (italics in
    plain-text editions) and hyphens separate; `don't` is one word, and a quotation mark at the edge of a
    word is none of its letters.
    """
    text = text.lower()
    plain = text.isascii() or not _PERHAPS_A_MARK.search(text)
    return (_WORD if plain else _MARKED_WORD).findall(text)


def normalised(text: str) -> tuple[str, ...]:
    """Return the words with straight apostrophes: equal for texts that read the same.

    Editions differ in their apostrophes; `words` keeps the difference because
    BM25's statistics are counted on the text as it is stored.
    """
    return tuple(words(text.replace("’", "'")))
