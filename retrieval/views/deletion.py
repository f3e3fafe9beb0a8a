"""Delete what nothing stands on: one page for books, sources, excerpts and jobs; and what was deleted."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from common.lists import PAGE
from common.roles import me, scholar_required, staff_required
from retrieval.curating import deletion
from retrieval.curating.dependents import Deletable, dependents
from retrieval.forms import ReasonForm
from retrieval.models import (
    Book,
    CandidateJob,
    DeletedKind,
    Deletion,
    Excerpt,
    LoadingJob,
    Source,
    TrainingJob,
    WordTable,
)
from retrieval.models.texts import HEAVY_BOOK, HEAVY_TEXTS
from retrieval.search.patience import index_cache

SHOWN = 50
"""Of what stands on a row, how many a page names."""
DELETABLE: dict[DeletedKind, tuple[QuerySet[Any], str]] = {
    DeletedKind.BOOK: (Book.objects.all(), "retrieval:books"),
    DeletedKind.SOURCE: (Source.objects.all(), "retrieval:sources"),
    DeletedKind.EXCERPT: (
        Excerpt.objects.select_related("book", "source").defer(*HEAVY_TEXTS),
        "retrieval:excerpts",
    ),
    DeletedKind.JOB: (CandidateJob.objects.select_related("book").defer(*HEAVY_BOOK), "retrieval:jobs"),
    DeletedKind.LOADING: (
        LoadingJob.objects.select_related("book", "source").defer(*HEAVY_TEXTS),
        "retrieval:jobs",
    ),
    DeletedKind.TRAINING: (TrainingJob.objects.all(), "retrieval:trainings"),
    DeletedKind.WORDS: (WordTable.objects.all(), "retrieval:trainings"),
}
"""Of each kind the rows that staff can delete, and the page that lists what is left."""


@scholar_required
@require_safe
def deletions(request: HttpRequest) -> HttpResponse:
    """List what was deleted, the latest first."""
    page = Paginator(Deletion.objects.select_related("by"), PAGE).get_page(request.GET.get("page"))
    return render(request, "retrieval/deletions.html", {"page": page})


@staff_required
@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: HttpRequest, kind: DeletedKind, **key: object) -> HttpResponse:
    """Delete a row of this kind on which nothing stands; `key` is its slug or its primary key."""
    rows, back = DELETABLE[kind]
    row: Deletable = get_object_or_404(rows.all(), **key)
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
        # Asked only where it is said: what stands on a row keeps it.
        "with_it": [] if found else deletion.takes_along(row),
        "form": form,
    }
    return render(request, "retrieval/delete.html", context, status=422 if form.errors else 200)
