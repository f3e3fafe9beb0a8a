"""Evidence search: a claim typed, the passages that stand nearest to it, each with its place in the book."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from common.errors import BadInput
from common.roles import is_librarian, me, scholar_required, staff_required
from retrieval.dense import encoding_jobs
from retrieval.engine.text.passages import count
from retrieval.forms import SearchForm
from retrieval.jobs import queue
from retrieval.models import Book, EncodingJob
from retrieval.models.texts import HEAVY, HEAVY_BOOK
from retrieval.search.evidence import SIZES, Hit
from retrieval.views import polled

ASKED = ("claim", "size", "ranker")


@scholar_required
@require_safe
def search(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the form, and with `?claim=…` what was found. The address can be sent to others."""
    book = get_object_or_404(Book, slug=slug)
    asked = "claim" in request.GET
    form = SearchForm(_whole(request) if asked else None, book=book)
    hits = form.hits() if asked and form.is_valid() else None
    context = {"book": book, "form": form, "hits": hits, "passages": _count(book, hits)}
    if form.waiting:
        context |= _waiting(request, form)
    part = "_found" if request.headers.get("HX-Request") == "true" else ""
    status = 422 if form.errors else 200
    return render(request, f"retrieval/search{part}.html", context, status=status)


@staff_required
@require_POST
def encode(request: HttpRequest, slug: str) -> HttpResponse:
    """Encode the passages of a book for a search, in a job, and come back to the search."""
    book = get_object_or_404(Book.objects.defer(*HEAVY), slug=slug)
    size = request.POST.get("size", "")
    try:
        ranker = request.POST.get("ranker", "")
        encoding_jobs.submit(book, ranker, int(size) if size.isdecimal() else 0, by=me(request))
    except BadInput as error:
        messages.warning(request, str(error))
    return _back(request.POST, slug)


@scholar_required
@require_safe
def encoding_progress(request: HttpRequest, pk: int) -> HttpResponse:
    """Answer the page that asks how far the encoding is; at its end with what was searched for."""
    job = _job(pk)
    if request.headers.get("HX-Request") != "true":
        return _back(request.GET, job.book.slug)
    if job.ended:
        return polled.final_answer(search(request, job.book.slug), "#found")
    context = {**polled.state(job), "query": _query(request.GET)}
    return polled.state_or_unchanged(request, "retrieval/encoding_state.html", context)


@staff_required
@require_POST
def encoding_cancel(request: HttpRequest, pk: int) -> HttpResponse:
    """Cancel an encoding that has not ended, and come back to the search."""
    job = _job(pk)
    if not queue.cancel(pk, EncodingJob):
        messages.warning(request, "The encoding had ended before.")
    return _back(request.POST, job.book.slug)


def _job(pk: int) -> EncodingJob:
    light = EncodingJob.objects.select_related("book").defer(*HEAVY_BOOK)
    return get_object_or_404(light, pk=pk)


def _waiting(request: HttpRequest, form: SearchForm) -> dict[str, Any]:
    asked, job = {name: form.cleaned_data[name] for name in ASKED}, form.encoding()
    return {
        "may_change": is_librarian(request.user),
        "asked": list(asked.items()),
        "query": urlencode(asked),
        "meanwhile": urlencode(asked | {"ranker": "bm25"}),
        **(polled.state(job) if job else {}),
    }


def _query(asked: QueryDict) -> str:
    return urlencode([(name, asked[name]) for name in ASKED if name in asked])


def _back(asked: QueryDict, slug: str) -> HttpResponseRedirect:
    """To the search that somebody came from."""
    return redirect(f"{reverse('retrieval:search', args=[slug])}?{_query(asked)}")


def _count(book: Book, hits: list[Hit] | None) -> int:
    """How many passages of their length were ranked."""
    return count(book.n_sentences, hits[0].size) if hits else 0


def _whole(request: HttpRequest) -> dict[str, str]:
    """What the address says, with the defaults for what it leaves out."""
    return {"size": str(SIZES[0]), "ranker": "bm25", **request.GET.dict()}
