"""The home page: what there is to do for this person; and the pages for errors."""

from __future__ import annotations

import sys
import time
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.exceptions import BadRequest, RequestDataTooBig, SuspiciousOperation
from django.db import OperationalError
from django.db.models import Count, Q, QuerySet, Value
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import Resolver404
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe
from django.views.defaults import bad_request, page_not_found, server_error

from annotation.access import enrolments_for, studies_for, workbenches_for
from annotation.adjudication import worklist
from annotation.adjudication.worklist import AdjudicationProgress
from annotation.items.quarantine import wanting
from annotation.models import AssignmentStatus, Enrolment, Kind, Role, Study
from annotation.reading.mine.own_studies import own_studies
from common.roles import me
from retrieval.candidates.outcome import ranker_label
from retrieval.forms.imports import LARGEST_UPLOAD
from retrieval.jobs.status import BADGES, duration, worker_ended
from retrieval.jobs.workers import ABSENT_SECONDS, seconds_since_seen
from retrieval.models import Book, CandidateJob, Excerpt, LoadingJob, Source, Status, TrainingJob
from retrieval.models.texts import HEAVY_BOOK
from variorum.accounts.links import kinds_here
from variorum.languages.choosing import asked_for
from variorum.models import LinkKind

RECENT = 5
WORK = Q(assignments__item__kind=Kind.WORK, assignments__item__retired=None)


@require_safe
@login_required
def home(request: HttpRequest) -> HttpResponse:
    """Show the studies to read for, studies to watch and texts to look after that are this person's."""
    user = me(request)
    own = enrolments_of(user)
    readings = own_studies([each for each in own if each.role == Role.ANNOTATOR])
    context = {
        "readings": readings,
        "waiting": sum(each.waits for each in readings),
        "adjudications": studies_to_adjudicate(own),
        "studies": studies(user),
        "researches": user.has_perm("annotation.add_study"),
        "library": library(user) if user.is_staff else None,
        # The links of the demonstration are not used up.
        "has_no_way_back": not user.has_usable_password() and LinkKind.DEMO not in kinds_here(request),
    }
    if any(context[each] for each in ("adjudications", "studies", "researches", "library")):
        # Only readers' pages are translated, and no page is half of one.
        translation.activate("en")
    return render(request, "home.html", context)


def enrolments_of(user: User) -> list[Enrolment]:
    """Return this person's enrolments as a reader or adjudicator, with how many replies to them are new."""
    new = Q(messages__from_researcher=True, messages__read=None)
    mine = enrolments_for(user).exclude(role=Role.RESEARCHER)
    return list(mine.annotate(replies=Count("messages", filter=new)))


def studies_to_adjudicate(own: list[Enrolment]) -> list[tuple[Study, AdjudicationProgress]]:
    """Return the studies this person adjudicates, with how far each is; waiting ones first."""
    mine = [each.study for each in own if each.role == Role.ADJUDICATOR]
    how_far = worklist.progress_by_study(mine)
    return sorted(((each, how_far[each.pk]) for each in mine), key=lambda row: not row[1].waiting)


def studies(user: User) -> QuerySet[Study]:
    """Return the studies this person directs, with how many of their assignments are done."""
    return studies_for(user).annotate(
        n_readings=Count("assignments", filter=WORK),
        n_given=Count("assignments", filter=WORK & Q(assignments__status=AssignmentStatus.DONE)),
    )


def library(user: User) -> dict[str, Any]:
    """Return what staff look after: texts, jobs, whether a worker is there, items to repair."""
    jobs = CandidateJob.objects.select_related("book").defer(*HEAVY_BOOK)
    quiet = seconds_since_seen("cpu")
    return {
        **counts(),
        "jobs": [(each, BADGES[Status(each.status)], ranker_label(each.ranker)) for each in jobs[:RECENT]],
        "wanting": wanting(workbenches_for(user)),
        "training": TrainingJob.objects.first(),
        "absent": quiet is None or quiet > ABSENT_SECONDS,
        "silence": duration(quiet) if quiet is not None else "",
        "ended": worker_ended(time.time()),
    }


def counts() -> dict[str, int]:
    """Count books, sources, excerpts, trainings and jobs, in one query."""
    of = {
        "books": Book.objects.all(),
        "sources": Source.objects.all(),
        "excerpts": Excerpt.objects.in_use(),
        "trainings": TrainingJob.objects.all(),
        "ranking": CandidateJob.objects.filter(status=Status.QUEUED),
        "loading": LoadingJob.objects.filter(status=Status.QUEUED),
    }
    columns = [Value(name) for name in of]
    first, *others = (
        rows.order_by().values(of=column).annotate(n=Count("pk")).values_list("of", "n")
        for rows, column in zip(of.values(), columns, strict=True)
    )
    return {**dict.fromkeys(of, 0), **dict(first.union(*others, all=True))}


def missing(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Show the page for what is not there: at an address that leads nowhere, in the person's language.

    Of an address that leads to a page it is in the language of that page.
    """
    if not isinstance(exception, Resolver404):
        return page_not_found(request, exception)
    with translation.override(asked_for(request)):
        page = page_not_found(request, exception)
    patch_vary_headers(page, ["Accept-Language"])
    return page


def failed(request: HttpRequest) -> HttpResponse:
    """Show the page for a failure here: 503 where the database does not answer or has no room left."""
    if not isinstance(sys.exc_info()[1], OperationalError):
        return server_error(request)
    # Without the request: who is signed in would be asked of the same database.
    page = render_to_string("503.html", {"typed": typed(request)})
    return HttpResponse(page, status=503, headers={"Retry-After": "60", "Cache-Control": "private, no-store"})


def typed(request: HttpRequest) -> list[tuple[str, str]]:
    """Return the fields of the form that was sent, so that the page can send them again.

    None where a file or a password was among them: a page cannot hold the one and must not hold the other.
    """
    try:
        sent, files = request.POST, request.FILES
    except (OSError, BadRequest, SuspiciousOperation):
        return []  # It did not arrive as a whole.
    if files or any("password" in name for name in sent):
        return []
    return [(name, value) for name, values in sent.lists() for value in values]


def refused(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Show the page for a request that could not be read: 413 where it was only too long."""
    if not isinstance(exception, RequestDataTooBig):
        return bad_request(request, exception)
    return too_large()


def too_large() -> HttpResponse:
    """Show the page that says how much can be sent."""
    limits = {"typed": settings.DATA_UPLOAD_MAX_MEMORY_SIZE, "file": LARGEST_UPLOAD}
    return HttpResponse(render_to_string("413.html", limits), status=413)
