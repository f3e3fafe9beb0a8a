"""What a study's spans share with the texts they allude to: the paper's Table 1 and Figure 2.

An instance is a span and one of its item's references. Rows: the anchors as editors put them, the gold spans,
and every span that readers marked. Words are what holds a letter or a digit, in lower case: punctuation is a
token of the passage and no word in common. References are stored as text and cut into words by the
tokeniser that loads them.

Manjavacas, E., Long, B. and Kestemont, M. (2019), Table 1 and Figure 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from annotation.models import Study
from annotation.tasktypes.passage import is_word
from annotation.tasktypes.tokens import tokenise
from evaluation.kinds.answers import work_items
from evaluation.metrics.nominal.table import IntArray
from evaluation.metrics.spans.reuse import LexicalOverlap, Spread, lexical_overlap

MOST_ITEMS = 20_000
AT_ONCE = 1_000
ANCHORS, GOLD, MARKED = "anchors", "gold spans", "marked spans"

Place = tuple[str, int, int, int]
"""A span: its kind, the primary key of its item, its first token and the token behind its last."""
Words = list[int]


class InCommon(NamedTuple):
    """Words that a span and its reference share.

    ``jaccard``: the index of the two sets of words, over instances.
    ``histogram``: how many instances share 0, 1, 2 … words.
    """

    jaccard: Spread
    histogram: tuple[int, ...]


class DatasetRow(NamedTuple):
    """One kind of span.

    ``name``: of the kind, such as ``gold spans``.
    ``n``: instances.
    ``tokens``: in common.
    ``lemmata``: the same of lemmata, over ``n_lemmata`` instances with them on both sides; None without any.
    ``source_length``, ``reference_length``: running words of the span and of the reference.
    """

    name: str
    n: int
    tokens: InCommon
    lemmata: InCommon | None
    n_lemmata: int
    source_length: Spread
    reference_length: Spread


class DatasetStatistics(NamedTuple):
    """Statistics of all spans.

    ``rows``: one for each kind of span.
    ``reason``: why there are none, else empty.
    """

    rows: tuple[DatasetRow, ...]
    reason: str = ""


class Instances:
    """Words of spans and of references as numbers, the same number for the same word on both sides."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.sources: list[Words] = []
        self.references: list[Words] = []

    def add(self, source: Sequence[str], reference: Sequence[str]) -> None:
        numbers = self.numbers
        self.sources.append([numbers.setdefault(word, len(numbers)) for word in source])
        self.references.append([numbers.setdefault(word, len(numbers)) for word in reference])

    def overlap(self) -> LexicalOverlap:
        sides = (flat(self.sources), flat(self.references))
        return lexical_overlap(*sides[0], *sides[1], len(self.sources))


def flat(texts: list[Words]) -> tuple[IntArray, IntArray]:
    """The instance of every word, and the word."""
    sizes = [len(text) for text in texts]
    words = np.fromiter((word for text in texts for word in text), dtype=np.int64, count=sum(sizes))
    return np.repeat(np.arange(len(texts)), sizes), words


def dataset_statistics(study: Study, n_items: int, places: Iterable[Place]) -> DatasetStatistics:
    """``n_items``: of the study; ``places``: its spans, those that start before 0 are none."""
    if n_items > MOST_ITEMS:
        reason = f"Not computed: the texts of more than {MOST_ITEMS:,} items are too many to read for a page."
        return DatasetStatistics((), reason)
    spans: dict[int, list[tuple[str, int, int]]] = {}
    for name, key, start, end in places:
        if start >= 0:
            spans.setdefault(key, []).append((name, start, end))
    tokens = {name: Instances() for name in (ANCHORS, GOLD, MARKED)}
    lemmata = {name: Instances() for name in tokens}
    for pk, payload in work_items(study).values_list("pk", "payload").iterator(AT_ONCE):
        own, lemma_of = words_of_passage(payload), lemmata_of_passage(payload)
        for words, lemmas in references_of(payload):
            for name, start, end in spans.get(pk, ()):
                inside = range(start, end)
                tokens[name].add([own[number] for number in inside if number in own], words)
                if lemmas is not None and lemma_of is not None:
                    lemmata[name].add([lemma_of[number] for number in inside if lemma_of[number]], lemmas)
    found = tuple(_row(name, tokens[name], lemmata[name]) for name in tokens if tokens[name].sources)
    return DatasetStatistics(found, "" if found else "No span was marked yet, and no item has an anchor.")


def words_of_passage(payload: Mapping[str, Any]) -> dict[int, str]:
    """The words among a passage's tokens, by token."""
    text = payload["text"]
    each = enumerate(text[first:end] for first, end in payload["tokens"])
    return {number: token.casefold() for number, token in each if is_word(token)}


def lemmata_of_passage(payload: Mapping[str, Any]) -> list[str] | None:
    """The lemma of every token, empty where it has none; None where the passage comes without."""
    lemmata = payload.get("lemmata")
    return None if lemmata is None else [each.casefold() for each in lemmata]


def references_of(payload: Mapping[str, Any]) -> Iterator[tuple[list[str], list[str] | None]]:
    """Words and lemmata of each reference, None for lemmata that are not given."""
    for reference in payload["references"]:
        text, lemmata = reference["text"], reference.get("lemmata")
        pieces = (text[first:end] for first, end in tokenise(text))
        words = [piece.casefold() for piece in pieces if is_word(piece)]
        yield words, None if lemmata is None else [each.casefold() for each in lemmata if is_word(each)]


def _row(name: str, tokens: Instances, lemmata: Instances) -> DatasetRow:
    words = tokens.overlap()
    lemmas = lemmata.overlap() if lemmata.sources else None
    return DatasetRow(
        name,
        len(tokens.sources),
        _in_common(words),
        None if lemmas is None else _in_common(lemmas),
        len(lemmata.sources),
        words.source_length,
        words.reference_length,
    )


def _in_common(found: LexicalOverlap) -> InCommon:
    return InCommon(found.jaccard_spread, tuple(int(count) for count in found.histogram))
