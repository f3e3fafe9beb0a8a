"""Where spans of an answer begin and end in a passage, for templates that mark them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from django import template

from annotation.tasktypes.spans import typed

register = template.Library()
Answer = Mapping[str, Any] | None


@register.filter
def spans_of(answer: Answer) -> Sequence[Sequence[int]]:
    """Return the spans of an answer, or gold answer, of any task of spans, each [start, end) in tokens."""
    if not answer or "declined" in answer:
        return ()
    spans: Sequence[Sequence[int]] = answer.get("spans") or ((answer["start"], answer["end"]),)
    return spans


@register.filter
def begins_at(answer: Answer, token: int) -> bool:
    """Return whether a span of the answer begins with that token."""
    return any(start == token for start, _ in spans_of(answer))


@register.filter
def ends_at(answer: Answer, token: int) -> bool:
    """Return whether a span of the answer ends before that token."""
    return any(end == token for _, end in spans_of(answer))


class Run(NamedTuple):
    """Words of a paragraph that are marked together, or not marked.

    marked: which is it.
    words: all but the last, each with what follows it; the last, and what follows behind the mark.
    """

    marked: bool
    words: Sequence[Mapping[str, Any]]
    last: Mapping[str, Any]


@register.filter
def in_runs(paragraph: Sequence[Mapping[str, Any]], answer: Answer) -> list[Run]:
    """Cut the words of a paragraph, each from `start` to `stop` in code points, where marks begin and end."""
    marks = (answer or {}).get("rationale", ())
    runs = []
    for place, run in groupby(paragraph, lambda word: _place(word, marks)):
        *words, last = run
        runs.append(Run(place >= 0, words, last))
    return runs


@register.filter
def typed_words(answer: Answer, paragraphs: Sequence[Sequence[Mapping[str, Any]]]) -> str:
    """Return what is marked as the numbers of its words, as the field of the page has it."""
    marks = (answer or {}).get("rationale", ())
    every = (word for paragraph in paragraphs for word in paragraph) if marks else ()
    found = groupby(every, lambda word: _place(word, marks))
    runs = [[word["n"] for word in run] for place, run in found if place >= 0]
    return typed([(run[0], run[-1] + 1) for run in runs])


def _place(word: Mapping[str, Any], marks: Sequence[Sequence[int]]) -> int:
    """Return which of the marks a word is in; -1 for none."""
    return next(
        (n for n, (start, end) in enumerate(marks) if word["start"] < end and word["stop"] > start), -1
    )
