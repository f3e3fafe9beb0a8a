"""Stemmers: what English words are cut down to, so that their forms find each other.

plural   Harman 1991, "How effective is suffixing?": -ies to -y, -es to -e, -s off, with exceptions
porter   Porter 1980, "An algorithm for suffix stripping", with the two later changes of its author
         (-bli for -abli, -logi), words of two letters left alone, as Lucene has it
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

Suffixes = Sequence[tuple[str, str]]

_STEP_2: Suffixes = (
    ("ational", "ate"),
    ("ization", "ize"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("tional", "tion"),
    ("biliti", "ble"),
    ("entli", "ent"),
    ("ousli", "ous"),
    ("ation", "ate"),
    ("alism", "al"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("alli", "al"),
    ("ator", "ate"),
    ("logi", "log"),
    ("bli", "ble"),
    ("eli", "e"),
)
_STEP_3: Suffixes = (
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ness", ""),
    ("ful", ""),
)
_STEP_4 = (
    *("ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ion", "ism", "ate", "iti", "ous"),
    *("ive", "ize", "al", "er", "ic", "ou"),
)


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


def porter(word: str) -> str:
    """Return the stem of a lower-case word; it need not be a word itself."""
    if len(word) <= 2:
        return word
    word = _past(_without_s(word))
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = f"{word[:-1]}i"
    word = _replaced(_replaced(word, _STEP_2), _STEP_3)
    return _tidied(_without_suffix(word))


def _without_s(word: str) -> str:
    """Step 1a."""
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    """Step 1b: -eed, -ed and -ing."""
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) else word
    stem = word[:-2] if word.endswith("ed") else word[:-3] if word.endswith("ing") else ""
    if not stem or not _has_vowel(stem):
        return word
    if stem.endswith(("at", "bl", "iz")):
        return f"{stem}e"
    if _ends_double(stem):
        return stem if stem.endswith(("l", "s", "z")) else stem[:-1]
    return f"{stem}e" if _measure(stem) == 1 and _ends_short(stem) else stem


def _replaced(word: str, suffixes: Suffixes) -> str:
    """Steps 2 and 3: the longest suffix that fits is replaced where a measure remains before it."""
    for suffix, instead in suffixes:
        if word.endswith(suffix):
            stem = word[: -len(suffix)]
            return stem + instead if _measure(stem) else word
    return word


def _without_suffix(word: str) -> str:
    """Step 4."""
    for suffix in _STEP_4:
        if word.endswith(suffix):
            stem = word[: -len(suffix)]
            fits = _measure(stem) > 1 and (suffix != "ion" or stem.endswith(("s", "t")))
            return stem if fits else word
    return word


def _tidied(word: str) -> str:
    """Step 5: a final -e, and one of two l."""
    if word.endswith("e"):
        stem = word[:-1]
        measure = _measure(stem)
        if measure > 1 or (measure == 1 and not _ends_short(stem)):
            word = stem
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word


def _consonants(word: str) -> list[bool]:
    """For each letter whether it is a consonant: y is one where no consonant stands before it."""
    found: list[bool] = []
    for letter in word:
        found.append(letter not in "aeiou" and not (letter == "y" and bool(found) and found[-1]))
    return found


def _measure(word: str) -> int:
    """How often vowels are followed by consonants."""
    letters = _consonants(word)
    return sum(not before and after for before, after in pairwise(letters))


def _has_vowel(word: str) -> bool:
    return not all(_consonants(word))


def _ends_double(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _consonants(word)[-1]


def _ends_short(word: str) -> bool:
    """Whether it ends consonant, vowel, consonant, the last none of w, x, y."""
    return _consonants(word)[-3:] == [True, False, True] and word[-1] not in "wxy"
