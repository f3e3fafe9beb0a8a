"""Putting an item off, and taking back what was done last: an answer, or putting off.

Under htmx the item that was taken back comes in place of the page, with what was answered filled in; without
scripts the same buttons lead to it.
"""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotation.access import get_assignment, get_assignment_to_answer
from annotation.assignment.holding import mark_opened, put_off, take_up
from annotation.judging.judgments import Stale
from annotation.judging.taking_back import take_back as take_answer_back
from annotation.models import Assignment, AssignmentStatus, Enrolment, Outcome
from annotation.reading import item_page
from annotation.reading.views import HtmxRequest, go_on, show
from annotation.tasktypes.base import Invalid


@login_required
@require_POST
def later(request: HtmxRequest, pk: int) -> HttpResponse:
    """Put an item off. Nothing is judged, and it comes back when nothing new is left."""
    assignment, enrolment = get_assignment_to_answer(request.user, pk)
    done = assignment.annotator_id == enrolment.pk and assignment.status == AssignmentStatus.HELD
    done = done and put_off(assignment, now=timezone.now(), act=request.POST.get("act", "")[:40])
    return go_on(request, enrolment, _("Put off for later."), put_off=assignment if done else None)


@login_required
@require_POST
def take_back(request: HtmxRequest, pk: int) -> HttpResponse:
    """Take back the judgment that `of` names, or, without one, that the item was put off; show the item."""
    assignment = get_assignment(request.user, pk)
    me = assignment.annotator
    assert me is not None  # noqa: S101 - get_assignment asked for one
    try:
        said = done_back(assignment, me, request.POST.get("of", ""), request.POST.get("submission", ""))
    except (Stale, Invalid) as refused:
        return shown(request, assignment, me, error=Invalid(str(refused)))
    return shown(request, assignment, me, said=said)


def done_back(assignment: Assignment, me: Enrolment, of: str, act: str) -> str:
    """Take back an answer, or, where `of` is empty, the putting off; return what to say of it.

    Raises `Stale` where it cannot be taken back, `Invalid` where the form did not arrive whole.
    """
    now = timezone.now()
    if not of:
        if not take_up(assignment, now=now, act=act[:40]):
            raise Stale(_("This item is not put off any more."))
        return _("The item is before you again.")
    row = take_answer_back(assignment, me, read_id(act), of=read_id(of), now=now)
    if row.outcome == Outcome.TAKEN_BACK:
        return _("Taken back: your answer is not counted. Change it, or submit it again.")
    return _("Taken back: what you had answered before counts again.")


def read_id(text: str) -> UUID:
    """Return an id that a page made. Raises `Invalid`."""
    try:
        return UUID(text)
    except ValueError:
        raise Invalid(_("This form did not arrive whole: load the page again."), "submission") from None


def shown(
    request: HtmxRequest,
    assignment: Assignment,
    me: Enrolment,
    *,
    said: str = "",
    error: Invalid | None = None,
) -> HttpResponse:
    """Show the item as it is now: with what was done, or with why it was not."""
    if not request.htmx:
        (messages.error if error else messages.success)(request, str(error or said))
        return redirect(assignment)
    own = Assignment.objects.select_related("item", "study", "annotator").get(pk=assignment.pk)
    if own.status == AssignmentStatus.HELD:
        mark_opened(own, now=timezone.now())
    context = item_page.item_context(own, me, error=error)
    response = show(
        request, {**context, "said": said, "just": "taken back" if said else ""}, status=409 if error else 200
    )
    response["HX-Push-Url"] = own.get_absolute_url()
    return response
