"""The live page of a study, for its researchers: asked again by itself, and 304 while all is as before."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_safe

from annotation.access import studies_for
from annotation.models import EnrolmentState, Role, Study
from annotation.people.practising import standings
from annotation.validation.first_grades import seen_in
from evaluation.beside.tables import watched
from evaluation.stopping import looks as stopping
from evaluation.stopping.sentences import sentences
from evaluation.values.sentences import machine_seen, withdrawn
from evaluation.values.wording import unbroken
from evaluation.watch import tables
from evaluation.watch.snapshot import EXPIRED_DAYS, fingerprint, fingerprinted, watch

ITEMS = 12


@require_safe
@login_required
def watching(request: HttpRequest, slug: str) -> HttpResponse:
    """The whole page; to htmx its changing part, with an ETag of the study's state."""
    now = timezone.now()
    study = get_object_or_404(fingerprinted(studies_for(request.user), now), slug=slug)
    if request.headers.get("HX-Request") != "true":
        return page(request, study, "evaluation/watch.html")
    etag = f'"{fingerprint(study, now, request.GET.get("page", ""))}"'
    response = get_conditional_response(request, etag) or page(request, study, "evaluation/watch_live.html")
    # The browser keeps the last answer only to ask whether it still holds.
    response["ETag"], response["Cache-Control"] = etag, "private, no-cache"
    return response


def page(request: HttpRequest, study: Study, template: str) -> HttpResponse:
    now = timezone.now()
    seen = watch(study, now=now)
    looked = stopping.looked(study)
    shown = Paginator(seen.items, ITEMS).get_page(request.GET.get("page"))
    here = study.enrolments.filter(role=Role.ANNOTATOR, state=EnrolmentState.ACTIVE).count()
    context = {
        "study": study,
        "section": "watch",
        "seen": seen,
        "agreement": tables.agreement(seen.agreement),
        "caution": tables.caution(seen.agreement),
        "stopping": looked,
        "rule": [unbroken(each) for each in sentences(looked)],
        "over": tables.over(seen.agreement),
        "readers": tables.readers(study, seen),
        "machines": watched(seen.machines),
        "practice": standings(study),
        "n_readers": here,
        "to_come": max(study.overlap - here, 0) if study.is_open else 0,
        "page": shown,
        "items": tables.items(study, shown.object_list),
        "flags": tables.flags(study, seen.flags),
        "now": now,
        "expired_days": EXPIRED_DAYS,
        "withdrawn": tuple(withdrawn(seen.withdrawn)),
        "machine_seen": machine_seen(seen_in(study)),
        "address": request.get_full_path(),
    }
    return render(request, template, context)
