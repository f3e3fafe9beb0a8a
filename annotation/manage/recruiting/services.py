"""Links for recruiting services, and the list for payment."""

from __future__ import annotations

from typing import NamedTuple

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone

from annotation.manage.frame import frame, me, reads_or_posts, require_safe, researcher_of_study
from annotation.manage.people import state
from annotation.manage.recruiting import payments
from annotation.manage.recruiting.forms import ServiceForm
from annotation.models import OutsideId, RecruitingService, Role, State, Study
from annotation.people import enrolments
from common.errors import BadInput

PLACES = {"PROLIFIC_PID": "{{%PROLIFIC_PID%}}"}
"""What a service writes where it puts the id, by the name of the parameter."""


class ServiceLink(NamedTuple):
    """A link for a service as the page shows it.

    service: what it takes and gives back.
    state: whether it lets anybody in, and why not, in words.
    address: its link with the place of the id; empty where it lets nobody in any more.
    ends: what readers are shown at the end, as pairs of words and address.
    """

    service: RecruitingService
    state: str
    address: str
    ends: list[tuple[str, str]]


@reads_or_posts
@researcher_of_study
def recruiting(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the links for recruiting services and the form for a new one; make one."""
    form = ServiceForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        said = dict(form.cleaned_data)
        seats, days = said.pop("seats"), said.pop("days")
        try:
            with transaction.atomic():
                made = enrolments.invite(
                    study, role=Role.ANNOTATOR, seats=seats, days=days, by=me(request), now=timezone.now()
                )
                RecruitingService.objects.create(invitation=made, **said)
        except BadInput as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, "The link is made: give it to the service.")
            return redirect("annotation:recruiting", study.slug)
    rows = RecruitingService.objects.filter(invitation__study=study).select_related("invitation")
    links = [service_link(request, each, study) for each in rows.order_by("-pk")]
    people = OutsideId.objects.filter(study=study).count()
    context = frame(study, "recruiting", form=form, links=links, people=people)
    status = 422 if request.method == "POST" else 200
    return render(request, "annotation/manage/recruiting/services.html", context, status=status)


def service_link(request: HttpRequest, service: RecruitingService, study: Study) -> ServiceLink:
    """Return a link as the page shows it. The id stands behind the `#`, which reaches no log."""
    invitation, now = service.invitation, timezone.now()
    address = ""
    if invitation.is_valid(now) and study.state != State.CLOSED:
        path = enrolments.address(enrolments.link(invitation))
        place = PLACES.get(service.parameter, "ID")
        address = f"{request.build_absolute_uri(path)}?{service.parameter}={place}"
    ends = [
        ("has done all", service.completed),
        ("was screened out", service.screened),
        ("stopped", service.left),
    ]
    return ServiceLink(service, state(invitation, study, now), address, [each for each in ends if each[1]])


@require_safe
@researcher_of_study
def payment_list(request: HttpRequest, study: Study) -> HttpResponseBase:
    """Send the list for payment, by outside id."""
    encoded = (line.encode() for line in payments.lines(study, timezone.now()))
    response = StreamingHttpResponse(encoded, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-payment.csv"'
    return response
