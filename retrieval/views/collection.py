"""The collection in numbers: RELiC's table 1 and figure 2, and where critics meet."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from common.roles import scholar_required
from retrieval.texts import collection_formats as rendering
from retrieval.texts.collection import collection as numbers
from retrieval.texts.collection_bars import columns


@scholar_required
@require_safe
def collection(request: HttpRequest) -> HttpResponse:
    """Show the numbers of all books."""
    found = numbers()
    context = {
        "found": found,
        "totals": rendering.totals(found),
        "books": rendering.books(found, linked=True),
        "places": rendering.places(found, linked=True),
        "charts": [
            columns(
                "lengths",
                "Quotations by length",
                "sentences",
                rendering.LENGTH_TICKS,
                rendering.lengths(found),
            ),
            columns(
                "positions",
                "Quotations by place in the book",
                "percent of the book before it",
                rendering.POSITION_TICKS,
                rendering.positions(found),
            ),
        ],
    }
    return render(request, "retrieval/collection.html", context)
