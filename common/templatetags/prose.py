"""How stored text is printed on a page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from common import wording

if TYPE_CHECKING:
    from django.contrib.auth.models import User

register = template.Library()

_ITALICS = re.compile(r"(?<![^\W_])_(?=[^\s_])([^_]*[^\s_])_(?![^\W_])")


@register.filter
def prose(text: str) -> SafeString:
    """Return plain text as HTML: `_words_` in italics, line ends kept, all else escaped."""
    html = _ITALICS.sub(r"<em>\1</em>", escape(text))
    return mark_safe(html.replace("\n", "<br>"))  # noqa: S308 - escaped in the line above


@register.filter
def thousands(number: int | None) -> str:
    """Return a number as the reader writes it, such as 7,500 for 7500; empty for None."""
    return "" if number is None else wording.number(number)


@register.filter
def percent(share: float) -> str:
    """Return a share in percent, such as 1.4 % for 0.0138."""
    return wording.percent(share)


@register.filter
def who(user: User | None) -> str:
    """Return the name of whoever decided; the command line where nobody is named."""
    return (user.get_full_name() or user.get_username()) if user else "the command line"


@register.filter
def after(number: int) -> int:
    """Return the number people use: stored numbers count from 0, people from 1."""
    return number + 1
