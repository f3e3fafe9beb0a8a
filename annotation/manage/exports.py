"""The judgments, or the decisions, as a file. A download is noted in the record, so it is a POST."""

from __future__ import annotations

from collections.abc import Iterator

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone

from annotation.dataset.describing.card import LICENCES
from annotation.dataset.write import record_export, zipped
from annotation.export import codebook, decisions, judgments, questions, readings
from annotation.manage.frame import frame, me, reads_or_posts, researcher_of_study
from annotation.models import Study
from common.errors import BadInput


@reads_or_posts
@researcher_of_study
def export_page(request: HttpRequest, study: Study) -> HttpResponseBase:
    """Show what the file will hold; then send it, line by line as the database gives it."""
    if request.method != "POST":
        return page(request, study)
    chosen, what = request.POST.get("format", ""), request.POST.get("what", "judgments")
    if what == "dataset":
        return data_set(request, study)
    try:
        if what == "decisions":
            lines = decisions.export(study, chosen, by=me(request))
        elif what == "readings":
            lines = readings.export(study, chosen, by=me(request))
        elif what == "questions":
            lines = questions.export(study, chosen, by=me(request), every_kind="every_kind" in request.POST)
        else:
            lines = judgments.export(study, chosen, by=me(request), every_kind="every_kind" in request.POST)
    except BadInput as error:
        return page(request, study, error=str(error))
    response = StreamingHttpResponse(
        encoded(lines), content_type=f"{judgments.FORMATS[chosen]}; charset=utf-8"
    )
    what = what if what in ("decisions", "questions", "readings") else "judgments"
    name = f"{study.slug}-{what}-{timezone.now():%Y%m%d}.{chosen}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def data_set(request: HttpRequest, study: Study) -> HttpResponseBase:
    """Send the data set as a zip file, as it is made, under the licence that was chosen."""
    licence = request.POST.get("licence", "")
    if licence and licence not in LICENCES:
        return page(request, study, error=f"Choose one of the licences: {', '.join(LICENCES)}; or none.")
    record_export(study, by=me(request), licence=licence)
    parquet = "parquet" in request.POST
    response = StreamingHttpResponse(
        zipped(study, licence=licence, parquet=parquet), content_type="application/zip"
    )
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-dataset.zip"'
    return response


def encoded(lines: Iterator[str]) -> Iterator[bytes]:
    """Yield the lines in UTF-8."""
    return (line.encode() for line in lines)


def page(request: HttpRequest, study: Study, error: str = "") -> HttpResponse:
    """Show the form, with the columns and their meanings."""
    of_work = judgments.count(study)
    context = frame(
        study,
        "export",
        count=of_work,
        beside=judgments.count(study, every_kind=True) - of_work,
        columns=codebook.of_judgments(study),
        decisions=decisions.count(study),
        decision_columns=codebook.of_decisions(study),
        question_columns=questions.COLUMNS if questions.has_questions(study) else {},
        readings=readings.count(study),
        reading_columns=codebook.of_readings(study),
        licences=LICENCES,
        error=error,
    )
    return render(request, "annotation/manage/export.html", context, status=422 if error else 200)
