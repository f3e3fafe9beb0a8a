"""Studies: the list, the builder, the page of one, opening and closing."""

from __future__ import annotations

from secrets import randbelow
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from annotation.access import studies_for
from annotation.manage.forms.studies import StudyForm
from annotation.manage.frame import (
    frame,
    me,
    reads_or_posts,
    require_safe,
    researcher_of_study,
    researcher_required,
)
from annotation.models import Role, State, Study
from annotation.studies import overview
from annotation.studies.build import Built, build_study, make_draft
from annotation.studies.lifecycle import close_study, open_study
from annotation.studies.readiness import readiness_of
from annotation.studies.running.stopping import met_in
from annotation.studies.trash import restorable_until, trashed_for
from annotation.tasktypes.base import Invalid
from common.errors import BadInput
from common.wording import counted

ROWS = 50
SEEDS = 1_000_000
"""A seed is drawn below this: short enough to be copied by hand."""
OVERLAP = 3
"""Readings of each item, until the study is set up otherwise."""


@require_safe
@researcher_required
def studies(request: HttpRequest) -> HttpResponse:
    """Show the studies this person directs."""
    rows = overview.with_counts(studies_for(request.user))
    context = {
        "page": Paginator(rows, ROWS).get_page(request.GET.get("page")),
        "builds": me(request).has_perm("annotation.add_study"),
        "away": [(each, restorable_until(each)) for each in trashed_for(me(request))[:ROWS]],
    }
    return render(request, "annotation/manage/studies.html", context)


@reads_or_posts
@researcher_required
def build(request: HttpRequest) -> HttpResponse:
    """Show the form for a new draft; make one, from a finished job or without items."""
    if not me(request).has_perm("annotation.add_study"):
        raise Http404
    form = StudyForm(request.POST or None, initial={"job": request.GET.get("job")})
    if request.method == "POST" and form.is_valid():
        study = drafted(form, request)
        if study is not None:
            return redirect("annotation:setup", study.slug)
    status = 422 if request.method == "POST" else 200
    return render(request, "annotation/manage/build.html", {"form": form}, status=status)


def drafted(form: StudyForm, request: HttpRequest) -> Study | None:
    """Make the draft of a form; return None, with the reason at its field, where that cannot be."""
    said, seed = form.cleaned_data, randbelow(SEEDS)
    about = {name: said[name] for name in ("slug", "title", "task")}
    try:
        if said["job"] is None:
            study = make_draft(**about, overlap=OVERLAP, seed=seed, by=me(request))
            messages.success(request, "The draft is made. Its items come next.")
            return study
        asked = {name: said[name] for name in ("job", "beyond")}
        built = build_study(**about, **asked, overlap=OVERLAP, seed=seed, by=me(request))
    except (BadInput, Invalid) as error:
        field = getattr(error, "field", "")
        form.add_error(field if field in form.fields else None, str(error))
        return None
    messages.success(request, built_in_words(built))
    return built.study


def built_in_words(built: Built) -> str:
    """Return what was built, and what of the job was left out."""
    left_out = ", ".join(f"{reason} ({times})" for reason, times in built.left_out.most_common())
    without = f" Left out: {left_out}." if left_out else ""
    return f"The draft is made: {counted(built.items, 'item')}.{without}"


@require_safe
@researcher_of_study
def study(request: HttpRequest, study: Study) -> HttpResponse:
    """Show one study: its state, how far its readers are, and what is fixed."""
    people, n_items = overview.readers(study), study.items.work().filter(retired=None).count()
    draft = study.state == State.DRAFT
    # A draft has no assignments yet: they are not looked for.
    n = overview.AssignmentCounts(0, 0, 0, 0) if draft else overview.assignment_counts(study)
    job = overview.finished_jobs().filter(studies=study).first()
    context = frame(
        study,
        "study",
        simulated=any(each.simulated for each in people),
        n_items=n_items,
        readings=n,
        state=overview.state_sentence(study, n),
        readers=[each for each in people if each.role != Role.RESEARCHER],
        researchers=[each for each in people if each.role == Role.RESEARCHER],
        job=job,
        job_label=overview.job_label(job) if job else "",
        n_notes=0 if draft else overview.notes(study).count(),
    )
    if draft:
        context["readiness"] = readiness_of(study)
    else:
        context["rule_met"] = met_in(study) if study.stop_measure else None
        context["spread"] = overview.items_by_readings(study)
    return render(request, "annotation/manage/study.html", context)


@reads_or_posts
@researcher_of_study
def open_page(request: HttpRequest, study: Study) -> HttpResponse:
    """Ask once more, then let readers in."""
    if request.method == "POST":
        try:
            open_study(study, by=me(request), now=timezone.now())
        except BadInput as error:
            return confirm_open(request, study, error=str(error))
        messages.success(request, "The study is open: your readers can begin.")
        return redirect(study)
    return confirm_open(request, study)


def confirm_open(request: HttpRequest, study: Study, error: str = "") -> HttpResponse:
    """Ask whether to open the study, or say why that failed."""
    context: dict[str, Any] = {"n_items": study.items.work().filter(retired=None).count(), "error": error}
    if study.state == State.DRAFT:
        context["readiness"] = readiness_of(study)
    page = "annotation/manage/open.html"
    return render(request, page, frame(study, "study", **context), status=409 if error else 200)


@reads_or_posts
@researcher_of_study
def close(request: HttpRequest, study: Study) -> HttpResponse:
    """Ask once more, then let nobody submit any more."""
    error = ""
    if request.method == "POST":
        try:
            close_study(study, by=me(request), now=timezone.now())
        except BadInput as refused:
            error = str(refused)
        else:
            messages.success(request, "The study is closed. What was said stays.")
            return redirect(study)
    context = frame(study, "study", readings=overview.assignment_counts(study), error=error)
    return render(request, "annotation/manage/close.html", context, status=409 if error else 200)
