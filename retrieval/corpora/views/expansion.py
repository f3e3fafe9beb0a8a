"""The terms that feedback from each genre adds to topics, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import join
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from common.roles import scholar_required
from common.tables.formats import download
from common.wording import counted
from retrieval.corpora.forms.expansion import ExpansionForm
from retrieval.corpora.loading import topics as loading
from retrieval.corpora.models import Corpus, TopicSet
from retrieval.corpora.searching import expansion, indexes

PAGE = 10
"""Topics on a page."""
MOST_TOPICS = 200
"""Topics of a file that one request makes."""
MOST_DOCUMENTS = 300_000
"""Counting the words of a genre among more documents takes too long for a page."""
MOST_COUNTED = 4 * MOST_DOCUMENTS
"""Documents times lists of genres, each of which is counted among all of them."""
BUILT_AT_ONCE = 2_000
"""An index of so many documents is built in a second, while the page is waited for."""


@scholar_required
@require_safe
def expansion_terms(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the terms for a page of topics; with `?format=csv` those of all topics as a file."""
    corpus = get_object_or_404(Corpus.objects.ready(), slug=slug)
    form = ExpansionForm(request.GET, corpus=corpus)
    context: dict[str, Any] = {"corpus": corpus, "form": form, "any": TopicSet.objects.exists()}
    if not context["any"] or not form.is_valid():
        return render(request, "corpora/expansion.html", context, status=422 if context["any"] else 200)
    topics = form.cleaned_data["topics"]
    context |= {"topics": topics, "command": _command(corpus, form), "query": _query(request)}
    rows = loading.current(topics)
    context["too_much"] = _too_much(corpus, form)
    if context["too_much"]:
        return render(request, "corpora/expansion.html", context)
    page = Paginator(rows, PAGE).get_page(request.GET.get("page"))
    as_file = page.paginator.count <= MOST_TOPICS
    whole = as_file and "format" in request.GET
    found = form.attempt(lambda: _found(corpus, list(rows if whole else page), form))
    if found is None:
        return render(request, "corpora/expansion.html", context, status=422)
    if whole:
        name = f"expansion-{corpus.slug}-{topics.slug}"
        return download(expansion.FORMATS, request.GET["format"], found, name)
    context |= {
        "page": page,
        "found": [_shown(each) for each in found],
        "as_file": as_file,
        "percent": f"{100 * form.cleaned_data['query_weight']:.4g}",
    }
    return render(request, "corpora/expansion.html", context)


def _found(corpus: Corpus, topics: list[Any], form: ExpansionForm) -> Sequence[expansion.Expansion]:
    return expansion.expansions(corpus, topics, form.plan(), form.sources(), form.settings())


def _shown(found: expansion.Expansion) -> dict[str, Any]:
    """What a page shows of one topic."""
    return {
        "topic": found.topic,
        "id": f"topic-{found.topic.topic.number + 1}",
        "terms": expansion.terms(found)._replace(title="") if expansion.adds(found) else None,
        "dropped": expansion.dropped(found),
    }


def _too_much(corpus: Corpus, form: ExpansionForm) -> str:
    """Return why a page does not compute this; empty where it does."""
    size = counted(corpus.n_documents, "document")
    if corpus.n_documents > MOST_DOCUMENTS:
        return f"This corpus has {size}; a page computes terms of at most {MOST_DOCUMENTS:,}."
    lists = MOST_COUNTED // corpus.n_documents
    if len(form.sources()) > lists:
        return f"For this corpus, which has {size}, a page has at most {counted(lists, 'column')} of terms."
    if corpus.n_documents > BUILT_AT_ONCE and not indexes.folder_of(corpus, form.plan().tokens).exists():
        return (
            f"The index of these {size} with this stop list and this stemmer is not built yet, and a page "
            "cannot wait for that."
        )
    return ""


def _command(corpus: Corpus, form: ExpansionForm) -> str:
    """Return the command that prints the same."""
    asked = form.cleaned_data
    options: list[str] = ["--corpus", corpus.slug, "--topics", asked["topics"].slug, "--feedback"]
    options += [",".join(genres) for genres in form.sources()]
    for name in ("fb_docs", "fb_terms", "query_weight", "max_df", "stop_list", "stemmer"):
        if str(asked[name]) != str(form.usual[name]):
            options += [f"--{name.replace('_', '-')}", str(asked[name])]
    return f"manage.py expansion_terms {join(options)}"


def _query(request: HttpRequest) -> str:
    """Return what was asked for, without the page and the format, to add one of them."""
    asked = request.GET.copy()
    for name in ("page", "format"):
        asked.pop(name, None)
    return asked.urlencode()
