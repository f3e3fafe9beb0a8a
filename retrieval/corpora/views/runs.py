"""Runs and pools: what one is, what it ranks first, and how much of that was judged."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.core.paginator import Paginator
from django.db.models import Count, Exists, OuterRef
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from common.roles import scholar_required
from retrieval.corpora.models import Corpus, Grade, Pool, PoolEntry, Qrels, Ranked, Run, TopicVersion
from retrieval.corpora.runs.files import write_run
from retrieval.corpora.views import tables

FIRST = 10
"""Documents of each topic that a page shows, and among which holes are counted."""
TOPICS = 5
"""On a page of a run."""


@scholar_required
@require_safe
def run(request: HttpRequest, slug: str, name: str) -> HttpResponseBase:
    """Show a run with its first documents; `?format=trec` gives it as a file."""
    rows = Run.objects.select_related("corpus", "topics", "created_by")
    found = get_object_or_404(rows, corpus__in=Corpus.objects.ready(), corpus__slug=slug, name=name)
    if request.GET.get("format") == "trec":
        return as_file(found)
    wordings = TopicVersion.objects.filter(pk__in=found.rows.values("topic")).select_related("topic")
    page = Paginator(wordings.order_by("topic__number"), TOPICS).get_page(request.GET.get("page"))
    qrels = list(Qrels.objects.filter(corpus=found.corpus, topics=found.topics))
    first = qrels[0] if qrels else None
    context = {
        "run": found,
        "n_rows": found.n_rows,
        "about": tables.about(found),
        "holes": tables.holes((each, *_judged(found, each)) for each in qrels),
        "qrels": first,
        "page": page,
        "first": [(each, _first(found, each, first)) for each in page],
        "parameters": sorted(found.parameters.items()),
    }
    return render(request, "corpora/run.html", context)


def as_file(found: Run) -> StreamingHttpResponse:
    """Return a run in TREC's six columns, with scores that fall strictly."""
    response = StreamingHttpResponse(write_run(found), content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{found.corpus.slug}-{found.name}.run"'
    return response


def _judged(found: Run, qrels: Qrels) -> tuple[int, int]:
    """Return how many of the first documents these judgments know, and how many there are."""
    rows = Ranked.objects.filter(run=found, rank__lte=FIRST)
    known = Grade.objects.filter(
        qrels=qrels, topic=OuterRef("topic__topic"), document=OuterRef("document"), grade__gte=0
    )
    return rows.filter(Exists(known)).count(), rows.count()


def _first(found: Run, wording: TopicVersion, qrels: Qrels | None) -> Iterator[tuple[Ranked, Any]]:
    """Yield the first documents of a topic, each with its grade; None without one."""
    rows = Ranked.objects.filter(run=found, topic=wording, rank__lte=FIRST).select_related("document")
    rows = rows.order_by("rank")
    grades: dict[int, int] = {}
    if qrels is not None:
        given = Grade.objects.filter(qrels=qrels, topic=wording.topic, document__in=rows.values("document"))
        grades = dict(given.values_list("document", "grade"))
    return ((row, grades.get(row.document_id)) for row in rows)


@scholar_required
@require_safe
def pool(request: HttpRequest, slug: str, topics: str, number: int) -> HttpResponse:
    """Show a pool: what each run gave, how many documents each topic has, and how many of them are judged."""
    rows = Pool.objects.select_related("corpus", "topics")
    found = get_object_or_404(
        rows, corpus__in=Corpus.objects.ready(), corpus__slug=slug, topics__slug=topics, number=number
    )
    entries = PoolEntry.objects.filter(pool=found)
    by_topic = entries.order_by("topic__number").values_list("topic__external_id").annotate(n=Count("pk"))
    so_far = PoolEntry.objects.filter(
        pool__corpus=found.corpus, pool__topics=found.topics, pool__number__lte=number
    )
    bare = found.topics.members.exclude(pk__in=so_far.values("topic"))
    context = {
        "pool": found,
        "n_entries": entries.count(),
        "gave": tables.gave(found.counts),
        "by_topic": tables.by_topic(by_topic),
        "bare": list(bare.order_by("number").values_list("external_id", flat=True)),
        "holes": tables.holes(_known(found)),
    }
    return render(request, "corpora/pool.html", context)


def _known(found: Pool) -> Iterator[tuple[Qrels, int, int]]:
    """Yield judgments with how many documents of the pool they know, and how many it has."""
    n_entries = found.entries.count()
    for qrels in Qrels.objects.filter(corpus=found.corpus, topics=found.topics):
        known = Grade.objects.filter(
            qrels=qrels, topic=OuterRef("topic"), document=OuterRef("document"), grade__gte=0
        )
        yield qrels, found.entries.filter(Exists(known)).count(), n_entries
