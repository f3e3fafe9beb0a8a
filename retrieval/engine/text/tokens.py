"""The words of a text, as BM25 and the comparisons between passages see them."""

from __future__ import annotations

import re

GAP = "\ufffc"
"""Stands in a query where the quotation was taken out: the object replacement character, no word's part."""
TOKENISER = "words-1"
"""Name of `words`, written into every job: a change of the rule needs another name."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def words(text: str) -> list[str]:
    """Return the lower-case runs of letters and digits, joined across an inner apostrophe.

    No stop list and no stemming. Underscores (italics in plain-text editions)
    and hyphens separate; `don't` is one word, and a quotation mark at the edge
    of a word is none of its letters.
    """
    return _WORD.findall(text.lower())


def normalised(text: str) -> tuple[str, ...]:
    """Return the words with straight apostrophes: equal for texts that read the same.

    Editions differ in their apostrophes; `words` keeps the difference because
    BM25's statistics are counted on the text as it is stored.
    """
    return tuple(words(text.replace("’", "'")))
