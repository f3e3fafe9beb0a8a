"""Pages on a study's life beside opening and closing: reopen, duplicate, delete, restore."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone

from annotation.manage.forms.setup import DuplicateForm
from annotation.manage.frame import frame, me, reads_or_posts, require_POST, researcher_of_study
from annotation.models import Study
from annotation.studies import overview
from annotation.studies.duplicate import duplicate
from annotation.studies.lifecycle import reopen_study
from annotation.studies.trash import DAYS, move_to_trash, restore_from_trash, trashed_for
from common.errors import BadInput


@require_POST
@researcher_of_study
def reopen(request: HttpRequest, study: Study) -> HttpResponse:
    """Let the readers of a closed study in again."""
    try:
        reopen_study(study, by=me(request))
    except BadInput as error:
        messages.error(request, str(error))
    else:
        messages.success(request, "The study is open again: its readers go on where they were.")
    return redirect(study)


@reads_or_posts
@researcher_of_study
def duplicate_study(request: HttpRequest, study: Study) -> HttpResponse:
    """Make a copy of the study, as a draft under another name."""
    form = DuplicateForm.of(study, request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            copy = duplicate(study, **form.cleaned_data, by=me(request))
        except BadInput as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, "The copy is made: a draft without readers.")
            return redirect("annotation:setup", copy.slug)
    context = frame(study, "study", form=form, n_items=study.items.filter(retired=None).count())
    status = 422 if request.method == "POST" else 200
    return render(request, "annotation/manage/duplicate.html", context, status=status)


@reads_or_posts
@researcher_of_study
def delete(request: HttpRequest, study: Study) -> HttpResponse:
    """Move a study to the trash, once its short name is typed."""
    error = ""
    if request.method == "POST":
        try:
            move_to_trash(study, typed=request.POST.get("name", ""), by=me(request), now=timezone.now())
        except BadInput as refused:
            error = str(refused)
        else:
            messages.success(request, f"“{study.title}” is put away. It can be brought back for {DAYS} days.")
            return redirect("annotation:studies")
    context = frame(study, "study", readings=overview.assignment_counts(study), days=DAYS, error=error)
    return render(request, "annotation/manage/delete.html", context, status=422 if error else 200)


@require_POST
@login_required
def restore(request: HttpRequest, slug: str) -> HttpResponse:
    """Restore a study from the trash. Others' studies, and those that are gone, are a 404."""
    study = get_object_or_404(trashed_for(me(request)), slug=slug)
    try:
        restore_from_trash(study, by=me(request), now=timezone.now())
    except BadInput as error:
        messages.error(request, str(error))
        return redirect("annotation:studies")
    messages.success(request, "The study is back, with everything that was in it.")
    return redirect(study)
