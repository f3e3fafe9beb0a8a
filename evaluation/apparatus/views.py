"""Every item's readings, for a study's researchers."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from annotation.access import get_study
from annotation.models import Study
from annotation.tasktypes.base import Invalid
from evaluation.apparatus import entries as readings
from evaluation.apparatus import tei
from evaluation.kinds.answers import work_items
from evaluation.kinds.columns import Unreadable
from evaluation.kinds.registry import kind_of

ITEMS = 20


@require_safe
@login_required
def apparatus(request: HttpRequest, slug: str) -> HttpResponseBase:
    """The items' readings, twenty a page; with ``?format=tei`` all of them as one document."""
    study = get_study(request.user, slug)
    legend, problem = readable(study)
    if request.GET.get("format") == "tei" and not problem:
        response = StreamingHttpResponse(tei.lines(study), content_type="application/tei+xml; charset=utf-8")
        response["Content-Disposition"] = f'attachment; filename="{study.slug}-apparatus.xml"'
        return response
    page = Paginator(work_items(study), ITEMS).get_page(request.GET.get("page"))
    context = {
        "study": study,
        "section": "apparatus",
        "page": page,
        "problem": problem,
        "legend": legend,
        "entries": [] if problem else list(readings.entries(study, page.object_list)),
    }
    return render(request, "evaluation/apparatus.html", context)


@require_safe
@login_required
def one_item(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """One item's readings."""
    study = get_study(request.user, slug)
    item = get_object_or_404(work_items(study), number=number)
    legend, problem = readable(study)
    numbers = work_items(study).values_list("number", flat=True)
    context = {
        "study": study,
        "section": "apparatus",
        "number": number,
        "problem": problem,
        "legend": legend,
        "entries": [] if problem else list(readings.entries(study, [item])),
        "before": numbers.filter(number__lt=number).last(),
        "after": numbers.filter(number__gt=number).first(),
    }
    return render(request, "evaluation/apparatus_item.html", context)


def readable(study: Study) -> tuple[str, str]:
    """What else the page's marks mean, and why there is no apparatus for this kind of data; or empty."""
    try:
        return kind_of(study).apparatus.legend, ""
    except (Unreadable, Invalid) as error:
        return "", str(error)
