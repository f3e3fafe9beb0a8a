"""The imports: of a book or a source with a preview, of RELiC's file as a whole."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from common.roles import me, staff_required
from retrieval.curating import aside
from retrieval.forms import ImportBookForm, ImportRelicForm, ImportSourceForm
from retrieval.loading import jobs
from retrieval.models import Book


@staff_required
@require_http_methods(["GET", "HEAD", "POST"])
def import_book(request: HttpRequest) -> HttpResponse:
    """Show the form, or a preview, which stores nothing, or import the book."""
    form = ImportBookForm(request.POST or None, request.FILES or None)
    return _import_text(request, form, "retrieval/import_book")


@staff_required
@require_http_methods(["GET", "HEAD", "POST"])
def import_source(request: HttpRequest) -> HttpResponse:
    """Do the same for a critic's text."""
    form = ImportSourceForm(request.POST or None, request.FILES or None)
    return _import_text(request, form, "retrieval/import_source")


@staff_required
@require_http_methods(["GET", "HEAD", "POST"])
def import_relic(request: HttpRequest) -> HttpResponse:
    """Import all books of a RELiC file or none; a large file in a job. Importing again adds nothing."""
    form = ImportRelicForm(request.POST or None, request.FILES or None)
    context: dict[str, Any] = {"form": form}
    if request.method == "POST" and form.is_valid():
        if form.large:
            if job := form.submit(me(request)):
                return redirect(job)
        elif imported := form.save():
            context |= {"imported": imported, "books": jobs.relic_rows(imported)}
    status = 422 if form.errors else 200
    return render(request, "retrieval/import_relic.html", context, status=status)


def _import_text(request: HttpRequest, form: ImportBookForm | ImportSourceForm, page: str) -> HttpResponse:
    """`page` is the template's name; with `_preview` after it, the part that htmx asks for."""
    context: dict[str, Any] = {"form": form}
    if request.method == "POST" and form.is_valid():
        if "preview" in request.POST:
            context |= {"large": True} if form.large else {"preview": form.preview()}
        elif form.large:
            if job := form.submit(me(request)):
                return redirect(job)
        elif imported := form.save():
            text, created, remarks = imported
            for remark in remarks:
                messages.info(request, remark)
            if created:
                if isinstance(text, Book):
                    length = f"{text.n_sentences:,} sentences"
                else:
                    length = f"{len(text.text):,} characters"
                messages.success(request, f"Imported {text}: {length}.")
                for line in aside.in_lines(aside.set_aside(text))[:1] if isinstance(text, Book) else ():
                    messages.info(request, line)
            return redirect(text)
    status = 422 if form.errors else 200
    part = "_preview" if request.headers.get("HX-Request") == "true" else ""
    return render(request, f"{page}{part}.html", context, status=status)
