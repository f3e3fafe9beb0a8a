"""The results of a study, for its researchers."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.access import get_study
from evaluation.figures import marks
from evaluation.report import formats, sentences
from evaluation.report.compute import report
from evaluation.values.report import Report
from evaluation.values.tables import Section
from evaluation.values.wording import unbroken


@require_safe
@login_required
def results(request: HttpRequest, slug: str) -> HttpResponse:
    """The page; with ``?format=json|csv|latex|table`` the same numbers as a file."""
    study = get_study(request.user, slug)
    found = report(study)
    wanted = request.GET.get("format")
    if wanted:
        return _file(found, wanted)
    printed = found.rows
    context = {
        "study": study,
        "section": "results",
        "report": found,
        "own": found.own,
        "rows": printed,
        "tested": any(row.p for row in printed),
        "readers": [
            (each, [one.cells[who] for one in found.own.columns]) for who, each in enumerate(found.readers)
        ],
        "figures": marks.panels(found),
        "spread": _spread(found),
        "settled": found.settled_rows,
        "settled_summary": sentences.settled_summary(found.settled) if found.settled else "",
        "warning": sentences.warning(found),
        "summary": [unbroken(each) for each in sentences.summary(found)],
        "notes": sentences.notes(found),
        "command": formats.command(found),
    }
    return render(request, "evaluation/results.html", context)


def _spread(found: Report) -> Section | None:
    """Answers per item, None without items."""
    bars = marks.bars(found.histogram)
    spread = marks.Spread(bars, "Answers", found.own.spread_note)
    return Section("spread", "Answers per item", picture=("evaluation/spread.html", spread)) if bars else None


def _file(found: Report, wanted: str) -> HttpResponse:
    if wanted not in formats.FORMATS:
        sentence = f"A report comes as {', '.join(formats.FORMATS)}, and not in the format asked for.\n"
        return HttpResponseBadRequest(sentence, content_type="text/plain; charset=utf-8")
    form = formats.FORMATS[wanted]
    response = HttpResponse(form.render(found), content_type=form.content_type)
    response["Content-Disposition"] = f'attachment; filename="{found.slug}-report.{form.extension}"'
    return response
