"""What templates say about times and texts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django import template
from django.template.loader import select_template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timezone import localtime

from annotation.models import Judgment

register = template.Library()


@register.filter
def clock(moment: datetime) -> SafeString:
    """The time of day: 14:02 UTC, which a script turns into the reader's own 14:02."""
    return stamp(moment, "clock", "%H:%M UTC")


@register.filter
def day(moment: datetime) -> SafeString:
    """Day and time: 3 May 2024, 14:02 UTC."""
    return stamp(moment, "day", "%-d %b %Y, %H:%M UTC")


def stamp(moment: datetime, kind: str, form: str) -> SafeString:
    moment = localtime(moment)
    return format_html(
        '<time datetime="{}" data-local="{}">{}</time>',
        moment.isoformat("T", "seconds"),
        kind,
        f"{moment:{form}}",
    )


@register.filter
def prose(sentences: Sequence[str]) -> str:
    """Sentences as the running text of a paragraph."""
    return " ".join(sentences)


@register.filter
def longest(options: Sequence[dict[str, Any]]) -> int:
    """Characters of the longest option: long ones are set closer, so that all stay in view."""
    return max((len(option["text"]) for option in options), default=0)


@register.simple_tag
def answer_shown(judgment: Judgment) -> SafeString:
    """A reader's own answer in short, by the task's own template where it has one."""
    study, item = judgment.assignment.study, judgment.assignment.item
    rows = study.task_type.rows(item.payload, judgment.answer or {}) if judgment.answer is not None else {}
    names = [f"annotation/tasks/{study.task}_answer.html", "annotation/tasks/answer.html"]
    html = select_template(names).render({"judgment": judgment, "rows": rows, "payload": item.payload})
    return SafeString(html)
