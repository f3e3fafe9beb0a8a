"""Setting a study up, step by step, and looking afterwards at how it is set up."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from django.contrib import messages
from django.contrib.auth.models import User
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from annotation.items.complaints import sentences_of
from annotation.items.files import entries
from annotation.items.from_excerpts import sample
from annotation.items.lines import LONGEST_EXPLANATION
from annotation.items.payloads import Added, add_payloads
from annotation.judging.submissions import checked_text
from annotation.manage.forms.setup import ConsentForm, ExcerptsForm, FileForm, JobForm, PoolForm
from annotation.manage.forms.steps import STEPS, noted
from annotation.manage.frame import frame, me, reads_or_posts, require_POST, require_safe, researcher_of_study
from annotation.manage.steps import steps
from annotation.models import ItemImport, Kind, State, Study
from annotation.studies import consent_texts, overview
from annotation.studies.build import add_from_job, take_items_out
from annotation.studies.importing import jobs
from annotation.studies.lifecycle import in_kinds
from annotation.studies.pools import OfPool, add_pool
from annotation.studies.readiness import readiness_of
from annotation.studies.running.adding import Addition, additions, grow
from annotation.tasktypes.base import Invalid
from common.errors import BadInput
from common.wording import counted, were
from retrieval.jobs import status
from retrieval.views import polled


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
            study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
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
    """The forms that add items, each with its errors.

    job: takes a candidate job.
    pool: takes a pool.
    file: takes a file.
    excerpts: draws a sample of excerpts.
    """

    job: JobForm
    pool: PoolForm
    file: FileForm
    excerpts: ExcerptsForm


@reads_or_posts
@researcher_of_study
def setup_items(request: HttpRequest, study: Study) -> HttpResponse:
    """Show where the items come from, and add some from a candidate job, a file or a sample of excerpts.

    An open study takes items, too; a closed one none.
    """
    task = study.task_type
    forms = ItemsForms(JobForm(), PoolForm(study=study), FileForm(task), ExcerptsForm(task))
    if "stop" in request.POST:
        stop_import(request, study)
        return redirect("annotation:setup_items", study.slug)
    if request.method == "POST":
        forms, said = add_items(request, study, forms)
        if said:
            messages.success(request, said)
            return redirect("annotation:setup_items", study.slug)
    n, example = in_kinds(study), task.example()
    context = frame(
        study,
        "setup",
        job_form=forms.job,
        pool_form=forms.pool,
        file_form=forms.file,
        excerpts_form=forms.excerpts,
        kinds={"total": n.total(), **n},
        finished=task.from_candidates and overview.finished_jobs().exists(),
        line=json.dumps(example.payload | {"gold": example.gold}, ensure_ascii=False),
        gold=json.dumps(example.gold),
        added=() if study.state == State.DRAFT else tuple(additions(study)),
        **standing(study),
    )
    code = 422 if request.method == "POST" else 200
    return render(request, "annotation/manage/setup_items.html", context, status=code)


def standing(study: Study) -> dict[str, Any]:
    """Return how the latest import of a large file stands; empty without one."""
    job = jobs.latest(study)
    if job is None:
        return {}
    address = reverse("annotation:items_progress", args=[study.slug])
    words = status.progress(job, ItemImport.unit) if job.attempts else "not begun"
    return polled.state(job, str(job), words, address, "Lines checked, then stored")


@require_safe
@researcher_of_study
def items_progress(request: HttpRequest, study: Study) -> HttpResponse:
    """Answer the page that asks how far an import is; 304 while nothing has changed."""
    shown = standing(study)
    if not shown or request.headers.get("HX-Request") != "true":
        return redirect("annotation:setup_items", study.slug)
    if shown["job"].ended:
        return HttpResponse(headers={"HX-Redirect": reverse("annotation:setup_items", args=[study.slug])})
    return polled.state_or_unchanged(request, "retrieval/job_state.html", shown)


def stop_import(request: HttpRequest, study: Study) -> None:
    """Stop the import that is under way; what a draft has of it stays."""
    job = jobs.latest(study)
    if job is None or not jobs.stop(job, by=me(request)):
        messages.warning(request, "Nothing was stopped: the import had ended before.")
    elif job.to_open:
        messages.success(request, "The import is stopped, and nothing of it was added.")
    else:
        messages.success(request, "The import is stopped. Send the file again to add what it did not reach.")


def add_items(request: HttpRequest, study: Study, forms: ItemsForms) -> tuple[ItemsForms, str]:
    """Put the items of the form that was sent into the draft; all of them or none.

    Return the forms, and in words what was added; empty where nothing was.
    """
    task, by = study.task_type, me(request)
    form: JobForm | PoolForm | FileForm | ExcerptsForm
    if "pool" in request.POST:
        form, field, add = PoolForm(request.POST, study=study), "pool", of_pool
        forms = forms._replace(pool=form)
    elif "questions" in request.POST:
        form, field, add = ExcerptsForm(task, request.POST), "questions", of_excerpts
        forms = forms._replace(excerpts=form)
    elif "file" in request.FILES or "job" not in request.POST:
        form, field, add = FileForm(task, request.POST, request.FILES), "file", of_file
        forms = forms._replace(file=form)
    else:
        form, field, add = JobForm(request.POST), "job", of_job
        forms = forms._replace(job=form)
    if not form.is_valid():
        return forms, ""
    try:
        printed = "printed" in request.POST
        if field == "file" and jobs.is_large(form.cleaned_data["file"]):
            template = form.cleaned_data.get("template", "")
            jobs.submit(study, form.cleaned_data["file"], template, by=by, printed=printed)
            return forms, "The file is large and is imported in the background: you can leave this page."
        said, added = grow(
            study,
            lambda locked: add(locked, form.cleaned_data, by),
            by=by,
            printed=printed,
        )
    except (BadInput, Invalid) as error:
        form.add_error(field, sentences_of(error))
        return forms, ""
    return forms, said if added is None else f"{said} {in_force(added)}"


def in_force(added: Addition) -> str:
    """Return what came of items that were added to an open study."""
    numbers = f"items {added.first} to {added.last}" if added.last > added.first else f"item {added.first}"
    return (
        f"They are {numbers}, given out from now on ({counted(added.places, 'reading')} more), and every "
        "report says so."
    )


def of_job(study: Study, said: dict[str, Any], by: User) -> str:
    """Add the items of a job; return in words what was added."""
    built = add_from_job(study, **said, by=by, to_open=True)
    left_out = ", ".join(f"{reason} ({times})" for reason, times in built.left_out.most_common())
    without = f" Left out: {left_out}." if left_out else ""
    return f"{counted(built.items, 'item')} added.{without}"


def of_pool(study: Study, said: dict[str, Any], by: User) -> str:
    """Add the documents of a pool; return in words what was added."""
    added = add_pool(study, said["pool"], said["shared"], by=by, leave_out=said["leave_out"], to_open=True)
    return in_words(added, "document", "pool") + added.without


def of_file(study: Study, said: dict[str, Any], by: User) -> str:
    """Add the items of a file; return in words what was added."""
    upload = said["file"]
    found = entries(study.task_type, upload.file, upload.name, said.get("template", ""))
    added = add_payloads(study, found, by=by, source=upload.name, to_open=True)
    if not added.new + added.known:
        raise BadInput(f"{upload.name} holds no item.")
    return in_words(added, "item", "file")


def of_excerpts(study: Study, said: dict[str, Any], by: User) -> str:
    """Add a sample of excerpts, drawn by the study's seed; return in words what was added."""
    size = said["size"]
    found = sample(study.task_type, said["questions"], size=size, seed=study.seed, book=said["book"])
    source = f"a sample of {size} excerpts, seed {study.seed}"
    added = add_payloads(study, found, by=by, source=source, to_open=True)
    return in_words(added, "item", "sample")


def in_words(added: Added | OfPool, each: str, source: str) -> str:
    """Return how many items were added, and how many of their source the study had before."""
    there = f"{counted(added.known, each)} of the {source} {were(added.known)} there before"
    known = f" {there}." if added.known else ""
    return f"{counted(added.new, 'item')} added.{known}"


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
        item.provenance = kept | ({"explanation": text} if text else {})
        item.save(update_fields=["provenance"])
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
