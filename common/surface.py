"""What one sees of a passage without reading it: its words, and whether it ends as a sentence does.

Matched negatives go by it, and the cue audit looks whether they do: both must mean the same.
"""

from __future__ import annotations

import re

WORD = re.compile(r"[^\W_]+")
LAST = frozenset(".!?…")
CLOSING = "\"”“»’'‹›)]*_"


def words(text: str) -> list[str]:
    """Return the runs of letters and digits, without case."""
    return WORD.findall(text.casefold())


def reads(text: str) -> str:
    """Return what is equal for passages that differ in case, marks and spaces only."""
    return " ".join(words(text))


def shared(text: str, context: frozenset[str]) -> float:
    """Return the share of a passage's different words that are among `context`; 0 without words."""
    own = set(words(text))
    return len(own & context) / max(1, len(own))


def ends_as_a_sentence(text: str) -> bool:
    """Return whether the last character is a full stop or the like, closing marks and brackets aside."""
    return text.rstrip().rstrip(CLOSING)[-1:] in LAST
