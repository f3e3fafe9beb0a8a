"""Where a candidate job ranked the right passages, for scholars."""

from __future__ import annotations

from typing import NamedTuple

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from common.errors import BadInput
from common.lists import PAGE
from common.roles import scholar_required
from evaluation.ranking import formats, sentences
from evaluation.ranking.formats import COLUMNS, GRID, interval, value
from evaluation.ranking.report import Group, RankLine, RankReport, rank_report
from evaluation.values.wording import NONE
from retrieval.models import Candidate, CandidateJob


class Shown(NamedTuple):
    """A number as the page prints it."""

    line: RankLine
    value: str
    interval: str
    random: str


class Row(NamedTuple):
    """A group of the table by length: (value, interval) of each of `COLUMNS`, and what is random."""

    group: Group
    cells: list[tuple[str, str]]
    random: list[str]


@scholar_required
@require_safe
def ranking(request: HttpRequest, pk: int) -> HttpResponse:
    """The page; with ``?format=json|csv|latex|table`` the same numbers as a file."""
    job = get_object_or_404(CandidateJob.objects.select_related("book"), pk=pk)
    try:
        report = rank_report(job)
    except BadInput as error:
        return render(request, "evaluation/ranking.html", {"job": job, "refused": str(error)})
    wanted = request.GET.get("format")
    if wanted:
        return _file(report, wanted)
    context = {
        "job": job,
        "report": report,
        "numbers": [shown(line) for group in report.of_kind("all") for line in group.lines],
        "columns": COLUMNS,
        "lengths": [row(group) for group in report.of_kind("length")],
        "summary": sentences.summary(report),
        "notes": sentences.notes(report),
        "page": Paginator(far(job, report.cutoff), PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "evaluation/ranking.html", context)


def far(job: CandidateJob, cutoff: int) -> QuerySet[Candidate]:
    """The golds ranked beyond `cutoff`, the last first, with their excerpts."""
    rows = Candidate.objects.filter(job=job, is_gold=True, rank__gt=cutoff).order_by("-rank", "excerpt")
    read = ("rank", "first", "size", "excerpt", "excerpt__source", "excerpt__source__citation")
    return rows.select_related("excerpt__source").only(*read)


def shown(line: RankLine) -> Shown:
    """A number in words, with its unit."""
    found = line.estimate
    unit = " %" if line.share else ""

    def worded(number: float | None) -> str:
        return NONE if number is None else value(line, number) + unit

    return Shown(line, worded(found.value), interval(line, found.low, found.high), worded(line.random))


def row(group: Group) -> Row:
    """A row of the table by length."""
    lines = [group.line(slug) for slug in GRID]
    cells = [
        (value(line, line.estimate.value), interval(line, line.estimate.low, line.estimate.high))
        if line
        else (NONE, "")
        for line in lines
    ]
    return Row(group, cells, [value(line, line.random) if line else NONE for line in lines])


def _file(report: RankReport, wanted: str) -> HttpResponse:
    if wanted not in formats.FORMATS:
        known = ", ".join(formats.FORMATS)
        sentence = f"A report comes as {known}, and not in the format asked for.\n"
        return HttpResponseBadRequest(sentence, content_type="text/plain; charset=utf-8")
    form = formats.FORMATS[wanted]
    response = HttpResponse(form.render(report), content_type=form.content_type)
    name = f"job-{report.job}-ranking.{form.extension}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
