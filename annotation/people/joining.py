"""Joining a study by an invitation link, `/join/#CODE`.

Whoever knows the code may take a seat, so that it must stand in no log (`link_codes.py`). To bring it takes
no seat: that is the button of the invitation's own page.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth import login
from django.contrib.auth.forms import UserCreationForm
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe

from annotation.models import Invitation, RecruitingService, Role, State
from annotation.people import enrolments
from annotation.people.recruiting import arriving
from common.errors import BadInput
from common.link_codes import bring, has_brought

BROUGHT = "invitations"


class JoinForm(UserCreationForm):  # type: ignore[type-arg]
    """An account for somebody who comes by an invitation link."""

    class Meta:
        model = User
        fields = ("username", "first_name", "email")
        labels = {
            "username": gettext_lazy("User name"),
            "first_name": gettext_lazy("What shall we call you?"),
            "email": gettext_lazy("E-mail"),
        }
        help_texts = {
            "username": gettext_lazy("You sign in with it. Letters, digits and @ . + - _"),
            "first_name": gettext_lazy(
                "How this site addresses you. The study’s data carry a letter instead of a name."
            ),
            "email": gettext_lazy(
                "To tell you when the study opens or a note of yours is answered. No researcher "
                "sees it, and one click stops it."
            ),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["email"].error_messages["invalid"] = _("Write an address such as name@example.org.")
        self.fields["password1"].help_text = _("At least 10 characters, and not one of the common ones.")
        self.fields["password2"].label = _("The same password again")
        self.fields["password2"].help_text = ""


@sensitive_post_parameters()
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest) -> HttpResponse:
    """Take the code of an invitation, from the address by a script or pasted, and lead to its page."""
    refused = ""
    if request.method == "POST":
        arrival = arriving.read_link(request.POST.get("token", ""))
        invitation = enrolments.read(arrival.code)
        if invitation is not None:
            bring(request, BROUGHT, invitation.pk)
            arriving.remember(request, invitation, arrival)
            return redirect("annotation:invited", invitation.pk)
        refused = _(
            "No study invites by this link. Perhaps it was cut off when it was copied: paste the whole "
            "of it, or ask whoever sent it for a new one."
        )
    context = {"title": _("Join a study"), "link_to": reverse("annotation:join"), "refused": refused}
    return render(request, "registration/link.html", context, status=422 if refused else 200)


@require_safe
def join_by_path(request: HttpRequest, token: str) -> HttpResponse:
    """Redirect links of an earlier form, with the code in the path: those that were sent still work."""
    return redirect(enrolments.address(token))


@sensitive_post_parameters()
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def invited(request: HttpRequest, pk: int) -> HttpResponse:
    """Accept an invitation, with the account one is signed in to or with a new one."""
    brought = has_brought(request, BROUGHT, pk)
    invitation = enrolments.invitations().filter(pk=pk).first() if brought else None
    if invitation is None:
        return redirect("annotation:join")
    service, came_as = arriving.service_of(invitation), arriving.remembered(request, invitation)
    form = None if request.user.is_authenticated or service else JoinForm(request.POST or None)
    refused = ""
    if request.method == "POST" and (form is None or form.is_valid()):
        try:
            if service is not None:
                return enter_by_service(request, invitation, service, came_as)
            return accept_invitation(request, invitation, form)
        except BadInput as error:
            refused = str(error)
    context = {
        "invitation": invitation,
        "study": invitation.study,
        "form": form,
        "refused": refused,
        "valid": invitation.is_valid(timezone.now()) and invitation.study.state != State.CLOSED,
        "missing": arriving.missing(service) if service and not came_as else "",
        "service": service,
        "again": bool(service and came_as and arriving.known(invitation, came_as)),
    }
    status = 422 if request.method == "POST" else 200
    return render(request, "annotation/join.html", context, status=status)


def accept_invitation(request: HttpRequest, invitation: Invitation, form: JoinForm | None) -> HttpResponse:
    """Enrol, making the account first where there is none: both or neither. Raises `BadInput`."""
    with transaction.atomic():
        user = form.save() if form is not None else request.user
        assert isinstance(user, User)  # noqa: S101 - the form is left out for signed-in people only
        enrolment = enrolments.accept(invitation, user, timezone.now())
        if form is not None and user.email:
            enrolments.remember_language(user)
    if form is not None:
        login(request, user)
    if enrolment.role == Role.RESEARCHER:
        return redirect(invitation.study)
    return redirect("annotation:begin", invitation.study.slug)


def enter_by_service(
    request: HttpRequest, invitation: Invitation, service: RecruitingService, came_as: str
) -> HttpResponse:
    """Enrol whoever a recruiting service sent, and sign them in. Raises `BadInput`."""
    user = request.user if isinstance(request.user, User) else None
    me = arriving.enter(invitation, service, came_as, user, now=timezone.now())
    if user is None:
        assert me.user is not None  # noqa: S101 - who has withdrawn has no id any more
        login(request, me.user)
    return redirect("annotation:begin", invitation.study.slug)
