"""Tables of words: the lemma of each, its synonyms, those that are left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class LemmaTable:
    """The lemma of each word.

    lemmas: by word, both lower case.
    sha256: of the file; empty where it was made in memory.
    """

    lemmas: Mapping[str, str]
    sha256: str = ""

    def lemma(self, word: str) -> str:
        """Return the lemma of a word; itself where the table does not have it."""
        return self.lemmas.get(word, word)


AS_GIVEN = LemmaTable({})
"""Stands for texts whose words are lemmas already, separated by white space; told by identity."""


@dataclass(frozen=True)
class SynonymTable:
    """The groups of synonyms that each word is in.

    groups: numbers of groups by word, lower case.
    sha256: of the file; empty where it was made in memory.
    """

    groups: Mapping[str, frozenset[int]]
    sha256: str = ""


@dataclass(frozen=True)
class StopList:
    """Words that are left out.

    words: lower case.
    sha256: of the file; empty where it was made in memory.
    """

    words: frozenset[str]
    sha256: str = ""
