"""A reader's messages with the researcher: all threads, and an answer in one."""

from __future__ import annotations

from typing import NamedTuple

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_POST, require_safe

from annotation.access import get_assignment, get_enrolment
from annotation.judging import messages as item_messages
from annotation.models import Assignment, Enrolment, Kind
from annotation.reading import given
from annotation.tasktypes.base import Invalid
from common.roles import me

NAMES = gettext_noop("Item {number}"), gettext_noop("Practice item {number}")


class NumberedThread(NamedTuple):
    """A thread with the name its item has for this reader.

    name: “Item 7”.
    assignment: the assignment by which it can be answered.
    thread: the thread.
    """

    name: str
    assignment: Assignment
    thread: item_messages.Thread


@login_required
@require_safe
def own_messages(request: HttpRequest, slug: str) -> HttpResponse:
    """Show all threads of this reader with the researcher, the latest first."""
    return show(request, get_enrolment(request.user, slug))


def show(request: HttpRequest, reader: Enrolment, *, refused: str = "", assignment: int = 0) -> HttpResponse:
    """Show the page; `refused` says why the message at that assignment was not sent."""
    context = {
        "study": reader.study,
        "threads": numbered_threads(reader),
        "refused": refused,
        "refused_at": assignment,
        "text": request.POST.get("message", ""),
    }
    return render(request, "annotation/messages.html", context, status=422 if refused else 200)


def numbered_threads(reader: Enrolment) -> list[NumberedThread]:
    """Return the reader's threads about items they still hold or have judged."""
    places: dict[int, tuple[str, Assignment]] = {}
    # Practice last: until it is over it stands among all that was given.
    for kind, called in ((Kind.WORK, NAMES[0]), (Kind.PRACTICE, NAMES[1])):
        own = given.assignments_given(reader, kind).order_by("claimed", "pk").only("pk", "item")
        places |= {
            each.item_id: (_(called).format(number=number), each) for number, each in enumerate(own, 1)
        }
    found = item_messages.threads_of_reader(reader).items()
    return [NumberedThread(*places[item], thread) for (item, _), thread in found if item in places]


@login_required
@require_POST
def message(request: HttpRequest, pk: int) -> HttpResponse:
    """Send a message about an item, or store that the researcher's messages were read."""
    assignment = get_assignment(request.user, pk)
    reader, now = assignment.annotator, timezone.now()
    assert reader is not None  # noqa: S101 - get_assignment asked for one
    if "read" in request.POST:
        item_messages.mark_read(assignment.item, reader, by_researcher=False, now=now)
        by_script = request.headers.get("Accept") == "application/json"
        return HttpResponse(status=204) if by_script else back(request, assignment)
    try:
        text = request.POST.get("message", "")
        item_messages.send(assignment.item, reader, text, by=me(request), from_researcher=False, now=now)
    except Invalid as error:
        return show(request, reader, refused=str(error), assignment=assignment.pk)
    messages.success(request, _("Sent to the researcher."))
    return back(request, assignment)


def back(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    """Redirect to where the form stood: the item, or the page of all threads."""
    if request.POST.get("from") in ("messages", "talks"):
        return redirect("annotation:messages", assignment.study.slug)
    return redirect(f"{assignment.get_absolute_url()}#thread-{assignment.pk}")
