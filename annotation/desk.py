"""What lies on a reader's desk beside the item: drafts, and how one likes to read.

Called by the page's own script and, as plain buttons, without any.
"""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from annotation import drafts
from annotation.access import get_assignment
from annotation.preferences import PreferencesForm
from annotation.tasktypes.base import Invalid
from retrieval.roles import me

NOT_KEPT = "this item was submitted meanwhile or is no longer yours. Load the page again"


@login_required
@require_POST
def draft(request: HttpRequest, pk: int) -> HttpResponse:
    """Keep what was typed so far, or throw it away. The reply says when it was kept, or why it was not."""
    assignment = get_assignment(request.user, pk)
    assert assignment.annotator is not None  # noqa: S101 - get_assignment asked for one
    if "discard" in request.POST:
        drafts.discard(assignment, assignment.annotator)
        return redirect(assignment)
    now, seen = timezone.now(), request.POST.get("revision", "")[:9]
    try:
        kept = drafts.save(
            assignment, assignment.annotator, request.POST, seen=int(seen) if seen.isdecimal() else 0, now=now
        )
    except Invalid as error:
        return JsonResponse({"error": str(error)}, status=422)
    if not kept:
        return JsonResponse({"error": NOT_KEPT}, status=409)
    return JsonResponse({"saved": now.isoformat()})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def preferences(request: HttpRequest) -> HttpResponse:
    """How the text looks and which keys do what, for the signed-in person on every machine."""
    form = PreferencesForm(request.POST if request.method == "POST" else None, user=me(request))
    by_script = request.headers.get("Accept") == "application/json"
    if request.method == "POST" and form.is_valid():
        form.save()
        if by_script:
            return HttpResponse(status=204)
        messages.success(request, "Saved, for every machine you sign in on.")
        return redirect("annotation:preferences")
    if by_script:
        return JsonResponse({"error": form.errors}, status=422)
    status = 422 if request.method == "POST" else 200
    return render(request, "annotation/preferences.html", {"form": form}, status=status)
