"""Trainings: the list with the checkpoints, the launch, the page that follows one."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Prefetch
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from common.lists import PAGE, whole_number
from common.roles import is_librarian, me, scholar_required, staff_required
from retrieval.dense import checkpoints
from retrieval.forms import TrainForm
from retrieval.jobs import queue, status
from retrieval.models import Status, TrainingBook, TrainingJob, WordTable
from retrieval.models.texts import HEAVY_BOOK
from retrieval.training import wording
from retrieval.training.curve import losses
from retrieval.training.plan import queue_for_trainings
from retrieval.views import polled

ALL = TrainingJob.objects.select_related("created_by", "made")
SPLITS = TrainingBook.objects.select_related("book").defer(*HEAVY_BOOK)


@scholar_required
@require_safe
def trainings(request: HttpRequest) -> HttpResponse:
    """List all trainings, the latest first, and what rankers may load: models, and tables of words."""
    page = Paginator(ALL.prefetch_related(Prefetch("splits", SPLITS)), PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "rows": [(job, status.BADGES[Status(job.status)], wording.progress(job)) for job in page],
        "checkpoints": checkpoints.all_checkpoints(),
        "tables": WordTable.objects.select_related("created_by"),
    }
    return render(request, "retrieval/trainings.html", context)


@staff_required
@require_http_methods(["GET", "HEAD", "POST"])
def train(request: HttpRequest) -> HttpResponse:
    """Launch a training."""
    form = TrainForm(request.POST or None)
    if request.method == "POST" and form.is_valid() and (job := form.save(me(request))):
        messages.success(request, f"Training {job.pk} is launched: {job.name}.")
        return redirect(job)
    rows = form.book_rows()
    context = {
        "form": form,
        "rows": rows,
        "quoted": sum(bool(row.excerpts) for row in rows),
        "cost": wording.cost(queue_for_trainings()),
    }
    return render(request, "retrieval/train.html", context, status=422 if form.errors else 200)


@scholar_required
@require_safe
def training(request: HttpRequest, pk: int) -> HttpResponse:
    """Show one training: how far it is, its losses, what it was asked for, what came of it."""
    return render(request, "retrieval/training.html", _whole(request, get_object_or_404(ALL, pk=pk)))


@scholar_required
@require_safe
def training_progress(request: HttpRequest, pk: int) -> HttpResponse:
    """Answer the page that asks how far a training is; 304 while nothing has changed.

    The last answer is the whole body of the page, which polls no more.
    """
    found = get_object_or_404(ALL, pk=pk)
    if request.headers.get("HX-Request") != "true":
        return redirect(found)
    if found.ended:
        return polled.ended(request, "retrieval/training_body.html", _whole(request, found))
    context = _standing(found)
    context["new"] = len(found.curve) != (whole_number(request, "seen") or 0)
    if context["new"]:
        context |= _losses(found)
    return polled.state_or_unchanged(request, "retrieval/training_progress.html", context)


@staff_required
@require_POST
def training_cancel(request: HttpRequest, pk: int) -> HttpResponse:
    """Cancel a training that has not ended; its whole epochs stay."""
    found, done = get_object_or_404(ALL, pk=pk), queue.cancel(pk, TrainingJob)
    yes = f"Training {pk} is cancelled. Its epochs are kept; a retry goes on after the last of them."
    return polled.changed(request, found, done, yes, f"Training {pk} had ended before")


@staff_required
@require_POST
def training_retry(request: HttpRequest, pk: int) -> HttpResponse:
    """Put a failed or cancelled training back into the queue."""
    found, done = get_object_or_404(ALL, pk=pk), queue.retry(pk, TrainingJob)
    yes = f"Training {pk} waits for a worker again and goes on where it stopped."
    return polled.changed(request, found, done, yes, f"Training {pk} cannot be retried")


def _standing(job: TrainingJob) -> dict[str, Any]:
    address = f"{reverse('retrieval:training_progress', args=[job.pk])}?seen={len(job.curve)}"
    return polled.state(job, f"Training {job.pk}", wording.progress(job), address, "Steps done")


def _losses(job: TrainingJob) -> dict[str, Any]:
    return {"losses": losses(job.curve), "guessing": wording.loss_of_guessing(job)}


def _whole(request: HttpRequest, job: TrainingJob) -> dict[str, Any]:
    rows = list(SPLITS.filter(job=job))
    return {
        **_standing(job),
        **_losses(job),
        "ending": wording.ending(job),
        "tested": wording.test_results(job),
        "asked": wording.plan_in_words(job),
        "books": wording.books(job, rows),
        "unlearned": wording.unlearned_books(job, rows),
        "cost": "" if job.ended else wording.cost(job.queue),
        "may_change": is_librarian(request.user),
        "retriable": job.status in (Status.FAILED, Status.CANCELLED),
    }
