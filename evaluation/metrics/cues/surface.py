"""The surface of options: numbers that need no reading, for every option of every item.

All items offer the same number q of options. Words are runs of letters and digits, compared without case; in
scripts that set no spaces between words each sign is one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from common.texts.surface import WORD, bare, ends_as_a_sentence, marks_of, words_of
from evaluation.metrics.nominal.table import FloatArray, IntArray

QUOTES = frozenset("\"“”„«»‘'‚‹›「『《")


class CueItem(NamedTuple):
    """What a reader of one item has before them.

    context: the words around the blank.
    options: the q passages in canonical order.
    gold: the canonical number of the right one.
    """

    context: str
    options: Sequence[str]
    gold: int


class Surface(NamedTuple):
    """The surface of N items of q options: (N, q) each, and the gold.

    length: characters.
    lower: 1 where the first letter is a small one.
    quoted: 1 where a quotation mark stands before the first word.
    marks: punctuation marks a word.
    whole: 1 where the passage ends as a sentence does.
    shared: the share of its different words that stand in the context.
    used: of these items, this one included, those that offer the same words.
    gold: (N,) the canonical number of the right option.
    """

    length: FloatArray
    lower: FloatArray
    quoted: FloatArray
    marks: FloatArray
    whole: FloatArray
    shared: FloatArray
    used: FloatArray
    gold: IntArray

    @property
    def place(self) -> FloatArray:
        """The canonical number of each option: where in the file, or in the draw, it stands."""
        return np.broadcast_to(np.arange(self.length.shape[1], dtype=np.float64), self.length.shape)


def surface(items: Sequence[CueItem]) -> Surface:
    """Measure the options of all items. Raises ValueError where items differ in how many they offer."""
    sizes = {len(item.options) for item in items}
    if len(sizes) != 1 or min(sizes) < 2:
        raise ValueError("every item must offer the same number of options, two at least.")
    texts = [[bare(text) for text in item.options] for item in items]
    words = [[words_of(text) for text in each] for each in texts]
    keys = [[" ".join(said) for said in each] for each in words]
    used = Counter(key for each in keys for key in set(each))
    found = np.array(
        [
            [_measured(text, len(said)) for text, said in zip(*each, strict=True)]
            for each in zip(texts, words, strict=True)
        ]
    )
    shared = np.array(
        [_shared(words_of(bare(item.context)), said) for item, said in zip(items, words, strict=True)]
    )
    frequency = np.array([[used[key] for key in each] for each in keys], dtype=np.float64)
    length, lower, quoted, marks, whole = (found[:, :, n] for n in range(5))
    gold = np.array([item.gold for item in items], dtype=np.int64)
    return Surface(length, lower, quoted, marks, whole, shared, frequency, gold)


def _measured(text: str, n_words: int) -> tuple[float, ...]:
    first = WORD.search(text)
    before = text[: first.start()] if first else text
    return (
        len(text),
        first is not None and first[0][0].islower(),
        not QUOTES.isdisjoint(before),
        marks_of(text, n_words),
        ends_as_a_sentence(text),
    )


def _shared(context: list[str], options: list[list[str]]) -> list[float]:
    known = set(context)
    own = [set(words) for words in options]
    return [len(words & known) / max(1, len(words)) for words in own]
