"""Searches of a corpus: the form that launches one, and the page that follows it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from common.roles import is_librarian, me, scholar_required, staff_required
from retrieval.corpora.forms.searching import LaunchForm
from retrieval.corpora.models import Corpus, SearchJob, TopicSet
from retrieval.corpora.searching import jobs, plans
from retrieval.corpora.searching.plans import SimilarityPlan
from retrieval.jobs import status
from retrieval.models import Status
from retrieval.views import polled

SHOWN = 20
"""Searches that the page lists, the latest first."""
ALL = SearchJob.objects.select_related("corpus", "topics", "run", "created_by")


@staff_required
@require_http_methods(["GET", "HEAD", "POST"])
def corpus_searches(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the form with the latest searches, and launch one."""
    corpus = get_object_or_404(Corpus.objects.ready(), slug=slug)
    form = LaunchForm(request.POST or None, corpus=corpus, by=me(request))
    if request.method == "POST" and form.is_valid():
        job = form.launch()
        if job:
            return redirect(job)
    context = {
        "corpus": corpus,
        "form": form,
        "any": TopicSet.objects.exists(),
        "searches": [
            (each, status.BADGES[Status(each.status)]) for each in ALL.filter(corpus=corpus)[:SHOWN]
        ],
        "unattended": status.no_worker_notices(form.queues),
    }
    refused = request.method == "POST"
    return render(request, "corpora/searches.html", context, status=422 if refused else 200)


@scholar_required
@require_safe
def corpus_search(request: HttpRequest, pk: int) -> HttpResponse:
    """Show one search: how far it is, and the run that came of it."""
    return render(request, "corpora/search.html", _whole(request, get_object_or_404(ALL, pk=pk)))


@scholar_required
@require_safe
def corpus_search_state(request: HttpRequest, pk: int) -> HttpResponse:
    """Answer the page that asks how far it is; 304 while nothing has changed."""
    found = get_object_or_404(ALL, pk=pk)
    return polled.watched(request, found, "corpora/search.html", _whole, _standing)


@staff_required
@require_POST
def corpus_search_cancel(request: HttpRequest, pk: int) -> HttpResponse:
    """Cancel a search that has not ended; no run is stored, and what is built of index or vectors is kept."""
    found = get_object_or_404(ALL, pk=pk)
    yes = f"{found} is cancelled. No run is stored; what it built on the way is kept."
    return polled.changed(request, found, jobs.cancel(found), yes, f"{found} had ended before")


@staff_required
@require_POST
def corpus_search_retry(request: HttpRequest, pk: int) -> HttpResponse:
    """Put a failed or cancelled search back into the queue."""
    found = get_object_or_404(ALL, pk=pk)
    if jobs.retry(found):
        messages.success(request, f"{found} waits for a worker again.")
    else:
        messages.warning(request, f"{found} cannot be tried again: it has not failed, or its name is in use.")
    return redirect(found)


def _standing(job: SearchJob) -> dict[str, Any]:
    address = reverse("retrieval:corpus_search_state", args=[job.pk])
    words = status.progress(job, job.unit, timed=False) if job.total else "getting ready"
    return polled.state(job, str(job), words, address)


def _whole(request: HttpRequest, job: SearchJob) -> dict[str, Any]:
    plan = plans.from_json(job.plan)
    return {
        **_standing(job),
        "searched": plan.documents.name,
        "ranking": plan.in_words if isinstance(plan, SimilarityPlan) else plan.ranker,
        "may_change": is_librarian(request.user),
        "retriable": job.status in (Status.FAILED, Status.CANCELLED),
    }
