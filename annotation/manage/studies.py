"""Studies: the list, the builder, the page of one, opening and closing."""

from __future__ import annotations

from secrets import randbelow
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import F, Sum
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from annotation import overview
from annotation.access import studies_for
from annotation.assignment import close_study, open_study
from annotation.build import Built, build_study
from annotation.manage.door import directs, frame, me, reads_or_posts, require_safe, researcher_required
from annotation.manage_forms import StudyForm
from annotation.models import Role, State, Study
from annotation.tasktypes.base import Invalid
from retrieval.engine.errors import BadInput
from retrieval.wording import counted

ROWS = 50
SEEDS = 1_000_000
"""A seed is suggested below this: short enough to be copied by hand."""


@require_safe
@researcher_required
def studies(request: HttpRequest) -> HttpResponse:
    """The studies this person directs."""
    rows = overview.listed(studies_for(request.user))
    context = {
        "page": Paginator(rows, ROWS).get_page(request.GET.get("page")),
        "builds": me(request).has_perm("annotation.add_study"),
    }
    return render(request, "annotation/manage/studies.html", context)


@reads_or_posts
@researcher_required
def build(request: HttpRequest) -> HttpResponse:
    """A new study from a finished job."""
    if not me(request).has_perm("annotation.add_study"):
        raise Http404
    form = StudyForm(request.POST or None, initial={"seed": randbelow(SEEDS), "job": request.GET.get("job")})
    if request.method == "POST" and form.is_valid():
        built = built_from(form, request)
        if built is not None:
            messages.success(request, said_of(built))
            return redirect(built.study)
    context = {"form": form, "jobs": overview.finished_jobs().exists()}
    status = 422 if request.method == "POST" else 200
    return render(request, "annotation/manage/build.html", context, status=status)


def built_from(form: StudyForm, request: HttpRequest) -> Built | None:
    """The study, or None with the reason at the field of the form it belongs to."""
    try:
        return build_study(**form.cleaned_data, by=me(request))
    except (BadInput, Invalid) as error:
        field = getattr(error, "field", "")
        form.add_error(field if field in form.fields else None, str(error))
        return None


def said_of(built: Built) -> str:
    """What was built, and what of the job was left out."""
    left_out = ", ".join(f"{reason} ({times})" for reason, times in built.left_out.most_common())
    without = f" Left out: {left_out}." if left_out else ""
    return f"The study is built: {counted(built.items, 'item')}.{without} Look at them, then invite readers."


@require_safe
@directs
def study(request: HttpRequest, study: Study) -> HttpResponse:
    """One study: its state, how far its readers are, and what is fixed."""
    people, n_items = overview.readers(study), study.items.count()
    n = overview.places(study)
    job = overview.finished_jobs().filter(studies=study).first()
    context = frame(
        study,
        "study",
        simulated=any(each.simulated for each in people),
        n_items=n_items,
        places=n,
        state=overview.state_sentence(study, n),
        readers=[each for each in people if each.role != Role.RESEARCHER],
        researchers=[each for each in people if each.role == Role.RESEARCHER],
        job=job,
        job_label=overview.job_label(job) if job else "",
        n_notes=overview.notes(study).count(),
    )
    if study.state == State.DRAFT:
        context["readiness"] = ready(study, people, n_items)
    else:
        context["spread"] = overview.spread(study)
    return render(request, "annotation/manage/study.html", context)


def ready(study: Study, people: list[overview.Reader], n_items: int) -> overview.Readiness:
    valid = study.invitations.filter(role=Role.ANNOTATOR, revoked=None, expires__gt=timezone.now())
    seats = valid.aggregate(n=Sum(F("seats") - F("used")))["n"] or 0
    told = study.latest_guideline() is not None
    return overview.readiness(study, people, n_items=n_items, told=told, seats=seats)


@reads_or_posts
@directs
def open_it(request: HttpRequest, study: Study) -> HttpResponse:
    """Asked once more, then readers are let in."""
    if request.method == "POST":
        try:
            open_study(study, by=me(request), now=timezone.now())
        except BadInput as error:
            return confirm_open(request, study, error=str(error))
        messages.success(request, "The study is open: your readers can begin.")
        return redirect(study)
    return confirm_open(request, study)


def confirm_open(request: HttpRequest, study: Study, error: str = "") -> HttpResponse:
    context: dict[str, Any] = {"n_items": study.items.count(), "error": error}
    if study.state == State.DRAFT:
        context["readiness"] = ready(study, overview.readers(study), context["n_items"])
    page = "annotation/manage/open.html"
    return render(request, page, frame(study, "study", **context), status=409 if error else 200)


@reads_or_posts
@directs
def close(request: HttpRequest, study: Study) -> HttpResponse:
    """Asked once more, then nobody can submit any more."""
    error = ""
    if request.method == "POST":
        try:
            close_study(study, by=me(request), now=timezone.now())
        except BadInput as refused:
            error = str(refused)
        else:
            messages.success(request, "The study is closed. What was said stays.")
            return redirect(study)
    context = frame(study, "study", places=overview.places(study), error=error)
    return render(request, "annotation/manage/close.html", context, status=409 if error else 200)
