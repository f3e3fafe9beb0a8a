"""Corpora: the list, one corpus with its runs and documents, and a document where it stands."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from common.lists import PAGE, word
from common.roles import is_librarian, scholar_required
from retrieval.corpora.models import Corpus, Document, Pool, RunState, TopicSet
from retrieval.corpora.views import filtering, tables


@scholar_required
@require_safe
def corpora(request: HttpRequest) -> HttpResponse:
    """List corpora, those that are being loaded too, and sets of topics."""
    n_runs = Count("runs", filter=Q(runs__state=RunState.READY))
    context = {
        "corpora": tables.corpora(Corpus.objects.annotate(n_runs=n_runs)),
        "topics": tables.topic_sets(TopicSet.objects.annotate(n_topics=Count("members"))),
    }
    return render(request, "corpora/corpora.html", context)


@scholar_required
@require_safe
def corpus(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a corpus with a page of its documents, of some kinds where asked. `?id=` leads to one."""
    found = get_object_or_404(Corpus.objects.ready(), slug=slug)
    sought, wanted = word(request, "id").strip(), filtering.wanted(request)
    documents = Document.objects.filter(corpus=found)
    if sought:
        number = documents.filter(external_id=sought).values_list("number", flat=True).first()
        if number is not None:
            return redirect("corpora:document", slug, number + 1)
    shown = wanted.of(documents).only("number", "external_id", "title", "text", "genre", "language", "year")
    spread = filtering.spread(found)
    runs = found.runs.select_related("corpus", "topics")
    pools = Pool.objects.filter(corpus=found).select_related("corpus", "topics")
    context = {
        "corpus": found,
        "sought": sought,
        "wanted": wanted,
        "spread": spread,
        "by_genre": tables.spread("genre", "Genre", spread.genres),
        "by_language": tables.spread("language", "Language", spread.languages),
        "by_year": tables.spread("year", "Year", spread.years),
        "runs": tables.runs(runs),
        "evaluated": TopicSet.objects.filter(runs__in=found.runs.all()).distinct(),
        "pools": tables.pools(pools.annotate(n_entries=Count("entries"))),
        "page": Paginator(shown, PAGE).get_page(request.GET.get("page")),
        "may_change": is_librarian(request.user),
    }
    return render(request, "corpora/corpus.html", context)


@scholar_required
@require_safe
def document(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show a document where it stands, with the ways to its neighbours; `number` counts from 1."""
    found = Document.objects.select_related("corpus", "book").filter(
        corpus__in=Corpus.objects.ready(), corpus__slug=slug, number=number - 1
    )
    shown = found.first()
    if shown is None:
        raise Http404
    context = {
        "document": shown,
        "number": number,
        "earlier": _address(shown.neighbour(-1)),
        "later": _address(shown.neighbour(1)),
        # Not asked for in the page: there a key of the file called "items" would come first.
        "extra": list(shown.extra.items()),
    }
    return render(request, "corpora/document.html", context)


def _address(document: Document | None) -> str:
    if document is None:
        return ""
    return reverse("corpora:document", args=[document.corpus.slug, document.number + 1])
