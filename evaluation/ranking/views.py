"""Where a candidate job ranked the right passages, for scholars."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from common.errors import BadInput
from common.lists import PAGE
from common.roles import scholar_required
from common.tables.formats import download
from evaluation.ranking import sentences, tables
from evaluation.ranking.formats import FORMATS
from evaluation.ranking.report import rank_report
from retrieval.models import Candidate, CandidateJob


@scholar_required
@require_safe
def ranking(request: HttpRequest, pk: int) -> HttpResponse:
    """The page; with ``?format=`` and one of `FORMATS` the same numbers as a file."""
    job = get_object_or_404(CandidateJob.objects.select_related("book"), pk=pk)
    try:
        report = rank_report(job)
    except BadInput as error:
        return render(request, "evaluation/ranking.html", {"job": job, "refused": str(error)})
    wanted = request.GET.get("format")
    if wanted:
        return download(FORMATS, wanted, report, f"job-{report.job}-ranking")
    page = Paginator(far(job, report.cutoff), PAGE).get_page(request.GET.get("page"))
    context = {
        "job": job,
        "report": report,
        "formats": FORMATS,
        "numbers": tables.numbers(*report.of_kind("all")) if not report.problem else None,
        "lengths": tables.by_length(report.of_kind("length")),
        "summary": sentences.summary(report),
        "notes": sentences.notes(report),
        "page": page,
        "missed": tables.missed(page, job.book.slug),
    }
    return render(request, "evaluation/ranking.html", context)


def far(job: CandidateJob, cutoff: int) -> QuerySet[Candidate]:
    """The golds ranked beyond `cutoff`, the last first, with their excerpts."""
    rows = Candidate.objects.filter(job=job, is_gold=True, rank__gt=cutoff).order_by("-rank", "excerpt")
    read = ("rank", "first", "size", "excerpt", "excerpt__source", "excerpt__source__citation")
    return rows.select_related("excerpt__source").only(*read)
