"""The results of a study, for its researchers."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.access import get_study
from evaluation.figures import marks
from evaluation.figures.overlap import overlap_figure
from evaluation.kinds.spans.tables import dataset_table, offset_table, shared_table
from evaluation.report import formats, readers, sentences
from evaluation.report.compute import Report, report
from evaluation.report.numbers import SpanNumbers
from evaluation.report.rows import rows
from evaluation.report.rows import settled_rows as rows_settled


@require_safe
@login_required
def results(request: HttpRequest, slug: str) -> HttpResponse:
    """The page; with ``?format=json|csv|latex|table`` the same numbers as a file."""
    study = get_study(request.user, slug)
    found = report(study)
    wanted = request.GET.get("format")
    if wanted:
        return _file(found, wanted)
    printed = rows(found)
    context = {
        "study": study,
        "section": "results",
        "report": found,
        "rows": printed,
        "tested": any(row.p for row in printed),
        "readers": readers.reader_table(found),
        "figures": marks.panels(found),
        "histogram": marks.bars(found.histogram),
        "spread_note": "" if found.spans else "Agreement is computed from items with two answers or more.",
        "settled": rows_settled(found),
        "settled_summary": sentences.settled_summary(found.settled) if found.settled else "",
        "warning": sentences.warning(found),
        "summary": [sentences.unbroken(each) for each in sentences.summary(found)],
        "notes": sentences.notes(found),
        "command": formats.command(found),
        **(_of_spans(found, found.spans) if found.spans else {}),
    }
    return render(request, "evaluation/results.html", context)


def _of_spans(found: Report, spans: SpanNumbers) -> dict[str, Any]:
    return {
        "overlap": overlap_figure(spans.report.overlap),
        "offsets": offset_table(found, spans),
        "dataset": dataset_table(spans),
        "shared": shared_table(spans),
        "span_spread": marks.bars(spans.report.counts.spans_per_item),
    }


def _file(found: Report, wanted: str) -> HttpResponse:
    if wanted not in formats.FORMATS:
        sentence = f"A report comes as {', '.join(formats.FORMATS)}, and not in the format asked for.\n"
        return HttpResponseBadRequest(sentence, content_type="text/plain; charset=utf-8")
    form = formats.FORMATS[wanted]
    response = HttpResponse(form.render(found), content_type=form.content_type)
    response["Content-Disposition"] = f'attachment; filename="{found.slug}-report.{form.extension}"'
    return response
