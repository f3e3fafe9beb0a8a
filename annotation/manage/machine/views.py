"""The machine readers of a study: their list, the prompt by version, a new reader."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotation.machine import overview, prompts, readers
from annotation.machine.estimates import known
from annotation.manage.frame import frame, me, reads_or_posts, require_safe, researcher_of_study
from annotation.manage.machine.forms import PromptForm, ReaderForm
from annotation.models import MachineJob, MachineReader, Study
from annotation.tasktypes.base import Invalid
from common.errors import BadField, BadInput
from machines import endpoints
from retrieval.jobs import status
from retrieval.models import Status


class Row(NamedTuple):
    """A machine reader in the list.

    reader: the reader.
    job: its latest job that reads; None before the first.
    badge: of the job's state.
    tally: how many readings are in each state.
    known: whether its endpoint is still allowed, or needs not be.
    """

    reader: MachineReader
    job: MachineJob | None
    badge: str
    tally: dict[str, Any]
    known: bool


@require_safe
@researcher_of_study
def machines(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the machine readers of the study, and what is needed for one."""
    made = overview.readers_of(study)
    last, tallies = overview.last_jobs(made), overview.tallies(made)
    rows = [row(each, last.get(each.pk), tallies[each.pk]) for each in made]
    context = frame(
        study,
        "machines",
        rows=rows,
        prompt=readers.latest_prompt(study),
        can_be_asked=prompts.can_be_asked(study),
        endpoints=endpoints.endpoints(),
        task=study.task_type,
    )
    return render(request, "annotation/manage/machine/list.html", context)


def row(reader: MachineReader, job: MachineJob | None, tally: dict[str, Any]) -> Row:
    badge = status.BADGES[Status(job.status)] if job else ""
    return Row(reader, job, badge, tally, not reader.is_asked or known(reader))


@reads_or_posts
@researcher_of_study
def prompt(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the prompt by version; store the next one."""
    last = readers.latest_prompt(study)
    words = prompts.Words(last.system, last.template) if last else prompts.proposed(study)
    initial = {**words._asdict(), "seen": last.version if last else 0}
    form = PromptForm(request.POST or None, first=last is None, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            made = prompts.revise(study, **form.cleaned_data, by=me(request))
        except (BadInput, Invalid) as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, f"Version {made.version} of the prompt is saved.")
            return redirect("annotation:machines", study.slug)
    context = frame(
        study,
        "machines",
        form=form,
        versions=prompts.history(study),
        can_be_asked=prompts.can_be_asked(study),
        proposed=prompts.proposed(study),
        marks=prompts.MARKS,
        guideline=study.latest_guideline(),
    )
    status_code = 422 if request.method == "POST" else 200
    return render(request, "annotation/manage/machine/prompt.html", context, status=status_code)


@reads_or_posts
@researcher_of_study
def new(request: HttpRequest, study: Study) -> HttpResponse:
    """Make a machine reader."""
    if not prompts.can_be_asked(study) or readers.latest_prompt(study) is None or not endpoints.endpoints():
        # The list says what is missing.
        return redirect("annotation:machines", study.slug)
    form = ReaderForm(study, request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            made = readers.make(study, form.settings(), by=me(request))
        except BadInput as error:
            form.add_error(error.field if isinstance(error, BadField) else None, str(error))
        else:
            messages.success(request, f"{made.name} is made. Nothing is asked before you say so.")
            return redirect(made)
    context = frame(study, "machines", form=form)
    status_code = 422 if request.method == "POST" else 200
    return render(request, "annotation/manage/machine/new.html", context, status=status_code)
