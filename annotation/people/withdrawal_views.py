"""Withdrawing from a study: the reader's own page for it."""

from __future__ import annotations

from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotation.access import get_enrolment
from annotation.models import Role
from annotation.people import withdrawal
from annotation.people.recruiting import arriving, ending
from common.errors import BadInput

PAGE = "annotation/withdraw.html"


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def withdraw(request: HttpRequest, slug: str) -> HttpResponse:
    """Say what withdrawing means; once the pseudonym is typed, do it and show the last page."""
    enrolment = get_enrolment(request.user, slug)
    if enrolment.role == Role.RESEARCHER:
        raise Http404
    context = {
        "study": enrolment.study,
        "enrolment": enrolment,
        "keeps": withdrawal.keeps_judgments(enrolment),
    }
    if request.method != "POST":
        return render(request, PAGE, context)
    try:
        confirm(request, enrolment.pseudonym)
        back = ending.way_back(enrolment, ending.Ended.LEFT)
        done = withdrawal.erase(enrolment, now=timezone.now())
    except BadInput as error:
        return render(request, PAGE, {**context, "error": str(error)}, status=422)
    if done.account:
        logout(request)
    else:
        request.session.pop(arriving.SESSION, None)
    said = {"study": enrolment.study, "done": done, "way_back": back}
    return render(request, "annotation/withdrawn.html", said)


def confirm(request: HttpRequest, pseudonym: str) -> None:
    """Raise `BadInput` unless the pseudonym was typed: this cannot be undone."""
    if request.POST.get("pseudonym", "").strip() != pseudonym:
        said = _("Nothing was changed. Type {pseudonym}, the pseudonym, to go on.")
        raise BadInput(said.format(pseudonym=pseudonym))
