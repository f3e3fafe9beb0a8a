"""Where spans of an answer begin and end in a passage, for templates that mark them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import template

register = template.Library()


@register.filter
def begins_at(answer: Mapping[str, Any] | None, token: int) -> bool:
    """Return whether a span of the answer, or gold answer, begins with that token."""
    return any(start == token for start, _ in (answer or {}).get("spans", ()))


@register.filter
def ends_at(answer: Mapping[str, Any] | None, token: int) -> bool:
    """Return whether a span of the answer ends before that token."""
    return any(end == token for _, end in (answer or {}).get("spans", ()))
