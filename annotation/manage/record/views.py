"""The record as a page and as a file: who did what when. A download is noted in it, so it is a POST."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone

from annotation.export import events
from annotation.export.judgments import FORMATS
from annotation.manage.exports import encoded
from annotation.manage.frame import frame, me, reads_or_posts, researcher_of_study
from annotation.models import Event, Seal, Study
from common.errors import BadInput
from common.tables import json

ROWS = 50
LONGEST_SHOWN = 300
"""Characters of what else is known of an event; the file has all."""


@reads_or_posts
@researcher_of_study
def of_study(request: HttpRequest, study: Study) -> HttpResponseBase:
    """Show or send what was done in a study."""
    return answer(request, study, "annotation/manage/record/study.html", frame(study, "record"))


@reads_or_posts
@login_required
def of_site(request: HttpRequest) -> HttpResponseBase:
    """Show or send everything that was done, to superusers; 404 for others."""
    if not me(request).is_superuser:
        raise Http404
    return answer(request, None, "annotation/manage/record/site.html", {"seal": Seal.objects.last()})


def answer(
    request: HttpRequest, study: Study | None, template: str, context: dict[str, Any]
) -> HttpResponseBase:
    """Show the page, or send the file that was asked for."""
    error = ""
    if request.method == "POST":
        try:
            return sent(study, request)
        except BadInput as refused:
            error = str(refused)
    verb, names = request.GET.get("verb", ""), events.names_in(study)
    found = events.events(study)
    page = Paginator(found.filter(verb=verb) if verb else found, ROWS).get_page(request.GET.get("page"))
    context |= {
        "page": page,
        "rows": [(each, events.who(each, names), shown(each)) for each in page],
        "verbs": found.order_by("verb").values_list("verb", flat=True).distinct(),
        "verb": verb,
        "columns": events.COLUMNS,
        "error": error,
    }
    return render(request, template, context, status=422 if error else 200)


def sent(study: Study | None, request: HttpRequest) -> StreamingHttpResponse:
    """Return the record as a file. Raises `BadInput` for a format that there is not."""
    chosen = request.POST.get("format", "")
    lines = events.export(study, chosen, by=me(request))
    response = StreamingHttpResponse(encoded(lines), content_type=f"{FORMATS[chosen]}; charset=utf-8")
    name = f"{study.slug if study else 'site'}-record-{timezone.now():%Y%m%d}.{chosen}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def shown(event: Event) -> str:
    """Return what else is known of an event, in one line: `items: 12, file: set.jsonl`."""
    said = ", ".join(f"{name.replace('_', ' ')}: {_value(value)}" for name, value in event.data.items())
    return said if len(said) <= LONGEST_SHOWN else f"{said[:LONGEST_SHOWN]}…"


def _value(value: object) -> str:
    return value if isinstance(value, str) else json.compact(value)
