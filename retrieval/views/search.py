"""Evidence search: a claim typed, the passages that stand nearest to it, each with its place in the book."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from retrieval.engine.passages import count
from retrieval.forms import SearchForm
from retrieval.models import Book
from retrieval.roles import scholar_required
from retrieval.search import SIZES, Hit


@scholar_required
@require_safe
def search(request: HttpRequest, slug: str) -> HttpResponse:
    """The form, and with `?claim=…` what was found: an address that can be sent to somebody."""
    book = get_object_or_404(Book, slug=slug)
    asked = "claim" in request.GET
    form = SearchForm(_whole(request) if asked else None, book=book)
    hits = form.hits() if asked and form.is_valid() else None
    context = {"book": book, "form": form, "hits": hits, "passages": _count(book, hits)}
    part = "_found" if request.headers.get("HX-Request") == "true" else ""
    status = 422 if form.errors else 200
    return render(request, f"retrieval/search{part}.html", context, status=status)


def _count(book: Book, hits: list[Hit] | None) -> int:
    """How many passages of their length were ranked."""
    return count(book.n_sentences, hits[0].size) if hits else 0


def _whole(request: HttpRequest) -> dict[str, str]:
    """What the address says, with the defaults for what it leaves out."""
    return {"size": str(SIZES[0]), "ranker": "bm25", **request.GET.dict()}
