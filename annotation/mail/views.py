"""A reader's own say on e-mail: with an account, and with nothing but the link in a message."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from annotation.access import get_enrolment
from annotation.mail import stopping
from annotation.mail.forms import OwnMailForm
from annotation.models import Role
from common.roles import me

READS_OR_POSTS = ["GET", "HEAD", "POST"]


@login_required
@require_http_methods(READS_OR_POSTS)
def own_mail(request: HttpRequest, slug: str) -> HttpResponse:
    """Show and store a reader's address, and whether they are written to about this study."""
    reader, user = get_enrolment(request.user, slug), me(request)
    if reader.role != Role.ANNOTATOR:
        raise Http404
    wanted = not user.email or not stopping.stopped(reader.study, user.email)
    form = OwnMailForm(request.POST or None, initial={"address": user.email, "wanted": wanted})
    if request.method == "POST" and form.is_valid():
        user.email = form.cleaned_data["address"]
        user.save(update_fields=["email"])
        say = stopping.go_on if form.cleaned_data["wanted"] else stopping.stop_for
        if user.email:
            say(reader.study, user.email)
        messages.success(request, "Saved.")
        return redirect("annotation:begin", slug)
    status = 422 if request.method == "POST" else 200
    return render(request, "annotation/mail/own.html", {"study": reader.study, "form": form}, status=status)


@csrf_exempt  # The button of a mail program is pressed on another site; all it can do is to stop e-mail.
@never_cache
@require_http_methods(READS_OR_POSTS)
def stop_mail(request: HttpRequest, token: str) -> HttpResponse:
    """Show the one button that stops e-mail of a study; stop it, also for a mail program that posts here."""
    what = stopping.read(token)
    if what is None:
        raise Http404
    if request.method == "POST":
        stopping.stop(what)
    context = {"study": what.study, "stopped": request.method == "POST"}
    return render(request, "annotation/mail/stop.html", context)
