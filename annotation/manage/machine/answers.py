"""Answers of a system that nobody asks here: read in from a file, and shown."""

from __future__ import annotations

import json

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from annotation.machine import overview
from annotation.machine.imported import rankers
from annotation.machine.imported.items import counted
from annotation.machine.imported.storing import (
    LONGEST_LICENCE,
    LONGEST_NAME,
    LONGEST_SOURCE,
    About,
    import_answers,
    refuse_many,
)
from annotation.manage.frame import frame, me, reads_or_posts, researcher_of_study
from annotation.models import MachineReader, ReadingState, Study
from common.errors import BadField, BadInput
from common.wording import counted as worded
from retrieval.forms.imports import TextFile


class AnswersForm(forms.Form):
    """A file of a system's answers, and what is said of it."""

    file = TextFile(label="File", help_text="JSON lines, or RELiC’s submission.")
    name = forms.CharField(max_length=LONGEST_NAME, help_text="Of the system, as reports call it.")
    source = forms.CharField(
        max_length=LONGEST_SOURCE, help_text="Where the answers come from: a paper, an address, who ran what."
    )
    licence = forms.CharField(max_length=LONGEST_LICENCE, help_text="Under which they may be used.")

    def about(self) -> About:
        """Return what is said of the file."""
        said = self.cleaned_data
        return About(said["name"], said["source"], said["licence"])


@reads_or_posts
@researcher_of_study
def answers(request: HttpRequest, study: Study) -> HttpResponse:
    """Show how a system's answers are read in; read them, or let a ranker of ours answer."""
    form, error, made = AnswersForm(), "", None
    offered = rankers.known(study)
    if "ranker" in request.POST:
        try:
            made = ranked(study, offered, request)
        except BadInput as refused:
            error = str(refused)
    elif request.method == "POST":
        form = AnswersForm(request.POST, request.FILES)
        made = taken(study, form, request)
    if made is not None:
        n = worded(made.answer_file.n_answers, "item")
        messages.success(request, f"{made.name} is made of the answers to {n}.")
        return redirect(made)
    task = study.task_type
    example = task.example()
    context = frame(
        study,
        "machines",
        form=form,
        n_items=counted(study).count(),
        example=json.dumps({"item": 1, "answer": example.answer}, ensure_ascii=False),
        scored=bool(task.categories(example.payload)),
        options=task.orders_options,
        rankers=offered,
        job=study.job,
        error=error,
    )
    status = 422 if request.method == "POST" else 200
    return render(request, "annotation/manage/machine/answers.html", context, status=status)


def ranked(study: Study, offered: list[str], request: HttpRequest) -> MachineReader:
    """Let the ranker of the button answer, by the scores that were kept. Raises `BadInput`."""
    refuse_many(study)
    ranker = request.POST["ranker"]
    if ranker not in offered:
        raise BadInput(f"The scores of {ranker!r:.60} are not kept of these items; the command ranks anew.")
    return rankers.answer(study, ranker, by=me(request), now=timezone.now())


def taken(study: Study, form: AnswersForm, request: HttpRequest) -> MachineReader | None:
    """Read the file of the form in; None where something is wrong, which the form then says."""
    if not form.is_valid():
        return None
    file = form.cleaned_data["file"]
    try:
        refuse_many(study)
        return import_answers(study, file.read(), file.name, form.about(), by=me(request), now=timezone.now())
    except BadInput as error:
        form.add_error(error.field if isinstance(error, BadField) else "file", str(error))
        return None


def shown(request: HttpRequest, reader: MachineReader) -> HttpResponse:
    """Show where answers came from that were read in; nothing can be done with them but delete them."""
    error = f"{reader.name} is not asked: its answers were read in." if request.method == "POST" else ""
    context = frame(
        reader.study,
        "machines",
        reader=reader,
        kept=reader.answer_file,
        tally=overview.tally(reader),
        states=ReadingState.choices,
        error=error,
    )
    status = 422 if error else 200
    return render(request, "annotation/manage/machine/imported.html", context, status=status)
