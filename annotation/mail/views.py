"""A reader's own say on e-mail: with an account, and with nothing but the link in a message."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from annotation.access import get_enrolment
from annotation.mail import confirming, stopping
from annotation.mail.forms import OwnMailForm
from annotation.models import Enrolment, Role
from annotation.people import enrolments
from common.roles import me

READS_OR_POSTS = ["GET", "HEAD", "POST"]
STOPPED = gettext_noop(
    "Whoever has this address wants no e-mail of this study. The link at the end of the last e-mail to it "
    "lifts that."
)


@login_required
@require_http_methods(READS_OR_POSTS)
def own_mail(request: HttpRequest, slug: str) -> HttpResponse:
    """Show and store a reader's address, and whether they are written to about this study."""
    reader, user = get_enrolment(request.user, slug), me(request)
    if reader.role != Role.ANNOTATOR:
        raise Http404
    wanted = not user.email or not stopping.stopped(reader.study, user.email)
    form = OwnMailForm(request.POST or None, initial={"address": user.email, "wanted": wanted})
    if request.method == "POST" and form.is_valid() and store(reader, user, form):
        if user.email and not confirming.is_confirmed(user) and settings.MAIL_IS_SENT:
            messages.success(request, _("Saved. Open the link that is sent to this address to confirm it."))
        else:
            messages.success(request, _("Saved."))
        return redirect("annotation:begin", slug)
    status = 422 if request.method == "POST" else 200
    context = {
        "study": reader.study,
        "form": form,
        "unconfirmed": settings.MAIL_IS_SENT and user.email and not confirming.is_confirmed(user),
    }
    return render(request, "annotation/mail/own.html", context, status=status)


def store(reader: Enrolment, user: User, form: OwnMailForm) -> bool:
    """Store what the form says; return False, with the reason in the form, where it cannot be.

    Only the owner of an address may say whether e-mail of the study goes there, and whose it is shows when
    they confirm it.
    """
    study, address, wanted = reader.study, form.cleaned_data["address"], form.cleaned_data["wanted"]
    before, user.email = user.email, address
    own = confirming.is_confirmed(user)
    if wanted and address and not own and stopping.stopped(study, address):
        user.email = before
        form.add_error("address", _(STOPPED))
        return False
    if not wanted and not own:
        # Nothing is sent to it, so that nothing has to be stopped.
        user.email = ""
    user.save(update_fields=["email"])
    if user.email:
        enrolments.remember_language(user)
    if own:
        (stopping.go_on if wanted else stopping.stop_for)(study, address)
    confirming.again(reader, timezone.now())
    return True


@never_cache
@require_http_methods(READS_OR_POSTS)
def confirm_mail(request: HttpRequest, token: str) -> HttpResponse:
    """Show the one button that confirms an address; store that it was pressed. Nobody need sign in."""
    user = confirming.read(token)
    if user is None:
        raise Http404
    if request.method == "POST":
        confirming.confirm(user)
    return render(request, "annotation/mail/confirm.html", {"confirmed": request.method == "POST"})


@csrf_exempt  # The button of a mail program is pressed on another site; all it can do is to stop e-mail.
@never_cache
@require_http_methods(READS_OR_POSTS)
def stop_mail(request: HttpRequest, token: str) -> HttpResponse:
    """Show the one button that stops e-mail of a study; stop it, also for a mail program that posts here.

    Who has the link has the address, and may allow e-mail again.
    """
    what = stopping.read(token)
    if what is None:
        raise Http404
    again = "again" in request.POST
    if request.method == "POST":
        (stopping.lift if again else stopping.stop)(what)
    context = {"study": what.study, "stopped": request.method == "POST" and not again, "again": again}
    return render(request, "annotation/mail/stop.html", context)
