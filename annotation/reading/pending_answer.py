"""A pending answer: sent by a page without scripts after the login had ended, it waits for its reader to
sign in.

It waits in the session of the browser it came from, which signing in takes over, and
becomes a draft of the reader whose assignment it is: of anybody else it becomes nothing.
"""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest
from django.utils import timezone

from annotation.access import get_assignment
from annotation.judging import conflicts, drafts
from annotation.tasktypes.base import Invalid

KEY = "kept"
OLD_PAGE = (
    "You sent your answer from a page that was older than the site, so your choice could not be read. "
    "Whatever else you wrote is here: please choose again."
)


def store(request: HttpRequest, pk: int) -> None:
    """Keep what was sent in the session, where it could become a draft."""
    try:
        words = drafts.checked_fields(request.POST)
    except Invalid:
        return
    revision = request.POST.get("revision", "")[:9]
    seen = int(revision) if revision.isdecimal() else 0
    request.session[KEY] = {"place": pk, "fields": words, "seen": seen}


def restore(request: HttpRequest) -> None:
    """Make a pending answer the draft of whoever has just signed in, if the assignment is theirs."""
    waiting = request.session.pop(KEY, None)
    if waiting is None:
        return
    try:
        assignment = get_assignment(request.user, waiting["place"])
        assert assignment.annotator is not None  # noqa: S101 - get_assignment asked for one
        former = drafts.outdated_fields(assignment, waiting["fields"])
        sent = {name: value for name, value in waiting["fields"].items() if name not in former}
        # A draft from elsewhere gives way to what was sent, but for its notes.
        notes = conflicts.merged_notes(
            conflicts.typed_texts(drafts.typed_fields(assignment)), conflicts.typed_texts(sent)
        )
        words = {**sent, **notes, conflicts.VERSION: conflicts.new_version()}
        drafts.save(assignment, assignment.annotator, words, seen=waiting["seen"], now=timezone.now())
    except (Http404, Invalid):
        return
    if former:
        messages.warning(request, OLD_PAGE)
