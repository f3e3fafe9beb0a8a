"""Pages before the work: consent, practice with its feedback, guidelines that have changed."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.access import get_assignment, get_enrolment
from annotation.assignment import consents, practice
from annotation.assignment.claiming import order_at
from annotation.models import Kind
from annotation.people.recruiting import ending
from annotation.reading.views import HtmxRequest, go_on
from annotation.studies import guidelines
from common.errors import BadInput


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def consent(request: HtmxRequest, slug: str) -> HttpResponse:
    """Show what the reader agrees to, and take their answer. It stays here to be read again."""
    me = get_enrolment(request.user, slug)
    text = me.study.latest_consent()
    if text is None:
        return redirect("annotation:begin", slug)
    error = ""
    if request.method == "POST":
        try:
            version = int(request.POST.get("version", ""))
            if request.POST.get("answer") == "agree":
                consents.agree(me, version, now=timezone.now())
                return go_on(request, me, "")
            consents.decline(me, version)
            return redirect("annotation:declined", slug)
        except (BadInput, ValueError) as refused:
            error = str(refused) if isinstance(refused, BadInput) else _("Please use the buttons below.")
    context = {
        "study": me.study,
        "me": me,
        "consent": text,
        "asked": consents.consent_to_ask(me),
        "error": error,
    }
    return render(request, "annotation/consent.html", context, status=422 if error else 200)


@login_required
@require_safe
def declined(request: HttpRequest, slug: str) -> HttpResponse:
    """Thank somebody who did not agree, with the way back."""
    me = get_enrolment(request.user, slug)
    if consents.consent_to_ask(me) is None:
        return redirect("annotation:begin", slug)
    said = {"study": me.study, "way_back": ending.way_back(me, ending.Ended.LEFT)}
    return render(request, "annotation/declined.html", said)


@login_required
@require_safe
def feedback(request: HttpRequest, pk: int) -> HttpResponse:
    """Show after a practice answer whether it was right, what is, and why."""
    assignment = get_assignment(request.user, pk)
    judgment = assignment.judgments.order_by("revision").first()
    if assignment.item.kind != Kind.PRACTICE or judgment is None or assignment.annotator is None:
        raise Http404
    me, study = assignment.annotator, assignment.study
    order, task = order_at(assignment, me), study.task_type
    context = {
        "assignment": assignment,
        "study": study,
        "me": me,
        "item": assignment.item,
        "judgment": judgment,
        "shown": task.present(assignment.item.payload, order),
        "chosen": assignment.item.gold and task.as_shown(assignment.item.gold, order),
        "more": practice.next_item(me) is not None,
        **practice.feedback(judgment)._asdict(),
    }
    return render(request, "annotation/feedback.html", context)


@login_required
@require_POST
def guidelines_read(request: HttpRequest, slug: str) -> HttpResponse:
    """Store that the reader has read the guidelines as they are now."""
    me = get_enrolment(request.user, slug)
    guidelines.mark_seen(me, request.POST.get("version", ""))
    if request.headers.get("HX-Request") == "true":
        return HttpResponse()
    messages.success(request, _("Thank you: you have the guidelines as they are now."))
    return redirect("annotation:begin", slug)
