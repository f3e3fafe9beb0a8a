"""Invitation links into a study: made and revoked."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone

from annotation.manage.forms.studies import InvitationForm
from annotation.manage.frame import frame, me, reads_or_posts, require_POST, researcher_of_study
from annotation.models import Invitation, Letter, RecruitingService, Role, State, Study
from annotation.people import enrolments
from common.errors import BadInput

SHOWN = 50
"""Links on the page: the latest. Older ones are long used up or expired."""


class Link(NamedTuple):
    """An invitation as the page shows it.

    invitation: the invitation.
    role: as what it lets people in, in words.
    state: whether it lets anybody in, and why not, in words.
    address: its link; empty where it lets nobody in any more.
    """

    invitation: Invitation
    role: str
    state: str
    address: str


@reads_or_posts
@researcher_of_study
def invite(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the links into this study and the form for a new one; make one."""
    form = InvitationForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            enrolments.invite(study, **form.cleaned_data, by=me(request), now=timezone.now())
        except BadInput as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, "The link is made: copy it and send it.")
            return redirect("annotation:invite", study.slug)
    now, ordinary = timezone.now(), study.invitations.filter(service=None, letter=None)
    links = [link(request, each, study, now) for each in ordinary.order_by("-pk")[:SHOWN]]
    # Those that still let somebody in come first.
    links.sort(key=lambda each: not each.address)
    context = frame(study, "invite", form=form, links=links)
    status = 422 if request.method == "POST" else 200
    return render(request, "annotation/manage/invite.html", context, status=status)


def link(request: HttpRequest, invitation: Invitation, study: Study, now: datetime) -> Link:
    """Return an invitation as the page shows it."""
    path = enrolments.address(enrolments.link(invitation))
    valid = invitation.is_valid(now) and study.state != State.CLOSED
    address = request.build_absolute_uri(path) if valid else ""
    role = InvitationForm.NAMES[Role(invitation.role)]
    return Link(invitation, role, state(invitation, study, now), address)


def state(invitation: Invitation, study: Study, now: datetime) -> str:
    """Return in words whether a link lets people in, and why not."""
    if invitation.revoked is not None:
        return "Withdrawn"
    if invitation.used >= invitation.seats:
        return "Used up"
    if invitation.expires <= now:
        return "Expired"
    return "Study closed" if study.state == State.CLOSED else "Valid"


@require_POST
@researcher_of_study
def revoke(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Withdraw a link. Who came by it stays."""
    invitation = get_object_or_404(study.invitations, pk=pk)
    if enrolments.revoke(invitation, by=me(request), now=timezone.now()):
        messages.success(request, "The link is withdrawn. Who has joined by it stays in the study.")
    if Letter.objects.filter(invitation=invitation).exists():
        return redirect("annotation:mail", study.slug)
    for_service = RecruitingService.objects.filter(invitation=invitation).exists()
    return redirect("annotation:recruiting" if for_service else "annotation:invite", study.slug)
