"""Who is in a study, as what; and letting them in, out, and past the practice."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone

from annotation.manage.forms.studies import InvitationForm
from annotation.manage.frame import frame, me, require_POST, require_safe, researcher_of_study
from annotation.models import Enrolment, EnrolmentState, Role, Study
from annotation.people import leaving
from annotation.people.practising import standings
from common.errors import BadInput

ROLES = [(role.value, name) for role, name in InvitationForm.NAMES.items()]


@require_safe
@researcher_of_study
def people(request: HttpRequest, study: Study) -> HttpResponse:
    """Show everybody in the study under their pseudonym, with what can be done about them."""
    own = study.enrolments.filter(user=me(request)).values_list("pseudonym", flat=True).first()
    everybody = study.enrolments.order_by("pk")
    context = frame(study, "people", people=everybody, roles=ROLES, own=own, practice=standings(study))
    return render(request, "annotation/manage/people.html", context)


@require_POST
@researcher_of_study
def act(request: HttpRequest, study: Study, pseudonym: str) -> HttpResponse:
    """Do one thing about one person: `role`, `remove`, `let_in` or `let_begin`, as the button says."""
    present = study.enrolments.exclude(state=EnrolmentState.WITHDRAWN)
    person = get_object_or_404(present, pseudonym=pseudonym)
    try:
        messages.success(request, apply_act(request, person))
    except BadInput as error:
        messages.error(request, str(error))
    if person.user_id == request.user.pk and not still_directs(person):
        return redirect("home")
    on_watch = request.POST.get("from") == "watch"
    return redirect("evaluation:watch" if on_watch else "annotation:people", study.slug)


def apply_act(request: HttpRequest, person: Enrolment) -> str:
    """Do what was asked, and return it in words. Raises `BadInput` where it cannot be done."""
    by, act, was = me(request), request.POST.get("act", ""), person.pseudonym
    if act == "role":
        now = leaving.change_role(person, request.POST.get("role", ""), by=by)
        return f"{was} takes part as {now.get_role_display().lower()} now, under the name {now.pseudonym}."
    if act == "remove":
        leaving.leave(person, by=by)
        return f"{was} is out of the study. What they said stays; what they held is free for others."
    if act == "let_in":
        leaving.readmit(person, by=by)
        return f"{was} is in again, and goes on where they were."
    if act == "let_begin":
        leaving.skip_practice(person, by=by, now=timezone.now())
        return f"{was} may begin the work."
    raise BadInput("Nothing was done: use one of the buttons.")


def still_directs(person: Enrolment) -> bool:
    """Return whether this person is still an active researcher of the study."""
    person.refresh_from_db()
    return person.role == Role.RESEARCHER and person.state == EnrolmentState.ACTIVE
