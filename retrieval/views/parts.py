"""What of a book is set aside, and how staff sort a paragraph otherwise."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from common.roles import is_librarian, scholar_required
from retrieval.curating import corrections
from retrieval.engine.text.layout import PROSE
from retrieval.forms import PartsForm
from retrieval.models import Book

PARTS = 50
LONGEST = 160


@scholar_required
@require_http_methods(["GET", "HEAD", "POST"])
def book_parts(request: HttpRequest, slug: str) -> HttpResponse:
    """List headings and paragraphs set aside or corrected. Scholars look, staff change."""
    may_change = is_librarian(request.user)
    if request.method == "POST" and not may_change:
        raise Http404
    book = get_object_or_404(Book, slug=slug)
    layout = corrections.current_layout(book)
    refusal = corrections.why_not(book, layout)
    by_hand = dict(book.corrections)
    parts = [part for part in layout if part.kind != PROSE or part.start in by_hand]
    longest = request.GET.get("order") == "longest"
    if longest:
        parts.sort(key=lambda part: (part.start - part.end, part.start))
    page = Paginator(parts, PARTS).get_page(request.GET.get("page"))
    form = PartsForm(request.POST or None, book=book, shown=list(page))
    if request.method == "POST" and form.is_valid():
        made = form.save()
        if made:
            messages.success(
                request, f"The book has {made.book.n_sentences:,} sentences now; it had {made.before:,}."
            )
            return redirect(f"{reverse('retrieval:book_parts', args=[slug])}?{_query(page.number, longest)}")
    rows = [
        (part, " ".join(book.text[part.start : part.end].split())[:LONGEST], part.start in by_hand, field)
        for part, field in form.rows()
    ]
    context = {
        "book": book,
        "page": page,
        "form": form if may_change and not refusal else None,
        "errors": form,
        "rows": rows,
        "refusal": refusal,
        "prose": PROSE,
        "longest": longest,
        "query": _query(page.number, longest),
    }
    return render(request, "retrieval/book_parts.html", context, status=422 if form.errors else 200)


def _query(page: int, longest: bool) -> str:
    return f"page={page}{'&order=longest' if longest else ''}"
