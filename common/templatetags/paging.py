"""Which pages of a long list are linked from one of them."""

from __future__ import annotations

from typing import Any

from django import template
from django.core.paginator import Page

register = template.Library()
FEW = 3
"""Pages that *Earlier* and *Further* are enough for."""


@register.filter
def elsewhere(page: Page[Any]) -> list[int | str]:
    """Return the pages to link: first, last, some around this one, and … between; none for few pages."""
    pages = page.paginator
    if pages.num_pages <= FEW:
        return []
    return list(pages.get_elided_page_range(page.number, on_each_side=2, on_ends=1))
