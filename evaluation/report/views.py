"""The results of a study, for its researchers."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import render
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from annotation.access import get_study
from common.errors import BadInput
from common.tables.formats import download
from common.tables.table import Column, counts
from common.wording import counted
from evaluation.beside.tables import sections
from evaluation.figures import marks
from evaluation.report import formats, sentences, tables
from evaluation.report.compute import report
from evaluation.stopping.tables import section
from evaluation.values.report import Report
from evaluation.values.sentences import machine_seen
from evaluation.values.tables import PageSection
from evaluation.values.wording import unbroken


@require_safe
@login_required
def results(request: HttpRequest, slug: str) -> HttpResponse:
    """The page; with ``?format=`` and one of `FORMATS` the same numbers as a file."""
    study = get_study(request.user, slug)
    try:
        found = report(study, weighting=request.GET.get("weighting", ""))
    except BadInput as error:
        return HttpResponseBadRequest(f"{error}\n", content_type="text/plain; charset=utf-8")
    wanted = request.GET.get("format")
    if wanted:
        return download(formats.FORMATS, wanted, found, f"{found.slug}-report")
    context = {
        "study": study,
        "section": "results",
        "report": found,
        "own": found.own,
        "rows": found.rows,
        "formats": formats.FORMATS,
        "asked": urlencode({"weighting": found.weighting} if found.weighting else {}),
        "measures": tables.page(found),
        "readers": tables.readers(found) if found.readers else None,
        "figures": marks.panels(found),
        "spread": _spread(found),
        "settled": tables.settled_page(found),
        "settled_summary": sentences.settled_summary(found.settled) if found.settled else "",
        "warning": sentences.warning(found),
        "summary": [unbroken(each) for each in sentences.summary(found)],
        "machine_seen": machine_seen(found.machine_seen),
        "notes": sentences.notes(found),
        "machines": sections(found.beside) if found.beside else (),
        "looks": section(found.looked) if found.looked else None,
        "command": formats.command(found),
    }
    return render(request, "evaluation/results.html", context)


def _spread(found: Report) -> PageSection | None:
    """Answers per item, None without items."""
    if not found.histogram:
        return None
    caption = f"{counted(found.n_items, 'item')}. {found.own.spread_note}"
    spread = counts(Column("answers", "Answers"), "Items", found.histogram, caption)
    return PageSection("spread", "Answers per item", table=spread, style="spread")
