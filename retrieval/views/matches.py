"""Which source quotes which book how often, what was not taken, and what staff exclude or take by hand."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from common.errors import BadInput
from common.lists import PAGE, word
from common.roles import me, scholar_required, staff_required
from retrieval.curating import exclusions, taking
from retrieval.engine.quotations.matching import LONGEST_COMPARED
from retrieval.forms import ExcludeForm, TakeForm
from retrieval.models import Book, Exclusion, Source
from retrieval.models.texts import HEAVY_BOOK
from retrieval.texts import matches as text_matches
from retrieval.texts.source_places import number_at, paragraphs


@scholar_required
@require_safe
def matches(request: HttpRequest) -> HttpResponse:
    """List all pairs of source and book, with doubts about what may be no criticism."""
    page = Paginator(text_matches.matches(), PAGE).get_page(request.GET.get("page"))
    return render(request, "retrieval/matches.html", {"page": page})


@scholar_required
@require_safe
def source_matches(request: HttpRequest, slug: str) -> HttpResponse:
    """Show one source: its books, what was dropped and why, what is excluded."""
    found = get_object_or_404(Source.objects.defer("notes"), slug=slug)
    book, reason = word(request, "book"), word(request, "reason")
    rows = found.comparisons.select_related("book").defer(*HEAVY_BOOK)
    comparisons = [each for each in rows if not book or each.book.slug == book]
    dropped = text_matches.drops(found, comparisons, reason)
    of = paragraphs(found.text)
    context = {
        "source": found,
        "rows": text_matches.matches(found),
        "page": Paginator(dropped, PAGE).get_page(request.GET.get("page")),
        "chosen": {"book": book, "reason": reason},
        "books": [each.book for each in rows],
        "reasons": sorted(
            {(why, exclusions.LABELS.get(why, why)) for each in rows for _, _, why in each.dropped}
        ),
        "exclusions": [
            _shown(each, of) for each in found.exclusions.select_related("book", "by", "lifted_by")
        ],
    }
    return render(request, "retrieval/source_matches.html", context)


@staff_required
@require_http_methods(["GET", "HEAD", "POST"])
def exclude(request: HttpRequest, slug: str) -> HttpResponse:
    """Take no excerpt from a source or a stretch of it; those there are rejected by the same act."""
    found = get_object_or_404(Source, slug=slug)
    given = {name: request.GET.get(name, "")[:20] for name in ("first", "last")}
    form = ExcludeForm(request.POST or None, source=found, initial={**given, "book": word(request, "book")})
    if request.method == "POST" and form.is_valid():
        made = form.save(by=me(request), now=timezone.now())
        if made:
            messages.success(request, f"Excluded. Excerpts rejected by it: {made.rejected:,}.")
            return redirect("retrieval:source_matches", slug)
    context = {"source": found, "form": form, "last": len(paragraphs(found.text))}
    return render(request, "retrieval/exclude.html", context, status=422 if form.errors else 200)


@staff_required
@require_POST
def lift(request: HttpRequest, pk: int) -> HttpResponse:
    """Take an exclusion back; what it rejected is in use again."""
    found = get_object_or_404(Exclusion.objects.select_related("source"), pk=pk)
    try:
        restored = exclusions.lift(found, by=me(request), now=timezone.now())
    except BadInput as refusal:
        messages.warning(request, str(refusal))
    else:
        messages.success(request, f"The exclusion is lifted. Excerpts in use again: {restored:,}.")
    return redirect("retrieval:source_matches", found.source.slug)


@staff_required
@require_http_methods(["GET", "HEAD", "POST"])
def take(request: HttpRequest, slug: str, book: str, start: int, end: int) -> HttpResponse:
    """Make an excerpt of a quotation that the search dropped; its place in the book is chosen by hand."""
    source, about = get_object_or_404(Source, slug=slug), get_object_or_404(Book, slug=book)
    span = (start, end)
    if not start < end <= len(source.text):
        raise Http404
    if end - start > LONGEST_COMPARED:
        text = f"{end - start:,} characters are no quotation: at most {LONGEST_COMPARED:,} can be taken."
        messages.warning(request, text)
        return redirect("retrieval:source_matches", slug)
    form = TakeForm(request.POST or None, book=about, source=source, span=span)
    if request.method == "POST" and form.is_valid():
        made = form.save(by=me(request), now=timezone.now())
        if made:
            messages.success(request, f"Taken as excerpt {made.pk}.")
            return redirect(made)
    printed = source.text[start:end]
    left, right = taking.context_around(source, span)
    context: dict[str, Any] = {
        "source": source,
        "book": about,
        "form": form,
        "printed": printed,
        "left": left,
        "right": right,
        "suggestions": taking.suggest_places(about, printed),
        "known": taking.overlapping_excerpts(about, source, span).first(),
    }
    return render(request, "retrieval/take.html", context, status=422 if form.errors else 200)


def _shown(exclusion: Exclusion, of: list[tuple[int, int]]) -> tuple[Exclusion, int, int]:
    """With the numbers of its first and last paragraph."""
    if exclusion.start is None or exclusion.end is None:
        return exclusion, 0, 0
    return exclusion, number_at(of, exclusion.start), number_at(of, exclusion.end - 1)
