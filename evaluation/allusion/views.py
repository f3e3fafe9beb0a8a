"""Pages of the allusion workshop: the three tables, and queries from a study."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import get_study
from common.roles import is_librarian, is_scholar, me, scholar_required, staff_required
from common.tables.formats import download
from evaluation.allusion import tables
from evaluation.allusion.formats import FORMATS, Tables
from evaluation.allusion.forms import QueriesForm, TableForm
from evaluation.allusion.launching import RunsForm
from evaluation.allusion.measuring import NUMBERS
from evaluation.allusion.queries.readings import marks_words
from evaluation.allusion.queries.sentences import notes as queries_notes
from evaluation.allusion.queries.sentences import queries
from evaluation.allusion.sentences import notes
from evaluation.values.wording import listed
from retrieval.corpora.models import Corpus, TopicSet
from retrieval.jobs import status

PAGE = "evaluation/allusions.html"
MOST_TOPICS = 1_000
"""Topics of which a table is made within a request."""


@scholar_required
@require_safe
def allusions(request: HttpRequest, slug: str, topics: str) -> HttpResponse:
    """Show one of the three tables; with ``?format=`` and one of `FORMATS` the same numbers as a file."""
    corpus = get_object_or_404(Corpus.objects.ready(), slug=slug)
    found = get_object_or_404(TopicSet, slug=topics)
    form = TableForm(request.GET, corpus, found)
    context: dict[str, Any] = {"corpus": corpus, "topics": found, "form": form, "formats": FORMATS}
    context |= {"judged": form.judged, "runs": form.chosen.runs, "numbers": NUMBERS}
    context["may_launch"] = is_librarian(request.user)
    if not form.judged or not form.chosen.runs:
        return render(request, PAGE, context)
    if found.members.count() > MOST_TOPICS:
        return render(request, PAGE, {**context, "too_much": MOST_TOPICS})
    made = form.measured()
    if made is None:
        return render(request, PAGE, context, status=422)
    wanted = request.GET.get("format")
    if wanted:
        one: Tables = [made]
        return download(FORMATS, wanted, one, f"{corpus.slug}-{found.slug}-table-{made.number}")
    context |= {
        "table": made,
        "main": tables.main(made),
        "differences": tables.differences(made) if made.compared else None,
        "notes": list(notes(made)),
        "asked": _without_format(request),
    }
    return render(request, PAGE, context)


def _without_format(request: HttpRequest) -> str:
    asked = request.GET.copy()
    asked.pop("format", None)
    return asked.urlencode()


@staff_required
@require_http_methods(["GET", "HEAD", "POST"])
def allusion_runs(request: HttpRequest, slug: str, topics: str) -> HttpResponse:
    """Show which runs the tables lack, and launch a search for each; the choice stands in the address."""
    corpus = get_object_or_404(Corpus.objects.ready(), slug=slug)
    found = get_object_or_404(TopicSet, slug=topics)
    form = RunsForm(request.GET, corpus, found)
    if request.method == "POST" and (launched := form.launch(me(request))):
        messages.success(request, f"Launched, one for each run: {len(launched):,}.")
        return redirect("retrieval:corpus_searches", slug)
    lacking = form.lacking if form.is_valid() else None
    context = {
        "corpus": corpus,
        "topics": found,
        "form": form,
        "lacking": lacking,
        "refused": [(listed(named), said) for said, named in lacking.refused.items()] if lacking else [],
        "asked": request.GET.urlencode(),
        "unattended": status.no_worker_notices(["cpu"]),
    }
    return render(request, "evaluation/allusion_runs.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def span_queries(request: HttpRequest, slug: str) -> HttpResponse:
    """Make queries of a study's spans, for its researchers; they lead to what is found by them."""
    study = get_study(request.user, slug)
    if not is_scholar(request.user):
        raise Http404
    form = QueriesForm(study, request.POST if request.method == "POST" else None)
    marks = marks_words(study)
    if request.method == "POST" and marks and (made := form.stored(me(request))):
        said = f"{'Stored' if made.created else 'Known'}: {queries(len(made.made.queries))}."
        messages.success(request, " ".join((said, *queries_notes(made))))
        return redirect("evaluation:allusions", made.qrels.corpus.slug, made.topics.slug)
    context = {
        "study": study,
        "section": "queries",
        "form": form,
        "marks": marks,
        "corpora": Corpus.objects.ready().exists(),
    }
    status = 422 if request.method == "POST" else 200
    return render(request, "evaluation/span_queries.html", context, status=status)
