"""Evidence search: a claim typed, the passages that stand nearest to it, each with its place in the book."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from retrieval.engine import rankers
from retrieval.engine.passages import count
from retrieval.forms import ActingForm
from retrieval.models import Book
from retrieval.roles import scholar_required
from retrieval.search import SIZES, Hit
from retrieval.search import search as find

SHOWN = 20
"""Passages on the page."""
LONGEST_CLAIM = 1500
"""Characters: the claim stands in the address, which servers cut off at about 4,000 bytes."""


class SearchForm(ActingForm):
    blamed = "claim"

    claim = forms.CharField(
        label="Claim",
        max_length=LONGEST_CLAIM,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="What the passages should be evidence for, in words the book itself could use.",
        error_messages={"required": "Write what the passages should be evidence for."},
    )
    size = forms.IntegerField(
        label="Sentences",
        min_value=SIZES[0],
        max_value=SIZES[1],
        initial=1,
        help_text=f"In each passage, {SIZES[0]} to {SIZES[1]}.",
    )
    ranker = forms.ChoiceField(label="Ranker")

    def __init__(self, *args: Any, book: Book, **options: Any) -> None:
        super().__init__(*args, **options)
        self.book = book
        ranker = self.fields["ranker"]
        if isinstance(ranker, forms.ChoiceField):
            ranker.choices = [(each.slug, each.label) for each in rankers.all() if each.queue == "cpu"]

    def hits(self) -> list[Hit] | None:
        """The passages, best first; None where the claim was refused and the form says why."""
        asked = {name: self.cleaned_data[name] for name in ("ranker", "size")}
        return self.attempt(lambda: find(self.book, self.cleaned_data["claim"], k=SHOWN, **asked))


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
