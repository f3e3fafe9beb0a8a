"""What one sees of a passage without reading it: its words, and whether it ends as a sentence does.

Matched negatives go by it, and the cue audit looks whether they do: both must mean the same. Words are runs
of letters and digits, compared without case; in scripts that set no spaces between words each sign is one.
"""

from __future__ import annotations

import re
from unicodedata import category, combining, normalize

SINGLE = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Chinese signs and kana: between them nothing says where a word ends."""
POINTS = "".join(sign for sign in map(chr, range(0x300, 0x3000)) if category(sign).startswith("M"))
"""Signs that stand on letters and end no word: accents apart from their letter, Hebrew and Arabic points, the
vowels of Indian scripts."""
MOST_MARKS = 30
"""Marks on one letter beyond which Unicode lets a text be refused (UAX 15, stream-safe text)."""
_STACKING = "".join(
    sign
    for sign in map(chr, range(0x300, 0x20000))
    if category(sign).startswith("M") and all(map(combining, normalize("NFD", sign)))
)
# Composing letters sorts the marks of one: two million of them would take an hour.
STACK = re.compile(rf"(?P<kept>[{_STACKING}]{{{MOST_MARKS}}})[{_STACKING}]++")
ON_LETTERS = frozenset(
    sign for sign in map(chr, (*range(0x300, 0x20000), *range(0xE0100, 0xE01F0))) if category(sign)[0] == "M"
)
"""All marks. Most texts have none, which a whole text is soon asked; a stack is looked for far longer."""
WORD = re.compile(rf"[{SINGLE}]|[^\W_{SINGLE}]+")
ASCII_WORD = re.compile(r"[a-z0-9]+")
"""The same in a text of ASCII without capitals, found in half the time."""
MARK = re.compile(r"[^\w\s]")
LAST = frozenset(".!?…。！？؟۔।")
CLOSING = "\"”“»’'‹›)]*_」』》"


def bare(text: str) -> str:
    """Return the text in composed form and without marks on letters, such as vowel points.

    They are neither words nor punctuation, and the same word may be written with them and without.
    """
    if text.isascii():
        return text
    marked = not ON_LETTERS.isdisjoint(text)
    composed = normalize("NFC", STACK.sub(r"\g<kept>", text) if marked else text)
    # Composing parts a few letters from their marks, as it does a Hebrew yod with its point.
    if ON_LETTERS.isdisjoint(composed):
        return composed
    return "".join(sign for sign in composed if sign not in ON_LETTERS)


def words_of(text: str) -> list[str]:
    """Return the words of a text that `bare` has been through."""
    return (ASCII_WORD if text.isascii() else WORD).findall(text.casefold())


def words(text: str) -> list[str]:
    """Return the words of any text."""
    return words_of(bare(text))


def reads(text: str) -> str:
    """Return what is equal for passages that differ in case, marks and spaces only."""
    return " ".join(words(text))


def shared(text: str, context: frozenset[str]) -> float:
    """Return the share of a passage's different words that are among `context`; 0 without words."""
    own = set(words(text))
    return len(own & context) / max(1, len(own))


def marks_of(text: str, n_words: int) -> float:
    """Return the punctuation marks a word of a text that `bare` has been through, which has so many words."""
    return len(MARK.findall(text)) / max(1, n_words)


def marks(text: str) -> float:
    """Return the punctuation marks a word of any text."""
    plain = bare(text)
    return marks_of(plain, len(words_of(plain)))


def ends_as_a_sentence(text: str) -> bool:
    """Return whether the last character is a full stop or the like, closing marks and brackets aside."""
    return text.rstrip().rstrip(CLOSING)[-1:] in LAST
