"""The annotator's pages: join, begin, read and judge, look back.

GET changes nothing; every change is a POST that works without JavaScript and then
redirects. Under htmx the same POST answers with the next item instead.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.middleware import HtmxDetails

from annotation import people, reading
from annotation.access import get_assignment, get_enrolment, get_place
from annotation.assignment import mark_opened, next_place, put_off, remaining
from annotation.forms import JoinForm, JudgmentForm
from annotation.judging import Late, Stale, submit
from annotation.models import Assignment, Enrolment, Invitation, Place, Role
from annotation.tasktypes.base import Invalid
from retrieval.engine.errors import BadInput

PAGE = "annotation/work.html"
ROWS = 50


class HtmxRequest(HttpRequest):
    """The request as the middleware of django-htmx leaves it."""

    htmx: HtmxDetails


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def work(request: HtmxRequest, pk: int) -> HttpResponse:
    """One item: shown, or judged."""
    if request.method == "POST":
        return judge(request, pk)
    assignment = get_assignment(request.user, pk)
    assert assignment.annotator is not None  # noqa: S101 - get_assignment asked for one
    return render(request, PAGE, reading.item_context(assignment, assignment.annotator))


def judge(request: HtmxRequest, pk: int) -> HttpResponse:
    """Take an answer and go on to the next item; show the item again where that cannot be."""
    assignment, enrolment = get_place(request.user, pk)
    form = JudgmentForm(request.POST, assignment=assignment)
    now = timezone.now()
    try:
        judgment = submit(assignment, enrolment, form.read(), now=now)
    except Invalid as error:
        chosen = reading.chosen_on(form, assignment)
        context = reading.item_context(assignment, enrolment, form=form, error=error, chosen=chosen)
        return show(request, context, status=422)
    except Stale as error:
        return show_current(request, assignment, enrolment, str(error))
    except Late as error:
        context = {"study": enrolment.study, "message": str(error)}
        return show(request, context, page="annotation/late.html", status=409)
    return go_on(request, enrolment, f"Saved, revision {judgment.revision}.")


def show_current(
    request: HtmxRequest, assignment: Assignment, enrolment: Enrolment, message: str
) -> HttpResponse:
    """409: what is stored now, with what the reader had typed kept in the form."""
    place = Assignment.objects.filter(item=assignment.item_id, annotator=enrolment)
    place = place.select_related("item", "study", "annotator")
    own = place.first()
    if own is None:
        raise Http404
    context = reading.item_context(own, enrolment, error=Invalid(message))
    context["form"] = JudgmentForm.blank(own, context["current"], note=request.POST.get("note", ""))
    return show(request, context, status=409)


def show(
    request: HtmxRequest, context: dict[str, Any], *, page: str = PAGE, status: int = 200
) -> HttpResponse:
    """The whole page, or under htmx what goes into its <main>."""
    return render(request, f"{page}#task" if request.htmx else page, context, status=status)


def go_on(request: HtmxRequest, enrolment: Enrolment, said: str) -> HttpResponse:
    """To the next item for this reader, or to the page that says why there is none."""
    now = timezone.now()
    place = next_place(enrolment, now=now)
    if place is None or not mark_opened(place, now=now):
        return redirect("annotation:done", enrolment.study.slug)
    if not request.htmx:
        return redirect(place)
    response = show(request, {**reading.item_context(place, enrolment), "said": said})
    response["HX-Push-Url"] = place.get_absolute_url()
    return response


@login_required
@require_POST
def later(request: HtmxRequest, pk: int) -> HttpResponse:
    """Put an item off. Nothing is judged, and it comes back when nothing new is left."""
    assignment, enrolment = get_place(request.user, pk)
    if assignment.annotator_id == enrolment.pk and assignment.status == Place.HELD:
        put_off(assignment, now=timezone.now())
    return go_on(request, enrolment, "Put off for later.")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def begin(request: HtmxRequest, slug: str) -> HttpResponse:
    """What the study asks, with the button that gives the first or the next item."""
    enrolment = get_enrolment(request.user, slug)
    if request.method == "POST":
        return go_on(request, enrolment, "")
    study = enrolment.study
    context = {
        "study": study,
        "progress": remaining(enrolment),
        "left": reading.something_left(enrolment, timezone.now()),
        "reads": enrolment.role == Role.ANNOTATOR,
        "guideline": study.latest_guideline(),
    }
    return render(request, "annotation/begin.html", context)


@login_required
@require_safe
def done(request: HttpRequest, slug: str) -> HttpResponse:
    """What this reader has done, each with the way back to it, and whether anything is left."""
    enrolment = get_enrolment(request.user, slug)
    page = Paginator(reading.own_judgments(enrolment), ROWS).get_page(request.GET.get("page"))
    context = {
        "study": enrolment.study,
        "progress": remaining(enrolment),
        "left": reading.something_left(enrolment, timezone.now()),
        "because": reading.why_nothing_left(enrolment),
        "page": page,
        "readings": reading.numbered(enrolment, page),
    }
    return render(request, "annotation/done.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, token: str) -> HttpResponse:
    """Take up an invitation, with the account one is signed in to or with a new one."""
    invitation = people.read(token)
    if invitation is None:
        raise Http404
    form = None if request.user.is_authenticated else JoinForm(request.POST or None)
    refused = ""
    if request.method == "POST" and (form is None or form.is_valid()):
        try:
            return taken_up(request, invitation, form)
        except BadInput as error:
            refused = str(error)
    context = {
        "invitation": invitation,
        "study": invitation.study,
        "form": form,
        "refused": refused,
        "valid": invitation.is_valid(timezone.now()),
    }
    status = 422 if request.method == "POST" else 200
    return render(request, "annotation/join.html", context, status=status)


def taken_up(request: HttpRequest, invitation: Invitation, form: JoinForm | None) -> HttpResponse:
    """Enrol, making the account first where there is none: both or neither. Raises `BadInput`."""
    with transaction.atomic():
        user = form.save() if form is not None else request.user
        assert isinstance(user, User)  # noqa: S101 - the form is left out for signed-in people only
        enrolment = people.accept(invitation, user, timezone.now())
    if form is not None:
        login(request, user, backend="django.contrib.auth.backends.ModelBackend")
    if enrolment.role == Role.RESEARCHER:
        return redirect(invitation.study)
    return redirect("annotation:begin", invitation.study.slug)
