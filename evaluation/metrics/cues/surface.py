"""The surface of options: numbers that need no reading, for every option of every item.

All items offer the same number q of options. Words are runs of letters and digits, compared without case.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from common.surface import WORD, ends_as_a_sentence, reads, shared, words
from evaluation.metrics.nominal.table import FloatArray, IntArray

MARK = re.compile(r"[^\w\s]")
QUOTES = frozenset("\"“”„«»‘'‚‹›")


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
    used: the items of the study, this one included, that offer the same words.
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


def surface(items: Sequence[CueItem], offered: Counter[str] | None = None) -> Surface:
    """Measure the options of all items. Raises ValueError where items differ in how many they offer.

    ``offered``: in how many items of the study each text stands, as `offers` counts them; without it, these.
    """
    sizes = {len(item.options) for item in items}
    if len(sizes) != 1 or min(sizes) < 2:
        raise ValueError("every item must offer the same number of options, two at least.")
    used = offers(item.options for item in items) if offered is None else offered
    rows = [[_measured(text, used) for text in item.options] for item in items]
    found = np.array(rows, dtype=np.float64)
    in_context = np.array([_shared(item) for item in items])
    length, lower, quoted, marks, whole, frequency = (found[:, :, n] for n in range(6))
    gold = np.array([item.gold for item in items], dtype=np.int64)
    return Surface(length, lower, quoted, marks, whole, in_context, frequency, gold)


def offers(options: Iterable[Sequence[str]]) -> Counter[str]:
    """In how many items each text stands as an option, by its words alone."""
    return Counter(key for each in options for key in {reads(text) for text in each})


def _measured(text: str, used: Counter[str]) -> tuple[float, ...]:
    found = WORD.findall(text)
    first = found[0][0] if found else ""
    before = text[: text.index(found[0])] if found else text
    return (
        len(text),
        first.islower(),
        not QUOTES.isdisjoint(before),
        len(MARK.findall(text)) / max(1, len(found)),
        ends_as_a_sentence(text),
        used[reads(text)],
    )


def _shared(item: CueItem) -> list[float]:
    context = frozenset(words(item.context))
    return [shared(text, context) for text in item.options]
