"""What templates say about options and answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import template
from django.template.loader import select_template
from django.utils.safestring import SafeString

from annotation.models import Item, Study

register = template.Library()


@register.filter
def longest(options: Sequence[dict[str, Any]]) -> int:
    """Characters of the longest option: long ones are set closer, so that all stay in view."""
    return max((len(option["text"]) for option in options), default=0)


@register.simple_tag
def answer_shown(study: Study, item: Item, answer: dict[str, Any]) -> SafeString:
    """An answer in short, by the task's own template where it has one."""
    names = [f"annotation/tasks/{study.task}_answer.html", "annotation/tasks/answer.html"]
    rows = study.task_type.rows(item.payload, answer)
    return SafeString(select_template(names).render({"rows": rows, "payload": item.payload}))
