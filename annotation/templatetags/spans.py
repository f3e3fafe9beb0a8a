"""Where spans of an answer begin and end in a passage, for templates that mark them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import template

register = template.Library()


@register.filter
def spans_of(answer: Mapping[str, Any] | None) -> Sequence[Sequence[int]]:
    """Return the spans of an answer, or gold answer, of any task of spans, each [start, end) in tokens."""
    if not answer or "declined" in answer:
        return ()
    spans: Sequence[Sequence[int]] = answer.get("spans") or ((answer["start"], answer["end"]),)
    return spans


@register.filter
def begins_at(answer: Mapping[str, Any] | None, token: int) -> bool:
    """Return whether a span of the answer begins with that token."""
    return any(start == token for start, _ in spans_of(answer))


@register.filter
def ends_at(answer: Mapping[str, Any] | None, token: int) -> bool:
    """Return whether a span of the answer ends before that token."""
    return any(end == token for _, end in spans_of(answer))
