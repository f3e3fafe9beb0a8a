"""The results of a study, for its researchers."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.access import get_study
from evaluation import figures, rendering, sentences
from evaluation.reports import Report, report
from evaluation.rows import rows


@require_safe
@login_required
def results(request: HttpRequest, slug: str) -> HttpResponse:
    """The page; with ``?format=json|csv|latex|table`` the same numbers as a file."""
    found = report(get_study(request.user, slug))
    wanted = request.GET.get("format")
    if wanted:
        return _file(found, wanted)
    context = {
        "report": found,
        "rows": rows(found),
        "readers": rendering.reader_rows(found),
        "figures": figures.panels(found),
        "histogram": figures.bars(found),
        "warning": sentences.warning(found),
        "summary": [sentences.unbroken(each) for each in sentences.summary(found)],
        "notes": sentences.notes(found),
        "command": rendering.command(found),
    }
    return render(request, "evaluation/results.html", context)


def _file(found: Report, wanted: str) -> HttpResponse:
    if wanted not in rendering.FORMATS:
        sentence = f"A report comes as {', '.join(rendering.FORMATS)}, and not in the format asked for.\n"
        return HttpResponseBadRequest(sentence, content_type="text/plain; charset=utf-8")
    form = rendering.FORMATS[wanted]
    response = HttpResponse(form.render(found), content_type=form.content_type)
    response["Content-Disposition"] = f'attachment; filename="{found.slug}-report.{form.extension}"'
    return response
