"""A reader's own page in a study: how far they are, how long it took, what it earned, and how to leave."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from statistics import median
from typing import NamedTuple

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import get_enrolment
from annotation.assignment.holding import IS_HELD
from annotation.assignment.progress import ReaderProgress, reader_progress
from annotation.models import SAID, Enrolment, Judgment, Kind, Role
from annotation.people import leaving
from annotation.people.recruiting import ending
from common import wording
from common.errors import BadInput
from retrieval.jobs.status import duration

WEEK = timedelta(days=7)


class OwnNumbers(NamedTuple):
    """A reader's own numbers, times in words; check items count as any other, practice does not.

    progress: items done and in all.
    left: items still to do.
    this_week: items of the last seven days; what was taken back is none.
    active: time in all.
    an_item: usual time an item.
    to_go: time for what is left.
    earned: what is paid so far.
    last: when they answered last.
    """

    progress: ReaderProgress
    left: int
    this_week: int
    active: str
    an_item: str
    to_go: str
    earned: str
    last: datetime | None


def own_numbers(me: Enrolment) -> OwnNumbers:
    """Return this reader's own numbers."""
    progress = reader_progress(me)
    said = Judgment.objects.filter(annotator=me).exclude(assignment__item__kind=Kind.PRACTICE)
    said = said.order_by("revision")
    rows = list(said.values_list("assignment", "outcome", "active_seconds", "created"))
    first = {place: (timed, at) for place, _, timed, at in reversed(rows)}
    standing = {place for place, outcome in {row[0]: row[1] for row in rows}.items() if outcome in SAID}
    since = timezone.now() - WEEK
    seconds = [timed for _, _, timed, _ in rows if timed is not None]
    # The first reading of an item says how long items take; coming back to one is quicker.
    firsts = [timed for timed, _ in first.values() if timed is not None]
    each = median(firsts) if firsts else None
    left = max(progress.total - progress.done, 0)
    return OwnNumbers(
        progress=progress,
        left=left,
        this_week=sum(first[place][1] >= since for place in standing),
        active=duration(sum(seconds)) if seconds else "",
        an_item=duration(each) if each is not None else "",
        to_go=duration(each * left) if each is not None and left else "",
        earned=earned_in_words(me, progress.done),
        last=max((at for _, outcome, _, at in rows if outcome in SAID), default=None),
    )


def earned_in_words(me: Enrolment, done: int) -> str:
    """Return what is paid for the items done, in words; empty where the study says nothing of pay."""
    rate = me.study.rate
    return f"{wording.number(Decimal(done) * rate, 2)} {me.study.currency}" if rate is not None else ""


@login_required
@require_safe
def own_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the reader's own page."""
    me = reader(request, slug)
    context = {
        "study": me.study,
        "me": me,
        "own": own_numbers(me),
        "consent": me.study.latest_consent() if me.consent_version else None,
    }
    return render(request, "annotation/own_page.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def leave(request: HttpRequest, slug: str) -> HttpResponse:
    """Say what leaving means; then do it."""
    me = reader(request, slug)
    if request.method != "POST":
        held = me.assignments.filter(IS_HELD).count()
        return render(request, "annotation/leave.html", {"study": me.study, "me": me, "held": held})
    assert isinstance(request.user, User)  # noqa: S101 - signed in
    try:
        leaving.leave(me, by=request.user)
    except BadInput as error:
        messages.error(request, str(error))
    else:
        if (back := ending.way_back(me, ending.Ended.LEFT)) is not None:
            return render(request, "annotation/left.html", {"study": me.study, "way_back": back})
        said = _("You have left “{study}”. Thank you for what you did.")
        messages.success(request, said.format(study=me.study.title))
    return redirect("home")


def reader(request: HttpRequest, slug: str) -> Enrolment:
    """Return this person's enrolment as a reader, or raise Http404: the others have no work to count."""
    me = get_enrolment(request.user, slug)
    if me.role != Role.ANNOTATOR:
        raise Http404
    return me
