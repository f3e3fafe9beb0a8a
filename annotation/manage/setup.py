"""Setting a study up, step by step, and looking afterwards at how it is set up."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from django.contrib import messages
from django.contrib.auth.models import User
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from annotation.items.files import entries
from annotation.items.lines import LONGEST_EXPLANATION
from annotation.items.payloads import add_payloads
from annotation.judging.submissions import checked_text
from annotation.manage.forms.setup import ConsentForm, FileForm, JobForm, PoolForm
from annotation.manage.forms.steps import STEPS, noted
from annotation.manage.frame import frame, me, reads_or_posts, require_POST, require_safe, researcher_of_study
from annotation.manage.steps import steps
from annotation.models import Kind, State, Study
from annotation.studies import consent_texts, overview
from annotation.studies.build import add_from_job, take_items_out
from annotation.studies.lifecycle import in_kinds
from annotation.studies.pools import add_pool
from annotation.studies.readiness import readiness_of
from annotation.tasktypes.base import Invalid
from common.errors import BadInput
from common.wording import counted


@require_safe
@researcher_of_study
def setup(request: HttpRequest, study: Study) -> HttpResponse:
    """Show everything that is set up for this study, what is missing, and the way to each."""
    ready = readiness_of(study)
    context = frame(study, "setup", steps=steps(study, ready.printed), readiness=ready)
    return render(request, "annotation/manage/setup.html", context)


@reads_or_posts
@researcher_of_study
def step(request: HttpRequest, study: Study, step: str) -> HttpResponse:
    """Show and store one step: some settings, and what they mean."""
    if step not in STEPS:
        raise Http404
    form = STEPS[step](study=study)
    if request.method == "POST":
        with transaction.atomic():
            # As it is now: it may have opened since the page was made.
            study = Study.objects.select_for_update().get(pk=study.pk)
            form = STEPS[step](request.POST, study=study)
            if form.is_valid():
                noted(study, step, form.keep(), me(request))
                messages.success(request, f"{form.heading}: saved.")
                return redirect("annotation:setup", study.slug)
        study.refresh_from_db()
    fixed = study.state != State.DRAFT and form.fixed
    context = frame(study, "setup", form=form, fixed=fixed, step=step)
    status = 422 if request.method == "POST" else 200
    return render(request, "annotation/manage/step.html", context, status=status)


class ItemsForms(NamedTuple):
    """The result of a form that adds items.

    said: what was added, in words; empty where nothing was.
    job: the form that takes a candidate job, with its errors.
    pool: the form that takes a pool, with its errors.
    file: the form that takes a file, with its errors.
    """

    said: str
    job: JobForm
    pool: PoolForm
    file: FileForm


@reads_or_posts
@researcher_of_study
def setup_items(request: HttpRequest, study: Study) -> HttpResponse:
    """Show where the items come from, and add some from a candidate job or a file."""
    sent = ItemsForms("", JobForm(), PoolForm(study=study), FileForm())
    if request.method == "POST":
        sent = add_items(request, study)
        if sent.said:
            messages.success(request, sent.said)
            return redirect("annotation:setup_items", study.slug)
    n, example = in_kinds(study), study.task_type.example()
    context = frame(
        study,
        "setup",
        job_form=sent.job,
        pool_form=sent.pool,
        file_form=sent.file,
        kinds={"total": n.total(), **n},
        jobs=study.task_type.from_candidates and overview.finished_jobs().exists(),
        line=json.dumps(example.payload | {"gold": example.gold}, ensure_ascii=False),
        gold=json.dumps(example.gold),
    )
    status = 422 if request.method == "POST" else 200
    return render(request, "annotation/manage/setup_items.html", context, status=status)


def add_items(request: HttpRequest, study: Study) -> ItemsForms:
    """Put the items of the form that was sent into the draft; all of them or none."""
    name = "pool" if "pool" in request.POST else "job" if "job" in request.POST else "file"
    forms = ItemsForms(
        "",
        JobForm(request.POST if name == "job" else None),
        PoolForm(request.POST if name == "pool" else None, study=study),
        FileForm(request.POST, request.FILES) if name == "file" else FileForm(),
    )
    form = getattr(forms, name)
    if not form.is_valid():
        return forms
    try:
        return forms._replace(said=ADDED[name](study, form, me(request)))
    except (BadInput, Invalid) as error:
        form.add_error(name, str(error))
        return forms


def added_of_job(study: Study, form: JobForm, by: User) -> str:
    """Add the items of a candidate job; return in words what was added. Raises `BadInput`."""
    built = add_from_job(study, **form.cleaned_data, by=by)
    left_out = ", ".join(f"{reason} ({times})" for reason, times in built.left_out.most_common())
    without = f" Left out: {left_out}." if left_out else ""
    return f"{counted(built.items, 'item')} added.{without}"


def added_of_pool(study: Study, form: PoolForm, by: User) -> str:
    """Add the documents of a pool; return in words what was added. Raises `BadInput`."""
    added = add_pool(study, form.cleaned_data["pool"], form.shared(), by=by)
    known = f" {counted(added.known, 'document')} of the pool were there before." if added.known else ""
    return f"{counted(added.new, 'item')} added.{known}"


def added_of_file(study: Study, form: FileForm, by: User) -> str:
    """Add the items of a file; return in words what was added. Raises `BadInput`."""
    upload = form.cleaned_data["file"]
    found = entries(study.task_type, upload.read(), upload.name)
    added = add_payloads(study, found, by=by, source=upload.name)
    if not added.new + added.known:
        raise BadInput(f"{upload.name} holds no item.")
    known = f" {counted(added.known, 'item')} of the file were there before." if added.known else ""
    return f"{counted(added.new, 'item')} added.{known}"


ADDED: dict[str, Callable[[Study, Any, User], str]] = {
    "job": added_of_job,
    "pool": added_of_pool,
    "file": added_of_file,
}


@require_POST
@researcher_of_study
def remove_items(request: HttpRequest, study: Study) -> HttpResponse:
    """Take all items out of a draft, to begin again."""
    try:
        n = take_items_out(study, by=me(request))
    except BadInput as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"{counted(n, 'item')} taken out.")
    return redirect("annotation:setup_items", study.slug)


@require_POST
@researcher_of_study
def explain(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """Store what practice tells after an item. Nothing that was judged is touched by it."""
    item = get_object_or_404(study.items.filter(kind=Kind.PRACTICE), number=number)
    try:
        text = checked_text(request.POST.get("explanation", ""), "explanation", LONGEST_EXPLANATION).strip()
    except Invalid as error:
        messages.error(request, str(error))
    else:
        kept = {key: value for key, value in item.provenance.items() if key != "explanation"}
        study.items.filter(pk=item.pk).update(provenance=kept | ({"explanation": text} if text else {}))
        noted(study, "explanation", {"item": number}, me(request))
        messages.success(request, "The explanation is saved.")
    return redirect("annotation:item", study.slug, number)


@reads_or_posts
@researcher_of_study
def setup_consent(request: HttpRequest, study: Study) -> HttpResponse:
    """Show what readers agree to now and agreed to before; store the next version."""
    last = study.latest_consent()
    form = ConsentForm.of(last, request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            made = consent_texts.revise(study, **form.cleaned_data, by=me(request))
        except (BadInput, Invalid) as error:
            form = form.retry(study.latest_consent(), str(error))
        else:
            messages.success(
                request, f"Version {made.version} is saved: readers are asked before their next item."
            )
            return redirect("annotation:setup_consent", study.slug)
    versions = list(consent_texts.history(study))
    context: dict[str, Any] = frame(study, "setup", form=form, versions=versions)
    status = 422 if request.method == "POST" else 200
    return render(request, "annotation/manage/setup_consent.html", context, status=status)
