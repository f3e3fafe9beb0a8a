"""An evaluation that a worker computes: begun, followed, stopped, gone on with, and its numbers."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from annotation.access import studies_for
from common.errors import BadInput
from common.roles import is_librarian, me, scholar_required
from common.tables.formats import download
from evaluation.models import EvaluationJob
from evaluation.runs.jobs import computing, inputs
from evaluation.runs.measuring import command, query
from evaluation.runs.numbers import FORMATS, numbers
from retrieval.jobs import queue, status
from retrieval.models import Status
from retrieval.views import polled

PAGE = "evaluation/evaluation.html"


@scholar_required
@require_safe
def evaluation(request: HttpRequest, pk: int) -> HttpResponse:
    """Show an evaluation: how far it is, and its numbers; with ``?format=`` the numbers as a file."""
    job = get_object_or_404(seen_by(request), pk=pk)
    wanted = request.GET.get("format")
    report = computing.report_of(job) if wanted else None
    if wanted and report:
        return download(FORMATS, wanted, report, f"{job.corpus.slug}-{job.topics.slug}-runs")
    return render(request, PAGE, whole(request, job))


@scholar_required
@require_safe
def evaluation_state(request: HttpRequest, pk: int) -> HttpResponse:
    """Answer the page that asks how far it is; 304 while nothing has changed."""
    job = get_object_or_404(seen_by(request), pk=pk)
    return polled.watched(request, job, PAGE, whole, standing)


@scholar_required
@require_POST
def evaluation_cancel(request: HttpRequest, pk: int) -> HttpResponse:
    """Cancel an evaluation that has not ended; what it computed is kept for when it goes on."""
    job = get_object_or_404(changed_by(request), pk=pk)
    yes = f"{job} is stopped. It can go on where it stopped."
    return polled.changed(request, job, queue.cancel(pk, EvaluationJob), yes, f"{job} had ended before")


@scholar_required
@require_POST
def evaluation_retry(request: HttpRequest, pk: int) -> HttpResponse:
    """Put a failed or cancelled evaluation back into the queue."""
    job = get_object_or_404(changed_by(request), pk=pk)
    if computing.retry(job):
        messages.success(request, f"{job} waits for a worker again, and goes on where it stopped.")
    else:
        messages.warning(request, f"{job} cannot go on: it has not stopped, or the same is measured again.")
    return redirect(job)


def seen_by(request: HttpRequest) -> QuerySet[EvaluationJob]:
    """Return the evaluations that a person may see: of loaded judgments, and of studies of theirs."""
    return computing.of_studies(studies_for(me(request)))


def changed_by(request: HttpRequest) -> QuerySet[EvaluationJob]:
    """Return the evaluations that a person may stop: their own; staff may stop all that they see."""
    rows = seen_by(request)
    return rows if is_librarian(request.user) else rows.filter(created_by=me(request))


def standing(job: EvaluationJob) -> dict[str, Any]:
    """How far an evaluation is."""
    address = reverse("evaluation:evaluation_state", args=[job.pk])
    return polled.state(job, str(job), status.progress(job, job.unit), address, "Runs and comparisons done")


def whole(request: HttpRequest, job: EvaluationJob) -> dict[str, Any]:
    """All that a page shows of an evaluation: its numbers where it is done, and whether they still hold."""
    report = computing.report_of(job)
    asked = computing.asked_of(job)
    return {
        **standing(job),
        "corpus": job.corpus,
        "topics": job.topics,
        "runs": asked.runs,
        "may_change": changed_by(request).filter(pk=job.pk).exists(),
        "retriable": job.status in (Status.FAILED, Status.CANCELLED),
        "again": f"{reverse('evaluation:runs', args=[job.corpus.slug, job.topics.slug])}?{query(asked)}",
        "changed": changed(job) if report else [],
        "inputs": [(name, digest, digest[: inputs.SHOWN]) for name, digest in sorted(job.inputs.items())],
        "command": command(asked),
        "formats": FORMATS,
        **(numbers(request, report, job.topics) if report else {}),
    }


def changed(job: EvaluationJob) -> list[str]:
    """Return the names of inputs that are not any more what the numbers were computed from."""
    try:
        now = inputs.digests(computing.asked_of(job))
    except BadInput as error:
        return [str(error).rstrip(".")]
    return sorted(name for name in now.keys() | job.inputs.keys() if now.get(name) != job.inputs.get(name))
