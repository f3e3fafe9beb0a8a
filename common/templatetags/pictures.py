"""Pictures on pages."""

from __future__ import annotations

from django import template
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from common.pictures import page, squares
from common.pictures.marks import Dots, Grid

register = template.Library()


@register.simple_tag
def picture(found: Dots | Grid | page.PlacedChart) -> SafeString:
    """Return the picture as SVG."""
    if isinstance(found, Dots):
        return render_to_string("common/pictures/dots.html", {"placed": page.dots(found)})
    if isinstance(found, Grid):
        return render_to_string("common/pictures/grid.html", {"placed": squares.grid(found)})
    return render_to_string("common/pictures/chart.html", {"placed": found})
