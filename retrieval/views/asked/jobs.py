"""Models asked about a corpus: the forms that launch a job, and the page that follows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from common.errors import BadInput
from common.lists import PAGE, whole_number
from common.roles import is_librarian, me, scholar_required, staff_required
from machines.endpoints import endpoints
from machines.endpoints import queue as queue_of
from machines.wording import money
from retrieval.corpora.forms.reranking import (
    ESTIMATE,
    MILLION,
    TRY,
    AskForm,
    LimitsForm,
    RecallForm,
    RerankForm,
    initial_of,
)
from retrieval.corpora.models import Corpus, EndpointJob, What
from retrieval.corpora.reranking import dry_runs, jobs, plans
from retrieval.corpora.reranking.plans import METHODS
from retrieval.jobs import queue, status
from retrieval.models import Status
from retrieval.questions.forms import WriteForm
from retrieval.views import polled

SHOWN = 20
"""Jobs that a page lists, the latest first."""
OF_RANK, OF_ONE_HOP = ("window", "step"), ("first", "joined")
"""Parts of a plan that say nothing where another method was asked for."""
ALL = EndpointJob.objects.select_related("corpus", "topics", "run", "budget", "created_by")


@staff_required
@require_http_methods(["GET", "HEAD", "POST"])
def reranking(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the form for a re-ranking, as a dry run had it where `?like=` names one; say what it would take,
    try it, or launch it.
    """
    corpus = get_object_or_404(Corpus.objects.ready(), slug=slug)
    tried = {"corpus": corpus, "what": What.RERANK, "plan__has_key": jobs.DRY_RUN}
    like = ALL.filter(pk=whole_number(request, "like") or 0, **tried).first()
    initial = initial_of(like) if like else None
    form = RerankForm(request.POST or None, corpus=corpus, by=me(request), initial=initial)
    return _asked(request, form, corpus, What.RERANK)


