"""How stored text is printed on a page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

if TYPE_CHECKING:
    from django.contrib.auth.models import User

register = template.Library()

_ITALICS = re.compile(r"(?<![^\W_])_(?=[^\s_])([^_]*[^\s_])_(?![^\W_])")


@register.filter
def prose(text: str) -> SafeString:
    """Plain text as HTML: `_words_` in italics, line ends kept. All else is escaped."""
    html = _ITALICS.sub(r"<em>\1</em>", escape(text))
    return mark_safe(html.replace("\n", "<br>"))  # noqa: S308 - escaped in the line above


@register.filter
def thousands(number: int | None) -> str:
    """7500 as 7,500; nothing for None."""
    return "" if number is None else f"{number:,}"


@register.filter
def percent(share: float) -> str:
    """0.0138 as 1.4 %."""
    return f"{share:.1%}".replace("%", " %")


@register.filter
def who(user: User | None) -> str:
    """The name of somebody who decided; what came from a command has none."""
    return (user.get_full_name() or user.get_username()) if user else "the command line"


@register.filter
def after(number: int) -> int:
    """Stored numbers count from 0, people from 1."""
    return number + 1
