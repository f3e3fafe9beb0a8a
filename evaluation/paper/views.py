"""A study for its paper: layouts, methods paragraph and citation on one page, and its pictures as files."""

from __future__ import annotations

from datetime import date
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from annotation.access import get_study
from annotation.models import Study
from common.errors import BadField, BadInput
from common.tables.formats import download
from evaluation.paper import drawing, registry
from evaluation.paper.citation import LICENCES, Cited, citation
from evaluation.paper.formats import FORMATS
from evaluation.paper.methods.written import paragraphs
from evaluation.paper.values import Asked
from evaluation.report.compute import report

PAGE = "evaluation/paper.html"
PLAIN = "text/plain; charset=utf-8"


@require_safe
@login_required
def paper(request: HttpRequest, slug: str) -> HttpResponse:
    """The page; with ``layout`` a table of a paper, also as a file; with ``figure`` one, with ``cite`` the
    citation."""
    study = get_study(request.user, slug)
    if request.GET.get("cite"):
        return _cited(request, study)
    if request.GET.get("figure"):
        return _figure(request, study)
    name = request.GET.get("layout", "")
    context: dict[str, Any] = _page(study)
    status = 200
    if name:
        try:
            laid = registry.filled(name, Asked(study))
        except BadInput as error:
            context |= {"problem": str(error)}
            status = 422
        else:
            if wanted := request.GET.get("format"):
                return download(FORMATS, wanted, laid, f"{study.slug}-{laid.layout}")
            context |= {
                "laid": laid,
                "layout": registry.layout(name),
                "formats": FORMATS,
                "asked": f"layout={name}",
            }
            context |= {"types": list(drawing.TYPES)}
    return render(request, PAGE, context, status=status)


def _page(study: Study) -> dict[str, Any]:
    return {
        "study": study,
        "section": "paper",
        "states": registry.states(study),
        "methods": paragraphs(study),
        "licences": LICENCES,
        "today": timezone.localdate(),
    }


def _cited(request: HttpRequest, study: Study) -> HttpResponse:
    """The citation as a file; what is wrong in the form stands on the page beside it."""
    given = request.GET
    try:
        said = Cited(
            given.get("authors", "").splitlines(),
            given.get("version", ""),
            given.get("licence", ""),
            day(given.get("released", "")),
        )
        text = citation(study, said)
    except BadField as error:
        context = _page(study) | {"cite_problem": str(error), "wrong": error.field, "given": given}
        return render(request, PAGE, context, status=422)
    response = HttpResponse(text, content_type="application/yaml; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="CITATION.cff"'
    return response


def day(text: str) -> date:
    """Return the day of a release, today for none. Raises `BadField` for what is no day."""
    try:
        return date.fromisoformat(text) if text else timezone.localdate()
    except ValueError:
        raise BadField("released", f"{text!r:.30} is no day: write it as 2026-05-31.") from None


def _figure(request: HttpRequest, study: Study) -> HttpResponse:
    """One picture of the study's report as SVG, PDF or PNG."""
    name, form = request.GET["figure"], request.GET.get("form", "svg")
    try:
        found = report(study, weighting=request.GET.get("weighting", ""))
        data = drawing.drawn(study, found, name, form)
    except BadInput as error:
        status = 501 if str(error) == drawing.WITHOUT else 404
        return HttpResponse(f"{error}\n", status=status, content_type=PLAIN)
    response = HttpResponse(data, content_type=drawing.TYPES[form])
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-{name}.{form}"'
    return response
