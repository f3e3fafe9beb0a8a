"""Delete what nothing stands on: one page for books, sources, excerpts and jobs; and what was deleted."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from common.lists import PAGE
from common.roles import me, scholar_required, staff_required
from retrieval.curating import deletion
from retrieval.curating.dependents import Deletable, dependents
from retrieval.forms import ReasonForm
from retrieval.models import Book, CandidateJob, Deletion, Excerpt, LoadingJob, Source, TrainingJob
from retrieval.models.texts import HEAVY_BOOK, HEAVY_TEXTS
from retrieval.search.evidence import index_cache

SHOWN = 50
"""Of what stands on a row, how many a page names."""
FORMS = require_http_methods(["GET", "HEAD", "POST"])


@scholar_required
@require_safe
def deletions(request: HttpRequest) -> HttpResponse:
    """List what was deleted, the latest first."""
    page = Paginator(Deletion.objects.select_related("by"), PAGE).get_page(request.GET.get("page"))
    return render(request, "retrieval/deletions.html", {"page": page})


@staff_required
@FORMS
def book_delete(request: HttpRequest, slug: str) -> HttpResponse:
    """Delete a book without excerpts, jobs and trainings."""
    return _page(request, Book.objects.all(), "retrieval:books", slug=slug)


@staff_required
@FORMS
def source_delete(request: HttpRequest, slug: str) -> HttpResponse:
    """Delete a source without excerpts."""
    return _page(request, Source.objects.all(), "retrieval:sources", slug=slug)


@staff_required
@FORMS
def excerpt_delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Delete an excerpt that no job, training or item has."""
    light = Excerpt.objects.select_related("book", "source").defer(*HEAVY_TEXTS)
    return _page(request, light, "retrieval:excerpts", pk=pk)


@staff_required
@FORMS
def job_delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Delete a candidate job of which no study and no training was made."""
    light = CandidateJob.objects.select_related("book").defer(*HEAVY_BOOK)
    return _page(request, light, "retrieval:jobs", pk=pk)


@staff_required
@FORMS
def loading_delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Delete a search or an import from the list; what it found or stored stays."""
    light = LoadingJob.objects.select_related("book", "source").defer(*HEAVY_TEXTS)
    return _page(request, light, "retrieval:jobs", pk=pk)


@staff_required
@FORMS
def training_delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Delete a training of which no model came."""
    return _page(request, TrainingJob.objects.all(), "retrieval:trainings", pk=pk)


def _page(request: HttpRequest, rows: QuerySet[Model], back: str, **key: object) -> HttpResponse:
    row: Deletable = get_object_or_404(rows, **key)  # type: ignore[assignment]
    form = ReasonForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        said, by = form.cleaned_data["reason"], me(request)
        done = form.attempt(lambda: deletion.delete(row, reason=said, by=by, now=timezone.now()))
        if done:
            # Keyed by what was indexed, and so never wrong; but there is no reason to keep it.
            index_cache.clear()
            messages.success(request, f"{deletion.name(row)} is deleted.")
            return redirect(back)
    found = dependents(row)
    name = deletion.name(row)
    context = {
        "row": row,
        "name": name[0].lower() + name[1:],
        "is_excerpt": isinstance(row, Excerpt),
        "standing": found[:SHOWN],
        "more": len(found) - SHOWN,
        "running": "" if found else deletion.why_not(row),
        "with_it": deletion.takes_along(row),
        "form": form,
    }
    return render(request, "retrieval/delete.html", context, status=422 if form.errors else 200)
