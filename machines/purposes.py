"""What calls were for, in words: the ledger keeps a purpose such as "machine reader 12", apps know the rest.

The apps above register how a purpose of theirs is told; this one knows no study and no corpus.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

Tell = Callable[[Collection[int]], Mapping[int, str]]
_KNOWN: dict[str, Tell] = {}


def register(kind: str, tell: Tell) -> None:
    """Say how the purposes "`kind` NUMBER" are told: called with numbers, it returns the words of each."""
    _KNOWN[kind] = tell


def told(purposes: Collection[str]) -> dict[str, str]:
    """Return the words of each purpose; the purpose itself where nobody knows more, as of what is deleted."""
    found = {each: each for each in purposes}
    wanted: dict[str, set[int]] = {}
    for each in found:
        kind, _, number = each.rpartition(" ")
        if kind in _KNOWN and number.isascii() and number.isdigit():
            wanted.setdefault(kind, set()).add(int(number))
    for kind, numbers in wanted.items():
        found |= {f"{kind} {number}": words for number, words in _KNOWN[kind](numbers).items()}
    return found
