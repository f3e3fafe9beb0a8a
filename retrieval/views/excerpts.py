"""Excerpts: the list, and one quotation beside the passage it comes from."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from retrieval import typesetting
from retrieval.models import Book, Excerpt, Source
from retrieval.roles import scholar_required
from retrieval.views.lists import PAGE, TEXTS, word

AROUND = 3
"""Sentences of the novel on either side of the passage."""


@scholar_required
@require_safe
def excerpts(request: HttpRequest) -> HttpResponse:
    """All excerpts, or those of a book or a source."""
    rows = Excerpt.objects.select_related("book", "source").defer(*TEXTS)
    book, source = word(request, "book"), word(request, "source")
    if book:
        rows = rows.filter(book__slug=book)
    if source:
        rows = rows.filter(source__slug=source)
    page = Paginator(rows.order_by("book__title", "source__citation", "start", "pk"), PAGE)
    context = {
        "page": page.get_page(request.GET.get("page")),
        "chosen": {"book": book, "source": source},
        "books": Book.objects.filter(excerpts__isnull=False)
        .distinct()
        .order_by("title")
        .values("slug", "title"),
        "sources": Source.objects.filter(excerpts__isnull=False)
        .distinct()
        .order_by("citation")
        .values("slug", "citation"),
    }
    return render(request, "retrieval/excerpts.html", context)


@scholar_required
@require_safe
def excerpt(request: HttpRequest, pk: int) -> HttpResponse:
    """What the critic printed, and where it stands in the book."""
    rows = Excerpt.objects.select_related("book", "source").defer("source__text", "source__notes")
    found = get_object_or_404(rows, pk=pk)
    gold = found.gold
    context = {
        "excerpt": found,
        "paragraphs": typesetting.surroundings(found.book, gold, AROUND) if gold else [],
    }
    return render(request, "retrieval/excerpt.html", context)