@staff_required
@require_http_methods(["GET", "HEAD", "POST"])
def recall(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the form for a check of what a model knows by heart, say what it would take, or launch it."""
    corpus = get_object_or_404(Corpus.objects.ready(), slug=slug)
    form = RecallForm(request.POST or None, corpus=corpus, by=me(request))
    return _asked(request, form, corpus, What.CONTAMINATION)


def _asked(request: HttpRequest, form: RerankForm | RecallForm, corpus: Corpus, what: What) -> HttpResponse:
    context = {
        "corpus": corpus,
        "startable": _startable(form),
        "jobs": [
            (each, status.BADGES[Status(each.status)])
            for each in ALL.filter(corpus=corpus, what=what)[:SHOWN]
        ],
    }
    return estimated_or_launched(request, form, f"corpora/asked/{what}.html", context)


def estimated_or_launched(
    request: HttpRequest, form: RerankForm | RecallForm | WriteForm, template: str, context: Mapping[str, Any]
) -> HttpResponse:
    """Show a form that has a model asked, say what it would take, or launch it and go to the job's page."""
    expected = None
    if request.method == "POST" and form.is_valid():
        if request.POST.get("act") == ESTIMATE:
            expected = form.expected()
        elif job := _launched(request, form):
            return redirect(job)
    asked = {
        "form": form,
        "expected": expected,
        "models": bool(endpoints()),
        "unattended": status.no_worker_notices([_queue(form)]),
    }
    refused = request.method == "POST" and expected is None
    return render(request, template, {**context, **asked}, status=422 if refused else 200)


def _launched(request: HttpRequest, form: RerankForm | RecallForm | WriteForm) -> EndpointJob | None:
    if request.POST.get("act") == TRY and isinstance(form, RerankForm):
        return form.dry_run()
    return form.launch()


def _queue(form: AskForm) -> str:
    """Return the queue of what the form would launch: that of the model that is chosen, or stands first."""
    known = endpoints()
    chosen = form["endpoint"].value() or next(iter(sorted(known)), "")
    return queue_of(known[chosen]) if chosen in known else "cpu"


def _startable(form: AskForm) -> bool:
    """Whether there is something to begin with: a run or a pool, or judgments."""
    field = form.fields.get("start") or form.fields["qrels"]
    return bool(field.choices)  # type: ignore[attr-defined]


@scholar_required
@require_safe
def endpoint_job(request: HttpRequest, pk: int) -> HttpResponse:
    """Show one job: how far it is, what it spent, and what came of it."""
    return render(request, "corpora/asked/job.html", _whole(request, get_object_or_404(ALL, pk=pk)))


@scholar_required
@require_safe
def endpoint_job_state(request: HttpRequest, pk: int) -> HttpResponse:
    """Answer the page that asks how far it is; 304 while nothing has changed."""
    found = get_object_or_404(ALL, pk=pk)
    return polled.watched(request, found, "corpora/asked/job.html", _whole, _standing)


@staff_required
@require_POST
def endpoint_job_cancel(request: HttpRequest, pk: int) -> HttpResponse:
    """Cancel a job that has not ended; what was answered stays in the ledger."""
    found = get_object_or_404(ALL, pk=pk)
    yes = f"{found} is cancelled. What the model answered is kept: it costs nothing to go on."
    return polled.changed(request, found, queue.cancel(pk, EndpointJob), yes, f"{found} had ended before")


@staff_required
@require_POST
def endpoint_job_retry(request: HttpRequest, pk: int) -> HttpResponse:
    """Put a failed or cancelled job back into the queue, within the limits that are given."""
    found = get_object_or_404(ALL, pk=pk)
    form = LimitsForm(request.POST)
    given = form.is_valid() and any(each is not None for each in form.limits())
    if not form.is_valid():
        messages.warning(request, "A limit is a number of 0 or more; nothing was changed.")
    elif jobs.retry(found, form.limits() if given else None):
        messages.success(request, f"{found} waits for a worker again.")
    else:
        messages.warning(request, f"{found} cannot go on: it has not failed, or its name is in use.")
    return redirect(found)


def _standing(job: EndpointJob) -> dict[str, Any]:
    address = reverse("retrieval:endpoint_job_state", args=[job.pk])
    unit = "questions" if job.what == What.QUESTIONS else "topics"
    unit = "calls" if job.plan.get(jobs.DRY_RUN) else unit
    words = status.progress(job, unit, timed=False) if job.total else "getting ready"
    return polled.state(job, str(job), f"{words} · {_spent(job)}", address)


def _spent(job: EndpointJob) -> str:
    known = endpoints().get(job.endpoint)
    spent, budget = job.budget.spent, job.budget
    currency = known.prices.currency if known else ""
    of = "" if budget.limit is None else f" of {money(budget.limit, currency)}"
    calls = f" of {budget.call_limit:,}" if budget.call_limit is not None else ""
    return f"{money(spent, currency)}{of} spent, {budget.calls:,}{calls} calls"


def _whole(request: HttpRequest, job: EndpointJob) -> dict[str, Any]:
    known = endpoints().get(job.endpoint)
    found = job.recalls.filter(contaminated=True).select_related("topic__topic")
    page = Paginator(found.order_by("topic__topic__number"), PAGE).get_page(request.GET.get("page"))
    return {
        **_standing(job),
        "may_change": is_librarian(request.user),
        "retriable": job.status in (Status.FAILED, Status.CANCELLED),
        "model": str(known) if known else job.endpoint,
        "page": page,
        "limits": LimitsForm(initial=_limits(job)),
        "plan": list(_plan(job)),
        **_tried(job),
    }


def _tried(job: EndpointJob) -> dict[str, Any]:
    """What a dry run was told, and what the re-ranking would take by it."""
    if not job.plan.get(jobs.DRY_RUN) or job.status != Status.DONE or job.topics is None:
        return {}
    known = endpoints().get(job.endpoint)
    currency = known.prices.currency if known else ""
    rows = [{**each, "cost": money(each["price"] or 0, currency)} for each in job.counts["tried"]]
    try:
        expected = dry_runs.expected(job.corpus, job.topics, job.endpoint, plans.from_json(job.plan))
    except BadInput as error:
        return {"tried": rows, "expected": str(error)}
    return {"tried": rows, "expected": expected.in_words()}


def _limits(job: EndpointJob) -> dict[str, Any]:
    limit = job.budget.limit
    return {"limit": None if limit is None else limit / MILLION, "calls": job.budget.call_limit}


def _plan(job: EndpointJob) -> Iterator[tuple[str, str]]:
    """Yield what was asked for in words, without what this method does not look at."""
    for name, value in job.plan.items():
        passed_over = (name in OF_RANK and job.plan.get("method") != "rank") or (
            name in OF_ONE_HOP and not job.plan.get("one_hop")
        )
        if value in ("", None, False) or passed_over:
            continue
        said = METHODS.get(value, value) if name == "method" else value
        listed = ", ".join(map(str, said)) if isinstance(said, list) else said
        yield name.replace("_", " "), "yes" if listed is True else str(listed)
