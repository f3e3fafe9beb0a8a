"""Words and punctuation of a text, as offsets. For texts that come without a tokenisation of their own."""

from __future__ import annotations

from unicodedata import category

# Between two letters these belong to the word: o’clock, well-nigh, Hebrew gershayim, joiners.
INNER = frozenset("'’ʼ-‐‑·״׳\"\u200c\u200d\u00ad")
# Elision is part of the Greek word it ends, whatever Unicode calls the sign.
FINAL = frozenset("\u1fbd\u1fbf")


def tokenise(text: str) -> list[list[int]]:
    """Return [first, end) in code points of every token, in order; blanks belong to none.

    A word is a run of letters, digits and combining marks (so pointed Hebrew and vocalised
    Arabic stay whole), with an apostrophe, hyphen or joiner where letters stand on both
    sides of it. A run of one and the same other sign ("...", "--") is one token.
    """
    tokens: list[list[int]] = []
    at = 0
    while at < len(text):
        end = at + 1
        if is_letter(text[at]):
            while end < len(text) and continues(text, end):
                end += 1
        elif not text[at].isspace():
            while end < len(text) and text[end] == text[at]:
                end += 1
        if not text[at].isspace():
            tokens.append([at, end])
        at = end
    return tokens


def is_letter(sign: str) -> bool:
    """Return whether a sign is a letter, a digit, a combining mark or a Greek elision."""
    return category(sign)[0] in "LMN" or sign in FINAL


def continues(text: str, at: int) -> bool:
    """Return whether the sign at `at` continues the word before it."""
    if is_letter(text[at]):
        return True
    return text[at] in INNER and at + 1 < len(text) and category(text[at + 1])[0] in "LMN"
