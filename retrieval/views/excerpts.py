"""Excerpts: the list, and one quotation beside the passage it comes from."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from common.lists import PAGE, word
from common.roles import is_librarian, me, scholar_required
from retrieval.curating import bulk, covering
from retrieval.engine.leaks.longest import longest_run
from retrieval.forms import CoverForm, ManyForm, ReasonForm
from retrieval.models import Book, Excerpt, Excerpts, Source, Standing
from retrieval.models.texts import HEAVY_TEXTS
from retrieval.texts import typesetting

AROUND = 3
"""Sentences of the novel on either side of the passage."""


WITH_BOTH = Excerpt.objects.select_related("book", "source").defer("source__text", "source__notes")


@scholar_required
@require_safe
def excerpts(request: HttpRequest) -> HttpResponse:
    """List the excerpts in use, or those of a book, a source, or another standing."""
    rows, _ = chosen(request)
    return excerpts_page(request, ManyForm(rows=rows) if is_librarian(request.user) else None)


def chosen(request: HttpRequest) -> tuple[Excerpts, dict[str, str]]:
    """Return the excerpts that an address asks for, in the order of the list, and what it asks for."""
    rows = Excerpt.objects.select_related("book", "source").defer(*HEAVY_TEXTS)
    asked = {name: word(request, name) for name in ("book", "source", "standing")}
    if asked["standing"] != "all":
        asked["standing"] = asked["standing"] if asked["standing"] in Standing.values else Standing.IN_USE
        rows = rows.filter(standing=asked["standing"])
    if asked["book"]:
        rows = rows.filter(book__slug=asked["book"])
    if asked["source"]:
        rows = rows.filter(source__slug=asked["source"])
    return rows.order_by("book__title", "source__citation", "start", "pk"), asked


def excerpts_page(request: HttpRequest, form: ManyForm | None) -> HttpResponse:
    """Return the page of a list; for staff with the form that decides about many of it."""
    rows, asked = chosen(request)
    context = {
        "page": Paginator(rows, PAGE).get_page(request.GET.get("page")),
        "chosen": asked,
        "query": request.GET.urlencode(),
        "standings": [*Standing.choices, ("all", "All")],
        "books": Book.objects.filter(excerpts__isnull=False)
        .distinct()
        .order_by("title")
        .values("slug", "title"),
        "sources": Source.objects.filter(excerpts__isnull=False)
        .distinct()
        .order_by("citation")
        .values("slug", "citation"),
        "form": form,
        "ticked": set(request.POST.getlist("ticked")),
        "undoable": bulk.last(me(request), timezone.now()) if form else None,
    }
    return render(request, "retrieval/excerpts.html", context, status=422 if form and form.errors else 200)


@scholar_required
@require_safe
def excerpt(request: HttpRequest, pk: int) -> HttpResponse:
    """Show what the critic printed beside the place in the book."""
    found = get_object_or_404(WITH_BOTH, pk=pk)
    return excerpt_page(request, found, ReasonForm() if is_librarian(request.user) else None)


def excerpt_page(
    request: HttpRequest,
    found: Excerpt,
    form: ReasonForm | None,
    cover: CoverForm | None = None,
    preview: list[str] | None = None,
) -> HttpResponse:
    """Return the page of an excerpt with its history; for staff with the forms to decide by."""
    gold = found.gold
    if form is not None and cover is None:
        cover = CoverForm(auto_id="cover_%s")
    context = {
        "excerpt": found,
        "paragraphs": typesetting.surroundings(found.book, gold, AROUND) if gold else [],
        "form": form,
        "cover": cover,
        "preview": preview,
        "run": longest_run(found.book.passage(*gold), [*found.left, *found.right]) if gold else None,
        "uncovers": covering.was_covered(found),
        "curations": found.curations.select_related("by"),
        "supersedes": Excerpt.objects.filter(superseded_by=found).values_list("pk", flat=True).first(),
    }
    status = 422 if (form and form.errors) or (cover and cover.errors) else 200
    return render(request, "retrieval/excerpt.html", context, status=status)
