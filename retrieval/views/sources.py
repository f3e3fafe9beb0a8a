"""Secondary sources: the list, the critic's text with its quotations, and having them found."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from common.lists import PAGE, whole_number
from common.roles import is_librarian, me, scholar_required, staff_required
from retrieval.forms import FindExcerptsForm, FindManyForm
from retrieval.models import Source, Standing
from retrieval.models.texts import HEAVY_BOOK
from retrieval.texts import source_leaves, source_places

IN_USE = Q(excerpts__standing=Standing.IN_USE)


@scholar_required
@require_safe
def sources(request: HttpRequest) -> HttpResponse:
    """List all sources, with how many excerpts each gave, of how many books."""
    rows = Source.objects.defer("text", "notes").annotate(
        excerpt_count=Count("excerpts", filter=IN_USE),
        book_count=Count("excerpts__book", filter=IN_USE, distinct=True),
    )
    rows = rows.order_by("citation", "slug")
    page = Paginator(rows, PAGE).get_page(request.GET.get("page"))
    return render(request, "retrieval/sources.html", {"page": page})


@scholar_required
@require_safe
def source(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a leaf of the critic's text. `?excerpt=7` or `?paragraph=12` opens the leaf with it."""
    found = get_object_or_404(Source, slug=slug)
    leaves = source_leaves.leaves(found.text)
    number = whole_number(request, "page") or 1
    of = source_places.paragraphs(found.text)
    paragraph = whole_number(request, "paragraph")
    if paragraph and paragraph <= len(of):
        number = source_leaves.leaf_of(leaves, of[paragraph - 1][0])
    wanted = found.excerpts.filter(pk=whole_number(request, "excerpt") or 0).first()
    if wanted and wanted.start is not None:
        number = source_leaves.leaf_of(leaves, wanted.start)
    page = Paginator(leaves, 1).get_page(number)
    leaf = leaves[page.number - 1]
    shown = Q(standing=Standing.IN_USE) | Q(pk=wanted.pk if wanted else None)
    here = found.excerpts.filter(shown, start__lt=leaf[1], end__gt=leaf[0]).select_related("book")
    context = {
        "source": found,
        "page": page,
        "wanted": wanted,
        "paragraph": source_places.number_at(of, leaf[0]),
        "paragraphs": source_leaves.paragraphs(found.text, leaf, here.defer(*HEAVY_BOOK)),
        "books": found.excerpts.in_use()
        .order_by("book__title")
        .values("book__title", "book__slug")
        .annotate(n=Count("pk")),
        "form": FindExcerptsForm(source=found) if is_librarian(request.user) else None,
    }
    return render(request, "retrieval/source.html", context)


@staff_required
@require_http_methods(["GET", "HEAD", "POST"])
def find_excerpts(request: HttpRequest, slug: str) -> HttpResponse:
    """Look for the quotations of a book, in a job. Looking again adds nothing."""
    found = get_object_or_404(Source, slug=slug)
    form = FindExcerptsForm(request.POST or None, source=found)
    if request.method == "POST" and form.is_valid() and (job := form.save(me(request))):
        return redirect(job)
    context = {"source": found, "form": form}
    return render(request, "retrieval/find_excerpts.html", context, status=422 if form.errors else 200)


@staff_required
@require_http_methods(["GET", "HEAD", "POST"])
def find_many(request: HttpRequest) -> HttpResponse:
    """Look for the quotations of many books in many sources, in one job."""
    form = FindManyForm(request.POST or None)
    if request.method == "POST" and form.is_valid() and (made := form.save(me(request))):
        job, left_out = made
        for each in left_out:
            messages.info(request, each)
        return redirect(job)
    return render(request, "retrieval/find_many.html", {"form": form}, status=422 if form.errors else 200)
