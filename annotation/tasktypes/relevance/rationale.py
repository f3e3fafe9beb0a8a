"""The words that decided a grade, its rationale: marked in the document where a study asks, kept as offsets.

A payload says in `rationale` whether they may be marked (`optional`) or must be (`required`: with every grade
but the lowest, which nothing in a document need speak for). In an answer they stand as `[[start, end], …]`,
half-open in code points of the document's text, in order, without overlap; without any the field is absent.
Pages and people count words instead, from 1; which those are follows from the text.

Rationales beside relevance judgments: McDonnell, Lease, Kutlu and Elsayed 2016.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import Any

from annotation.tasktypes import passage
from annotation.tasktypes.base import Answer, Invalid
from annotation.tasktypes.relevance.query_words import PARAGRAPHS, cut
from annotation.tasktypes.spans import checked_spans, written
from annotation.tasktypes.tokens import tokenise
from annotation.tasktypes.verdicts import Spans
from common.translation import gettext as _
from common.translation import gettext_noop

FIELD = "rationale"
OPTIONAL, REQUIRED = "optional", "required"
SETTINGS = (OPTIONAL, REQUIRED)
MOST = 20
"""Places that one answer may mark."""
MARK = gettext_noop("Mark the words that decided, in the document, or take the lowest grade.")
AS_JSON = gettext_noop(
    "“rationale” must be a list of [start, end) in code points, or words by their numbers, such as 3-7, 12."
)
MARKS, MISSES = 0.8, 0.3
"""Of simulated readers: how often one marks where that is optional, and moves a border by a word."""


def check_setting(value: Any) -> None:
    """Raise `Invalid` unless it says how words are asked for."""
    if value not in SETTINGS:
        raise Invalid(
            "“rationale” must be optional or required; leave it out where none are asked for.", FIELD
        )


def check_asked(payload: Mapping[str, Any]) -> None:
    """Raise `Invalid` where readers of the study mark no words."""
    if not payload.get(FIELD):
        raise Invalid(_("This study does not ask for the words that decided."), FIELD)


@lru_cache(maxsize=256)
def words_of(text: str) -> tuple[tuple[int, int], ...]:
    """Return [first, end) of each word and sign of a text."""
    return tuple((first, end) for first, end in tokenise(text))


def check(spans: Any, text: str) -> Spans:
    """Return stretches of a text in order. Raises `Invalid` for what is none, or too many."""
    return checked_spans(spans, FIELD, len(text), "code points", MOST)


def read(data: Mapping[str, Any], text: str) -> Spans:
    """Return what a form or a script marked of a text; nothing where it marked nothing. Raises `Invalid`."""
    value = data.get(FIELD)
    if value is None or value == [] or (isinstance(value, str) and not value.strip()):
        return []
    if not isinstance(value, str):
        return check(value, text)
    if value.lstrip().startswith("["):
        try:
            return check(json.loads(value), text)
        except (json.JSONDecodeError, RecursionError):
            raise Invalid(_(AS_JSON), FIELD) from None
    words = words_of(text)
    spans = checked_spans(written(value, len(words), FIELD), FIELD, len(words), "words", MOST)
    return [[words[start][0], words[end - 1][1]] for start, end in spans]


def check_given(setting: str, grade: int, spans: Spans) -> None:
    """Raise `Invalid` where words must be marked and none are."""
    if setting == REQUIRED and grade > 0 and not spans:
        raise Invalid(_(MARK), FIELD)


def in_words(spans: Sequence[Sequence[int]], text: str) -> Spans:
    """Return [first, end) in words of what touches each stretch, of which one or the other may be no word."""
    words = words_of(text)
    found: Spans = []
    for start, end in spans:
        inside = [n for n, (first, last) in enumerate(words) if first < end and last > start]
        if inside:
            found.append([max(inside[0], found[-1][1] if found else 0), inside[-1] + 1])
    return [span for span in found if span[0] < span[1]]


def quoted(spans: Sequence[Sequence[int]], text: str) -> list[str]:
    """Return the words of each stretch."""
    return [" ".join(text[start:end].split()) for start, end in spans]


def presented(text: str, title_words: frozenset[str], language: str) -> dict[str, Any]:
    """Return the document's words as the page marks in them, paragraph by paragraph, and where its clauses
    and sentences begin.
    """
    words = words_of(text)
    payload = {"text": text, "tokens": words}
    return {
        "words": _paragraphs(text, words, title_words),
        "last": len(words) - 1,
        "latest_start": len(words) - 1,
        "earliest_last": 0,
        "anchor": None,
        "clauses": passage.beginnings(payload, passage.CLAUSE_ENDS),
        "sentences": passage.beginnings(payload, passage.sentence_ends(language)),
        "direction": passage.direction(text),
        "most": MOST,
    }


def _paragraphs(
    text: str, words: Sequence[tuple[int, int]], title_words: frozenset[str]
) -> list[list[dict[str, Any]]]:
    """Return the words of each paragraph, each with what follows it up to the next of the paragraph."""
    found: list[list[dict[str, Any]]] = [[]]
    for n, (first, end) in enumerate(words):
        after = text[end : words[n + 1][0] if n + 1 < len(words) else end]
        ends = n + 1 < len(words) and PARAGRAPHS.search(after) is not None
        found[-1].append(
            {
                "n": n,
                "end": n + 1,
                "start": first,
                "stop": end,
                "pieces": [piece._asdict() for piece in cut(text[first:end], title_words)],
                "after": "" if ends else after,
                "is_word": passage.is_word(text[first:end]),
            }
        )
        if ends:
            found.append([])
    return [each for each in found if each]


def simulated(text: str, language: str, shared: Random, random: Random, setting: str) -> Spans:
    """Return a sentence that all simulated readers of a document have in mind, its borders moved by some; or
    nothing, as some readers mark nothing where they need not.
    """
    words = words_of(text)
    starts = passage.beginnings({"text": text, "tokens": words}, passage.sentence_ends(language))
    sentences = list(zip(starts, [*starts[1:], len(words)], strict=True))
    if not words or (setting == OPTIONAL and random.random() > MARKS):
        return []
    start, end = shared.choice(sentences)
    if random.random() < MISSES:
        start = min(start + random.randint(1, 3), end - 1)
    if random.random() < MISSES:
        end = max(end - random.randint(1, 3), start + 1)
    return [[words[start][0], words[end - 1][1]]]


def with_rationale(grade: Answer, spans: Spans) -> Answer:
    """Return an answer in its stored form: without the field where nothing was marked."""
    return {**grade, FIELD: spans} if spans else grade
