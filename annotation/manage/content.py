"""Items, guidelines and notes of a study: what readers are given, and what they say of it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone

from annotation.items import covering
from annotation.items.longest_runs import longest_run
from annotation.judging import messages as item_messages
from annotation.manage.forms.studies import GuidelinesForm
from annotation.manage.frame import frame, me, reads_or_posts, require_POST, require_safe, researcher_of_study
from annotation.models import EnrolmentState, Item, State, Study
from annotation.studies import guidelines as guideline_texts
from annotation.studies import overview
from annotation.tasktypes.base import Invalid
from common.errors import BadInput

ROWS = 50
LATE = 100


@require_safe
@researcher_of_study
def items(request: HttpRequest, study: Study) -> HttpResponse:
    """Show all items with the judgments so far."""
    page = Paginator(overview.items(study).select_related("replaced_by"), ROWS)
    rows = page.get_page(request.GET.get("page"))
    for each in rows:
        each.study = study
    runs = [(each, longest_run(each)) for each in rows]
    context = frame(study, "items", page=rows, rows=runs, shares=any(run for _, run in runs))
    return render(request, "annotation/manage/items.html", context)


@require_safe
@researcher_of_study
def item(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """Show one item as its readers see it, and what only researchers see: gold, provenance, judgments."""
    return item_page(request, get_object_or_404(study.items.select_related("study"), number=number))


def item_page(request: HttpRequest, one: Item, *, error: str = "", **more: Any) -> HttpResponse:
    """Show the item; `error` says why its words could not be covered, or it not be left out."""
    study = one.study
    context = frame(
        study,
        "items",
        error=error,
        draft=study.state == State.DRAFT,
        covers=covering.with_actors(one),
        run=longest_run(one),
        has_context=bool(study.task_type.context_texts(one.payload)),
        item=one,
        task=study.task_type,
        shown=presented(one),
        book=overview.book_of(one),
        templates=templates(study),
        judgments=overview.judgments(one),
        decisions=list(one.decisions.select_related("adjudicator").order_by("-revision")),
        near=overview.neighbours(one),
        **more,
    )
    return render(request, "annotation/manage/item.html", context, status=422 if error else 200)


def templates(study: Study) -> list[str]:
    """Return the templates that show an item to researchers: the task's own, or one for every field."""
    return [f"annotation/manage/tasks/{each}.html" for each in (study.task, "any")]


def presented(item: Item) -> dict[str, Any]:
    """Return what the task type presents, options in canonical order, each beside where it came from."""
    task = item.study.task_type
    order = range(task.n_options(item.payload))
    shown, gold = task.present(item.payload, order), task.as_shown(item.gold, order) if item.gold else {}
    options = [option for option in shown.get("options", []) if isinstance(option, dict)]
    origins = item.provenance.get("options", [])
    if len(origins) == len(options):
        for option, origin in zip(options, origins, strict=True):
            option["origin"] = origin
    filed = item.provenance.get("file_order") or []
    for number, option in enumerate(options):
        option["number"] = number
        option["is_gold"] = gold.get("position") == number
        if number < len(filed):
            option["in_file"] = filed[number]
    return shown


@reads_or_posts
@researcher_of_study
def guidelines(request: HttpRequest, study: Study) -> HttpResponse:
    """Show what readers are told now and were told before; store the next version."""
    last = study.latest_guideline()
    form = GuidelinesForm.of(last, request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            made = guideline_texts.revise(study, **form.cleaned_data, by=me(request))
        except (BadInput, Invalid) as error:
            form = form.retry(study.latest_guideline(), str(error))
        else:
            messages.success(request, f"Version {made.version} is saved: readers see it from now on.")
            return redirect("annotation:guidelines", study.slug)
    versions = list(guideline_texts.history(study))
    context = frame(study, "guidelines", form=form, versions=versions, closed=study.state == State.CLOSED)
    status = 422 if request.method == "POST" else 200
    return render(request, "annotation/manage/guidelines.html", context, status=status)


@require_safe
@researcher_of_study
def notes(request: HttpRequest, study: Study) -> HttpResponse:
    """Show what readers wrote: why they could not decide, what is broken, notes, late answers."""
    return show_notes(request, study)


def show_notes(
    request: HttpRequest, study: Study, *, refused: str = "", at: tuple[int, str] | None = None
) -> HttpResponse:
    """Show the page; `refused` says why the reply about that item to that reader could not be sent."""
    late, n_late = overview.late_answers(study, LATE)
    page = Paginator(overview.notes(study), ROWS).get_page(request.GET.get("page"))
    said = item_messages.threads_on_judgments(page)
    context = frame(
        study,
        "notes",
        page=page,
        rows=[(each, said.get((each.assignment.item_id, each.annotator_id))) for each in page],
        late=late,
        n_late=n_late,
        refused=refused,
        refused_at=at,
        text=request.POST.get("message", ""),
    )
    return render(request, "annotation/manage/notes.html", context, status=422 if refused else 200)


@require_POST
@researcher_of_study
def reply(request: HttpRequest, study: Study, number: int, pseudonym: str) -> HttpResponse:
    """Answer a reader about an item, or store that what they wrote was read."""
    item = get_object_or_404(study.items, number=number)
    reader = get_object_or_404(study.enrolments, pseudonym=pseudonym, state=EnrolmentState.ACTIVE)
    now, text = timezone.now(), request.POST.get("message", "")
    if "read" in request.POST:
        item_messages.mark_read(item, reader, by_researcher=True, now=now)
    else:
        try:
            item_messages.send(item, reader, text, by=me(request), from_researcher=True, now=now)
        except Invalid as error:
            return show_notes(request, study, refused=str(error), at=(number, pseudonym))
        messages.success(request, f"Reader {reader.pseudonym} sees your answer with item {item.number}.")
    return redirect("annotation:notes", study.slug)
