"""The anchor of an allusion: the word of a passage that its reference shares and that is rarest elsewhere.

A lemmatiser is least sure of the rarest words, so a shared lemma is not the only evidence. A name is shared
in its form where the lemma is another word’s (*Core*, under *cor*), and two inflected forms of one word are
shared where each got a lemma of its own (*absinthium*, *absinthio*).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import NamedTuple

from annotation.items.references.verses import VerseCollection

STEM, ENDING = 6, 3
"""Forms of one word: they begin with so many equal letters, and at most so many more are their own."""


class Word(NamedTuple):
    """A word of a verse.

    form: as it stands there.
    lemma: its dictionary form, empty where none is known.
    """

    form: str
    lemma: str


def rarest(
    own: Iterable[tuple[int, Word]], target: Iterable[Word], stop: frozenset[str], verses: VerseCollection
) -> int | None:
    """Return the number of the first word that is rarest among those shared; None where none is shared.

    own: words of the passage with their numbers.
    target: words of the text it refers to.
    stop: lemmas that are never an anchor; a word whose lemma is not known goes by its form.
    """
    theirs = [word for word in target if not _stopped(word, stop)]
    lemmas = {word.lemma for word in theirs} - {""}
    forms = {word.form.casefold() for word in theirs}
    ranked = []
    for n, word in own:
        if _stopped(word, stop):
            continue
        ranked += [(times, n) for times in _evidence(word, lemmas, forms, verses)]
    return min(ranked)[1] if ranked else None


def _evidence(word: Word, lemmas: set[str], forms: set[str], verses: VerseCollection) -> Iterator[int]:
    """How often what is shared occurs in the collection; nothing where nothing is."""
    form = word.form.casefold()
    if word.lemma in lemmas and not (form in forms and _another_word(word, verses)):
        yield verses.frequency[word.lemma]
    elif form in forms:
        yield verses.forms[form]
    else:
        for other in forms:
            stem = _beginning_of_both(form, other)
            if len(stem) >= STEM and max(len(form), len(other)) - len(stem) <= ENDING:
                yield beginning(stem, verses)


def _beginning_of_both(one: str, other: str) -> str:
    equal = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return one[: sum(1 for _ in equal)]


def _stopped(word: Word, stop: frozenset[str]) -> bool:
    return (word.lemma or word.form.casefold()) in stop


def _another_word(word: Word, verses: VerseCollection) -> bool:
    """Whether a name got the lemma of a word that is mostly written without a capital."""
    return word.form[:1].isupper() and 2 * verses.named[word.lemma] < verses.frequency[word.lemma]


def beginning(stem: str, verses: VerseCollection) -> int:
    """Return how many words of the collection begin with ``stem``."""
    at, found = bisect_left(verses.vocabulary, stem), 0
    while at < len(verses.vocabulary) and verses.vocabulary[at].startswith(stem):
        found += verses.forms[verses.vocabulary[at]]
        at += 1
    return found
