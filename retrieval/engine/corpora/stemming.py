"""Stemmers: what English words are cut down to, so that their forms find each other.

plural             Harman 1991, "How effective is suffixing?": -ies to -y, -es to -e, -s off, with exceptions
snowball-porter    Porter 1980, "An algorithm for suffix stripping", as Snowball has it
snowball-english   Snowball's English stemmer, the later one of the same author (Porter 2)

Snowball comes from PyStemmer. Words of two letters are left alone, as Lucene does: otherwise `is` and `i`,
`as` and `a` were one term each, and `s` were none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import Stemmer

Stem = Callable[[str], str]
SNOWBALL: str = Stemmer.version()
"""The version that is written into the manifest of every index."""
_SHORTEST = 3


def without_possessive(word: str) -> str:
    """Return the word without a final `'s` or `’s`."""
    return word[:-2] if word.endswith(("'s", "’s")) else word


def plural(word: str) -> str:
    """Return the word without the ending of a plural."""
    if len(word) < 4 or not word.endswith("s"):
        return word
    if word.endswith("ies"):
        return word if word.endswith(("eies", "aies")) else f"{word[:-3]}y"
    if word.endswith("es"):
        return word if word.endswith(("aes", "ees", "oes")) else word[:-1]
    return word if word.endswith(("us", "ss")) else word[:-1]


def snowball(algorithm: str) -> Stem:
    """Return one of Snowball's stemmers of lower-case words; a stem need not be a word itself.

    Each caller gets one of its own: what is behind it is not made for several threads.
    """
    stem: Stem = Stemmer.Stemmer(algorithm).stemWord

    def of(word: str) -> str:
        return word if len(word) < _SHORTEST else stem(word)

    return of


STEMMERS: Mapping[str, Callable[[], Stem]] = {
    "none": lambda: str,
    "plural": lambda: plural,
    "snowball-porter": lambda: snowball("porter"),
    "snowball-english": lambda: snowball("english"),
}
"""What makes each stemmer, by the name stored with an index. A change of a rule needs another name."""

FORMER: Mapping[str, str] = {"porter": "snowball-porter"}
"""Names that indexes of earlier versions carry, and what is nearest to them now. `porter` had -bli for -abli
and -logi beside the rules of 1980: of possibly it made `possibl`, where `snowball-porter` makes `possibli`.
"""
