"""Searches for quotations and imports of large files: the page that follows one."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.text import capfirst
from django.views.decorators.http import require_POST, require_safe

from common.roles import is_librarian, scholar_required, staff_required
from common.tables.table import Column, tally
from retrieval.curating.exclusions import LABELS
from retrieval.jobs import queue
from retrieval.loading import jobs as loading_jobs
from retrieval.loading import many, uploads
from retrieval.models import Book, LoadingJob, Source, Status
from retrieval.models.texts import HEAVY_TEXTS
from retrieval.views import polled

ALL = LoadingJob.objects.select_related("book", "source", "created_by").defer(*HEAVY_TEXTS)


@scholar_required
@require_safe
def loading(request: HttpRequest, pk: int) -> HttpResponse:
    """Show one search or import: how far it is, and what came of it."""
    return render(request, "retrieval/loading.html", _whole(request, get_object_or_404(ALL, pk=pk)))


@scholar_required
@require_safe
def loading_progress(request: HttpRequest, pk: int) -> HttpResponse:
    """Answer the page that asks how far it is; 304 while nothing has changed.

    The last answer is the whole body of the page, which asks no more.
    """
    found = get_object_or_404(ALL, pk=pk)
    return polled.watched(request, found, "retrieval/loading.html", _whole, _standing)


@staff_required
@require_POST
def loading_cancel(request: HttpRequest, pk: int) -> HttpResponse:
    """Cancel a search or import that has not ended; nothing of it is stored."""
    found = get_object_or_404(ALL, pk=pk)
    if cancelled := queue.cancel(pk, LoadingJob):
        uploads.remove_stale()
    kept = "What it found is kept; a retry goes on from there." if found.many else "Nothing of it is stored."
    yes = f"{found} is cancelled. {kept}"
    return polled.changed(request, found, cancelled, yes, f"{found} had ended before")


@staff_required
@require_POST
def loading_retry(request: HttpRequest, pk: int) -> HttpResponse:
    """Put a failed or cancelled search back into the queue."""
    found = get_object_or_404(ALL, pk=pk)
    if loading_jobs.retry(found):
        messages.success(request, f"{found} waits for a worker again.")
    else:
        found.refresh_from_db(fields=["status"])
        why = found.get_status_display().lower()
        if found.status in (Status.FAILED, Status.CANCELLED):
            why = "another search has begun" if found.finds else "its file is gone; upload it again"
        messages.warning(request, f"{found} cannot be tried again: {why}.")
    return redirect(found)


def _standing(job: LoadingJob) -> dict[str, Any]:
    address = reverse("retrieval:loading_progress", args=[job.pk])
    return polled.state(job, str(job), loading_jobs.progress(job), address)


def _pairs(job: LoadingJob) -> dict[str, Any]:
    """Return the pairs that are done: what gave something, what was not searched, how many gave nothing."""
    done = many.results(job)
    citations = dict(
        Source.objects.filter(slug__in={each.source for each in done}).values_list("slug", "citation")
    )
    titles = dict(Book.objects.filter(slug__in={each.book for each in done}).values_list("slug", "title"))
    rows = [(each, citations.get(each.source), titles.get(each.book)) for each in done]
    return {
        "pairs": [row for row in rows if row[0].found or row[0].n_dropped],
        "refused": [row for row in rows if row[0].refusal],
        "n_silent": sum(not (each.found or each.n_dropped or each.refusal) for each in done),
        "n_done": len(done),
        "totals": {name: sum(getattr(each, name) for each in done) for name in many.COUNTED},
    }


def _whole(request: HttpRequest, job: LoadingJob) -> dict[str, Any]:
    return {
        **_standing(job),
        **(_pairs(job) if job.many else {}),
        "found": job.counts.get("new", 0) + job.counts.get("known", 0),
        "dropped": tally(
            Column("why", "Why", numeric=False),
            ((capfirst(LABELS.get(why, why)), count) for why, count in job.counts.get("dropped", {}).items()),
            title="Why others were dropped",
            caption="What looked like a quotation and is no excerpt",
        ),
        "may_change": is_librarian(request.user),
        "retriable": job.finds and job.status in (Status.FAILED, Status.CANCELLED),
    }
