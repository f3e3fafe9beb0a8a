"""What templates say about options and answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import template
from django.template.loader import select_template
from django.utils.html import escape
from django.utils.safestring import SafeString

from annotation.models import Item, Study
from annotation.reading.preferences import key_map
from annotation.tasktypes.base import TaskType
from common import markdown
from retrieval.engine.quotations.masking import COVERED

register = template.Library()
BESIDE = 120
"""Characters that are shown on both sides of what was found in a text."""
LONG_SPAN = 14
"""Words that are shown of a span in a list."""


@register.filter
def longest(options: Sequence[dict[str, Any]]) -> int:
    """Characters of the longest option: long ones are set closer, so that all stay in view."""
    return max((len(option["text"]) for option in options), default=0)


@register.filter
def from_to(text: str) -> str:
    """A long run of words by its beginning and its end: of a span, both borders tell it from another."""
    words = text.split()
    if len(words) <= LONG_SPAN:
        return text
    return " ".join([*words[: LONG_SPAN - 6], "…", *words[-6:]])


@register.filter
def found_in(spans: Sequence[tuple[int, int]], text: str) -> SafeString:
    """A text with these stretches marked; of a long one what stands around them."""
    low, high = max(0, spans[0][0] - BESIDE), min(len(text), spans[-1][1] + BESIDE)
    pieces, at = ["… " if low else ""], low
    for start, end in spans:
        pieces += [escape(text[at:start]), f"<mark>{escape(text[start:end])}</mark>"]
        at = end
    return SafeString("".join([*pieces, escape(text[at:high]), " …" if high < len(text) else ""]))


@register.filter
def covers_marked(text: str) -> SafeString:
    """A text with what is covered in it marked."""
    return SafeString(str(escape(text)).replace(COVERED, f"<mark>{COVERED}</mark>"))


@register.filter
def marked_up(text: str) -> SafeString:
    """A researcher's text with its few marks; everything in it was escaped."""
    return SafeString(markdown.html(text))


@register.simple_tag
def answer_shown(study: Study, item: Item, answer: dict[str, Any]) -> SafeString:
    """An answer in short, by the task's own template where it has one."""
    return _by_task(study, item, answer, "answer")


@register.simple_tag
def answer_whole(study: Study, item: Item, answer: dict[str, Any]) -> SafeString:
    """An answer in all its words, to be read."""
    return _by_task(study, item, answer, "whole")


def _by_task(study: Study, item: Item, answer: dict[str, Any], form: str) -> SafeString:
    own = [f"annotation/tasks/{study.task}_{each}.html" for each in dict.fromkeys((form, "answer"))]
    names = [*own, "annotation/tasks/answer.html"]
    rows = study.task_type.rows(item.payload, answer)
    return SafeString(select_template(names).render({"rows": rows, "payload": item.payload}))


@register.simple_tag(takes_context=True)
def own_keys(context: template.Context, task: TaskType) -> dict[str, str]:
    """Key by act, as whoever reads this page has them."""
    return key_map(context["user"], task)


@register.simple_tag
def key_of(keys: dict[str, str], act: str, number: int) -> str:
    """The key of the act in this place: `{% key_of keys "option" 2 %}` that of `option_2`."""
    return keys.get(f"{act}_{number}", "")


@register.filter
def of_act(keys: dict[str, str], act: str) -> str:
    return keys.get(act, "")
