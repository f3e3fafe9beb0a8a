"""The list of jobs; of candidate jobs the launch, and the page that follows one."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.text import capfirst
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from common.lists import PAGE, whole_number, word
from common.roles import is_librarian, me, scholar_required, staff_required
from common.tables.table import Column, tally
from retrieval.candidates import matching_costs, outcome, pooling
from retrieval.engine.ranking import rankers
from retrieval.forms import GenerateForm
from retrieval.jobs import listed, queue, status
from retrieval.models import Book, CandidateJob, Excerpt, Status
from retrieval.models.texts import HEAVY, HEAVY_BOOK
from retrieval.views import polled

LIGHT = CandidateJob.objects.select_related("book", "created_by").defer(*HEAVY_BOOK)


@scholar_required
@require_safe
def jobs(request: HttpRequest) -> HttpResponse:
    """List jobs of every kind that a person may see, the latest first; all or those of a book."""
    book = word(request, "book")
    page = Paginator(listed.latest(me(request), book), PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "rows": listed.rows(me(request), page.object_list),
        "chosen": book,
        "books": Book.objects.order_by("title").values("slug", "title", "n_sentences"),
        "unattended": status.no_worker_notices(queue.awaited()),
    }
    return render(request, "retrieval/jobs.html", context)


@staff_required
@require_safe
def launch(request: HttpRequest) -> HttpResponse:
    """Choose the book that a new candidate job is for; with `?book=…` go on to its form."""
    placed = Excerpt.objects.in_use().filter(first__isnull=False)
    books = Book.objects.filter(excerpts__in=placed).order_by("title").values("slug", "title")
    books = books.annotate(n=Count("excerpts"))
    chosen = word(request, "book")
    if any(each["slug"] == chosen for each in books):
        return redirect("retrieval:generate", chosen)
    return render(request, "retrieval/launch.html", {"books": books})


@staff_required
@require_http_methods(["GET", "HEAD", "POST"])
def generate(request: HttpRequest, slug: str) -> HttpResponse:
    """Launch a job for a book."""
    book = get_object_or_404(Book.objects.defer(*HEAVY), slug=slug)
    form = GenerateForm(request.POST or None, book=book)
    if request.method == "POST" and form.is_valid() and (job := form.save(me(request))):
        messages.success(request, f"Job {job.pk} is launched: {job.total:,} excerpts.")
        return redirect(job)
    placed = book.excerpts.in_use().filter(first__isnull=False)
    context = {
        "book": book,
        "form": form,
        "excerpt_count": placed.count(),
        "unattended": status.no_worker_notices(pooling.queue_for(each, None) for each in rankers.all()),
    }
    return render(request, "retrieval/generate.html", context, status=422 if form.errors else 200)


@scholar_required
@require_safe
def job(request: HttpRequest, pk: int) -> HttpResponse:
    """Show one job: how far it is, what it made, what it was asked for."""
    found = get_object_or_404(LIGHT, pk=pk)
    return render(request, "retrieval/job.html", _whole(request, found))


@scholar_required
@require_safe
def job_progress(request: HttpRequest, pk: int) -> HttpResponse:
    """Answer the page that asks how far a job is; 304 while nothing has changed.

    The last answer is the whole body of the page, which polls no more.
    """
    found = get_object_or_404(LIGHT, pk=pk)
    if request.headers.get("HX-Request") != "true":
        return redirect(found)
    if found.ended:
        return polled.ended(request, "retrieval/job_body.html", _whole(request, found))
    seen, context = whole_number(request, "seen") or 0, _standing(found)
    if context["ready"] > seen:
        context["preview"] = outcome.preview(found, Book.objects.get(pk=found.book_id))
    return polled.state_or_unchanged(request, "retrieval/job_progress.html", context)


@staff_required
@require_POST
def job_cancel(request: HttpRequest, pk: int) -> HttpResponse:
    """Cancel a job that has not ended; what it computed so far stays."""
    found = get_object_or_404(LIGHT, pk=pk)
    yes = f"Job {pk} is cancelled. What it computed is kept; a retry goes on from there."
    return polled.changed(request, found, queue.cancel(pk), yes, f"Job {pk} had ended before")


@staff_required
@require_POST
def job_retry(request: HttpRequest, pk: int) -> HttpResponse:
    """Put a failed or cancelled job back into the queue."""
    found = get_object_or_404(LIGHT, pk=pk)
    yes = f"Job {pk} waits for a worker again and goes on where it stopped."
    return polled.changed(request, found, queue.retry(pk), yes, f"Job {pk} cannot be retried")


def _standing(job: CandidateJob) -> dict[str, Any]:
    ready = outcome.n_ready(job)
    address = f"{reverse('retrieval:job_progress', args=[job.pk])}?seen={ready}"
    state = polled.state(job, f"Job {job.pk}", status.progress(job), address, "Excerpts done")
    return {**state, "ready": ready, "shown": outcome.SHOWN}


def _whole(request: HttpRequest, job: CandidateJob) -> dict[str, Any]:
    standing = _standing(job)
    book = Book.objects.get(pk=job.book_id) if standing["ready"] else None
    return {
        **standing,
        "preview": outcome.preview(job, book) if book else [],
        "exclusions": tally(
            Column("passage", "The passage", numeric=False),
            ((capfirst(rule), count) for rule, count in outcome.exclusions(job)),
            caption="Passages that ranked high enough and are no negatives, each by the first rule it breaks",
        ),
        "short": outcome.n_short(job),
        "costs": matching_costs.of_job(job),
        "asked": outcome.parameters_in_words(job),
        "models": outcome.checkpoints_in_words(job),
        "word_tables": outcome.words_in_words(job),
        "ranker": outcome.ranker_label(job.ranker),
        "may_change": is_librarian(request.user),
        "retriable": job.status in (Status.FAILED, Status.CANCELLED),
    }
