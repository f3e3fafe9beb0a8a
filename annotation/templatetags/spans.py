"""Where spans of an answer begin and end in a passage, for templates that mark them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString

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


@register.filter
def words_marked(paragraph: Sequence[Mapping[str, Any]], answer: Answer) -> SafeString:
    """Return a paragraph as HTML: each word by its number, and marks around what the answer marks.

    ``paragraph``: words with `start` and `stop` in code points, as `rationale.presented` gives them. A text
    may have 20,000 of them, so that no template is asked for each.
    """
    marks = (answer or {}).get("rationale", ())
    html = []
    for place, run in groupby(paragraph, lambda word: _place(word, marks)):
        *words, last = run
        inside = "".join(_word(each) + escape(each["after"]) for each in words) + _word(last)
        html += [f"<mark>{inside}</mark>" if place >= 0 else inside, escape(last["after"])]
    return SafeString("".join(html))


def _word(word: Mapping[str, Any]) -> str:
    pieces = ((escape(each["text"]), each["marked"]) for each in word["pieces"])
    inside = "".join(f"<mark data-title>{text}</mark>" if marked else text for text, marked in pieces)
    return f'<span data-token="{word["end"]}"{" data-word" if word["is_word"] else ""}>{inside}</span>'


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
