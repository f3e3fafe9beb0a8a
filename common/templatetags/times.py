"""Moments on pages: in UTC, until a script turns them into the reader's own time."""

from __future__ import annotations

from datetime import UTC, datetime

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from common import wording

register = template.Library()


@register.filter
def clock(moment: datetime) -> SafeString:
    """Return the time of day, such as 14:02 UTC."""
    return _stamp(moment, "clock", wording.time(moment))


@register.filter
def day(moment: datetime) -> SafeString:
    """Return day and time, such as 3 May 2024, 14:02 UTC."""
    return _stamp(moment, "day", wording.day_and_time(moment))


def _stamp(moment: datetime, kind: str, words: str) -> SafeString:
    iso = moment.astimezone(UTC).isoformat("T", "seconds")
    return format_html('<time datetime="{}" data-local="{}">{}</time>', iso, kind, words)
