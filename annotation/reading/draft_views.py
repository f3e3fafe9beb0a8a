"""Storing drafts and preferences, called by the page's script or, without scripts, by plain buttons.

Called by the page's own script and, as plain buttons, without any.
"""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_http_methods, require_POST

from annotation.access import get_assignment
from annotation.judging import conflicts, drafts
from annotation.models import Assignment, Enrolment, Judgment, Kind
from annotation.reading import item_page
from annotation.reading.preferences import PreferencesForm, language_of
from annotation.reading.views import HtmxRequest, show_conflict
from annotation.tasktypes.base import Invalid
from common.roles import me

NOT_KEPT = gettext_noop("this item was submitted meanwhile or is no longer yours. Load the page again")
ELSEWHERE = gettext_noop("another window of yours holds something else. Both are shown above; choose there")


@login_required
@require_POST
def draft(request: HtmxRequest, pk: int) -> HttpResponse:
    """Store what was typed so far, or delete it. The reply says when it was stored, or why it was not."""
    assignment = get_assignment(request.user, pk)
    assert assignment.annotator is not None  # noqa: S101 - get_assignment asked for one
    if "discard" in request.POST:
        drafts.discard(assignment, assignment.annotator)
        return redirect(assignment)
    if "keep" in request.POST:
        return keep(request, assignment, assignment.annotator)
    now, revision = timezone.now(), request.POST.get("revision", "")[:9]
    seen = int(revision) if revision.isdecimal() else 0
    try:
        if drafts.save(assignment, assignment.annotator, request.POST, seen=seen, now=now):
            saved = assignment.draft_saved or now
            return JsonResponse({"saved": saved.isoformat()})
    except Invalid as error:
        return JsonResponse({"error": str(error)}, status=422)
    except conflicts.WindowConflict:
        return refused(request, assignment, assignment.annotator, None)
    current = item_page.judged_at(assignment, assignment.annotator)
    elsewhere = current is not None and current.revision > seen and assignment.item.kind != Kind.PRACTICE
    return refused(
        request, assignment, assignment.annotator, current, shown=elsewhere and assignment.study.is_open
    )


def refused(
    request: HtmxRequest,
    assignment: Assignment,
    reader: Enrolment,
    judged: Judgment | None,
    *,
    shown: bool = True,
) -> HttpResponse:
    """Reply 409, with both windows' answers for the page to show where the reader has something to choose."""
    if not shown:
        return JsonResponse({"error": _(NOT_KEPT)}, status=409)
    study = assignment.study
    context = {"assignment": assignment, "study": study, "task": study.task_type, "sent": request.POST}
    context |= {"both": item_page.both_windows(assignment, reader, request.POST, judged), "of_draft": True}
    page = render(request, "annotation/conflict.html", context).text
    known = "" if judged else assignment.draft.get(conflicts.VERSION, "")
    revision = judged.revision if judged else request.POST.get("revision", "")
    said = {"error": _(ELSEWHERE), "both": page, "known": known, "revision": revision}
    return JsonResponse(said, status=409)


def keep(request: HtmxRequest, assignment: Assignment, reader: Enrolment) -> HttpResponse:
    """Store what the reader chose between two windows as the draft from here on, with the notes of both.

    `keep` says whose answer: "here", "other", or "answer": the other's, from a form with the texts of both.
    """
    current = item_page.judged_at(assignment, reader)
    revision = current.revision if current else 0
    stored, here = drafts.typed_fields(assignment), request.POST.dict()
    # What the other window holds: its draft, else what it submitted.
    other = stored or (conflicts.state_of_judgment(current).texts if current else {})
    notes = conflicts.typed_texts(here)
    if here["keep"] != "answer":
        notes = conflicts.merged_notes(conflicts.typed_texts(other), notes)
    if here["keep"] != "here" and notes == conflicts.typed_texts(other):
        # Nothing was typed here that is not there.
        return redirect(assignment)
    kept = here if here["keep"] == "here" else stored
    words = {name: value for name, value in kept.items() if name not in conflicts.TEXTS} | notes
    words |= {conflicts.KNOWN: here.get(conflicts.KNOWN, ""), conflicts.VERSION: conflicts.new_version()}
    same, error = here.get("revision", "") == str(revision), None
    try:
        if same and drafts.save(assignment, reader, words, seen=revision, now=timezone.now()):
            return redirect(assignment)
    except Invalid as refused:
        said = _("{refusal} Shorten it below, then choose again.").format(
            refusal=f"{str(refused).rstrip('.')}."
        )
        error = Invalid(said, refused.field)
    except conflicts.WindowConflict:
        pass
    return show_conflict(request, assignment, reader, current, judged=not same, error=error)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def preferences(request: HttpRequest) -> HttpResponse:
    """Show and store how the text looks and which keys do what, for this person on every machine."""
    form = PreferencesForm(request.POST if request.method == "POST" else None, user=me(request))
    by_script = request.headers.get("Accept") == "application/json"
    if request.method == "POST" and form.is_valid():
        stored = form.save()
        if by_script:
            return HttpResponse(status=204)
        # What is said of it is in the language that was just chosen.
        translation.activate(language_of(stored, request))
        messages.success(request, _("Saved, for every machine you sign in on."))
        return redirect("annotation:preferences")
    if by_script:
        return JsonResponse({"error": form.errors}, status=422)
    status = 422 if request.method == "POST" else 200
    return render(request, "annotation/preferences.html", {"form": form}, status=status)
