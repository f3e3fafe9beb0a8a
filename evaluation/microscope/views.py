"""Looking closer at a study: all definitions of agreement, and every item's readings; for its researchers."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from annotation.access import get_study
from annotation.models import Study
from annotation.people.withdrawal import withdrawals
from annotation.tasktypes.base import Invalid
from evaluation.apparatus import entries as readings
from evaluation.apparatus import tei
from evaluation.kinds.answers import work_items
from evaluation.kinds.columns import Unreadable
from evaluation.microscope.compare import microscope as look
from evaluation.report.compute import kind_of
from evaluation.report.sentences import withdrawn

ITEMS = 20


@require_safe
@login_required
def microscope(request: HttpRequest, slug: str) -> HttpResponse:
    """Every definition of agreement side by side."""
    study = get_study(request.user, slug)
    told = tuple(withdrawn(withdrawals(study)))
    context = {"study": study, "scope": look(study), "withdrawn": told}
    return render(request, "evaluation/microscope.html", context)


@require_safe
@login_required
def apparatus(request: HttpRequest, slug: str) -> HttpResponseBase:
    """The items' readings, twenty a page; with ``?format=tei`` all of them as one document."""
    study = get_study(request.user, slug)
    problem = readable(study)
    if request.GET.get("format") == "tei" and not problem:
        response = StreamingHttpResponse(tei.lines(study), content_type="application/tei+xml; charset=utf-8")
        response["Content-Disposition"] = f'attachment; filename="{study.slug}-apparatus.xml"'
        return response
    page = Paginator(work_items(study), ITEMS).get_page(request.GET.get("page"))
    context = {
        "study": study,
        "page": page,
        "problem": problem,
        "entries": [] if problem else list(readings.entries(study, page.object_list)),
    }
    return render(request, "evaluation/apparatus.html", context)


@require_safe
@login_required
def apparatus_item(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """One item's readings."""
    study = get_study(request.user, slug)
    item = get_object_or_404(work_items(study), number=number)
    problem = readable(study)
    numbers = work_items(study).values_list("number", flat=True)
    context = {
        "study": study,
        "number": number,
        "problem": problem,
        "entries": [] if problem else list(readings.entries(study, [item])),
        "before": numbers.filter(number__lt=number).last(),
        "after": numbers.filter(number__gt=number).first(),
    }
    return render(request, "evaluation/apparatus_item.html", context)


def readable(study: Study) -> str:
    """Why there is no apparatus for this kind of data, or empty."""
    try:
        kind_of(study)
    except (Unreadable, Invalid) as error:
        return str(error)
    return ""
