"""Runs of a corpus measured on judgments, for scholars."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from annotation.access import studies_for
from common.roles import me, scholar_required
from common.tables.formats import download
from evaluation.runs.forms import AskForm, Judged
from evaluation.runs.jobs import computing
from evaluation.runs.jobs import views as jobs
from evaluation.runs.judgments import judging
from evaluation.runs.measuring import TooMuch, command
from evaluation.runs.numbers import FORMATS, numbers
from retrieval.corpora.models import Corpus, Qrels, Run, TopicSet

PAGE = "evaluation/runs.html"
SELDOM = ("measures", "highest", "depth")
"""Fields that are folded away unless they say something."""


@scholar_required
@require_http_methods(["GET", "HEAD", "POST"])
def runs(request: HttpRequest, slug: str, topics: str) -> HttpResponse:
    """Show the form and the numbers; with ``?format=`` and one of `FORMATS` the same numbers as a file.

    What is too much for a page is measured in a job, which a POST begins; its numbers are shown here.
    """
    corpus = get_object_or_404(Corpus.objects.ready(), slug=slug)
    found = get_object_or_404(TopicSet, slug=topics)
    loaded = list(Qrels.objects.filter(corpus=corpus, topics=found))
    there = list(Run.objects.filter(corpus=corpus, topics=found))
    judged = Judged(loaded, judging(studies_for(me(request)), corpus, found))
    context: dict[str, Any] = {"corpus": corpus, "topics": found, "judged": any(judged), "runs": there}
    if not any(judged) or not there:
        return render(request, PAGE, context)
    given = request.POST if request.method == "POST" else request.GET
    form = AskForm(given, corpus, found, judged, there)
    more = any(form[name].errors or form[name].value() for name in SELDOM)
    context |= {"form": form, "studies": judged.studies, "more": more}
    if request.method == "POST":
        return _begin(request, form, context)
    try:
        report = form.report()
    except TooMuch as error:
        return _in_a_job(request, form, {**context, "too_much": str(error), "command": error.command})
    if report is None:
        return render(request, PAGE, context, status=422)
    wanted = request.GET.get("format")
    if wanted:
        return download(FORMATS, wanted, report, f"{corpus.slug}-{found.slug}-runs")
    context |= {"formats": FORMATS, "command": command(form.asked())}
    return render(request, PAGE, context | numbers(request, report, found))


def _begin(request: HttpRequest, form: AskForm, context: dict[str, Any]) -> HttpResponse:
    """Begin the job, and lead to its page."""
    job = form.begin(me(request)) if form.is_valid() else None
    if job is None:
        return render(request, PAGE, context, status=422)
    messages.success(request, f"{job} waits for a worker: you can leave this page.")
    return redirect(job)


def _in_a_job(request: HttpRequest, form: AskForm, context: dict[str, Any]) -> HttpResponse:
    """Show what the job found that measured the same, how far it is, or the button that begins it."""
    asked = form.asked()
    done, last = computing.latest_done(asked), computing.latest(asked)
    if done and request.GET.get("format"):
        return redirect(f"{done.get_absolute_url()}?format={request.GET['format']}")
    context |= {"asked_fields": list(_fields(request)), "last": last}
    if last:
        context |= jobs.whole(request, done or last) | {"running": last if last != done else None}
    return render(request, PAGE, context)


def _fields(request: HttpRequest) -> Any:
    return ((name, value) for name, values in request.GET.lists() for value in values)
