"""One machine reader: tried, started, followed, stopped; what it said; deleted."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from annotation.machine import estimates, jobs, overview, plan, readers
from annotation.machine.instructions import PATTERNS
from annotation.manage.frame import frame, me, reads_or_posts, require_safe, researcher_of_study
from annotation.manage.machine import answers
from annotation.manage.machine.forms import LimitsForm
from annotation.models import MachineJob, MachinePurpose, MachineReader, ReadingState, Study
from common.errors import BadInput
from common.wording import counted
from machines import endpoints
from machines.models import ANSWERED, Budget, Call, State
from machines.wording import money
from retrieval.jobs import queue, status
from retrieval.models import Status
from retrieval.views import polled

ROWS = 50
BODY = "annotation/manage/machine/reader.html#body"


def of_study(study: Study, name: str) -> MachineReader:
    """Return the reader of that name, or raise Http404."""
    found = get_object_or_404(study.machine_readers.select_related("prompt"), name=name)
    found.study = study
    return found


@reads_or_posts
@researcher_of_study
def machine_reader(request: HttpRequest, study: Study, name: str) -> HttpResponse:
    """Show a reader with what it costs and has said; try it, start, stop, go on."""
    reader = of_study(study, name)
    if not reader.is_asked:
        return answers.shown(request, reader)
    if request.method != "POST":
        return page(request, reader)
    form = LimitsForm(request.POST)
    act = next((each for each in ACTS if each in request.POST), "")
    try:
        if not act:
            raise BadInput("Choose one of the acts on this page.")
        if not form.is_valid():
            return page(request, reader, form=form)
        said = ACTS[act](request, reader, form)
    except BadInput as error:
        return page(request, reader, error=str(error), form=form)
    messages.success(request, said)
    return redirect(reader)


def try_it(request: HttpRequest, reader: MachineReader, form: LimitsForm) -> str:
    jobs.submit(reader, purpose=MachinePurpose.TRIAL, by=me(request))
    return "Three items are asked: you can leave this page."


def try_canaries(request: HttpRequest, reader: MachineReader, form: LimitsForm) -> str:
    jobs.submit(reader, purpose=MachinePurpose.CANARY, by=me(request))
    return "The canaries are asked: you can leave this page."


def start(request: HttpRequest, reader: MachineReader, form: LimitsForm) -> str:
    jobs.submit(reader, limits=form.limits(), by=me(request))
    return f"{reader.name} reads: you can leave this page."


def stop(request: HttpRequest, reader: MachineReader, form: LimitsForm) -> str:
    job = reader.jobs.first()
    if job is None or not queue.cancel(job.pk, MachineJob):
        raise BadInput("Nothing was stopped: the job had ended before.")
    return f"{reader.name} is stopped. What is in flight is still paid; it can go on where it stopped."


def go_on(request: HttpRequest, reader: MachineReader, form: LimitsForm) -> str:
    job = reader.jobs.first()
    allowed = "allow" in request.POST
    limits = form.limits() if "limits" in request.POST else None
    if job is None or not jobs.go_on_with(job, limits=limits, unreadable_allowed=allowed):
        raise BadInput("It cannot go on: it is running, or it has ended.")
    return f"{reader.name} goes on."


ACTS = {"try": try_it, "canary": try_canaries, "start": start, "stop": stop, "on": go_on}


@require_safe
@researcher_of_study
def progress(request: HttpRequest, study: Study, name: str) -> HttpResponse:
    """Answer the page that asks how far the reader is; 304 while nothing has changed."""
    reader = of_study(study, name)
    job = reader.jobs.first()
    if job is None or request.headers.get("HX-Request") != "true":
        return redirect(reader)
    job.reader = reader
    if job.ended:
        return polled.ended(request, BODY, whole(reader))
    return polled.state_or_unchanged(request, "retrieval/job_state.html", standing(job))


def page(
    request: HttpRequest, reader: MachineReader, error: str = "", form: LimitsForm | None = None
) -> HttpResponse:
    """The page of the reader; `error` says why nothing was done."""
    wrong = bool(error) or (form is not None and bool(form.errors))
    context = whole(reader, error=error, form=form)
    return render(request, "annotation/manage/machine/reader.html", context, status=422 if wrong else 200)


def standing(job: MachineJob) -> dict[str, Any]:
    """How far a job is, what it spent, and what could not be read."""
    unit = "readings" if job.purpose == MachinePurpose.READING else "items"
    words = [status.progress(job, unit) if job.total else "not begun"]
    if unreadable := job.counts.get("unreadable"):
        words.append(f"{unreadable:,} unreadable")
    words += spent_in_words(job)
    address = reverse("annotation:machine_progress", args=[job.reader.study.slug, job.reader.name])
    return polled.state(job, str(job), " · ".join(words), address, str(job.get_purpose_display()))


def spent_in_words(job: MachineJob) -> list[str]:
    """Return what a job has spent, and the calls of which nobody knows whether they were paid."""
    budget = Budget.objects.filter(pk=job.budget or 0).first()
    words = []
    if budget is not None and budget.calls:
        most = " at most, as reckoned before" if uncounted_calls(job.reader) else ""
        words.append(f"{counted(budget.calls, 'call')}, {budget.tokens:,} tokens{most}")
        if budget.spent:
            words.append(money(budget.spent, currency(job.reader)))
    if unknown := unknown_calls(job.reader):
        words.append(f"{unknown:,} unknown")
    return words


def unknown_calls(reader: MachineReader) -> int:
    """Return how many calls broke off after they were sent: they may have been paid."""
    return Call.objects.filter(purpose=jobs.purpose_of(reader), state=State.UNKNOWN).count()


def uncounted_calls(reader: MachineReader) -> bool:
    """Return whether a reply came without its tokens: it is charged what was reserved for it."""
    calls = Call.objects.filter(purpose=jobs.purpose_of(reader), state__in=ANSWERED)
    return calls.filter(prompt_tokens=None).exists()


def currency(reader: MachineReader) -> str:
    """Return the currency of the reader's endpoint; empty where it is not allowed any more."""
    endpoint = endpoints.endpoints().get(reader.endpoint)
    return endpoint.prices.currency if endpoint else ""


def whole(reader: MachineReader, error: str = "", form: LimitsForm | None = None) -> dict[str, Any]:
    """All that the page shows."""
    job = reader.jobs.first()
    if job is not None:
        job.reader = reader
    allowed = estimates.known(reader)
    idle = job is None or job.ended
    expected = estimates.expected(reader) if allowed and idle else None
    trial, canary = (
        overview.last_job(reader, each) for each in (MachinePurpose.TRIAL, MachinePurpose.CANARY)
    )
    like = estimates.like_instructions(reader) if idle else []
    return frame(
        reader.study,
        "machines",
        reader=reader,
        **(standing(job) if job else {}),
        stopped=job is not None and job.status in (Status.FAILED, Status.CANCELLED),
        idle=idle,
        allowed=allowed,
        expected=expected,
        price=money(expected.cost.micro_units, expected.currency) if expected else "",
        takes=status.duration(expected.seconds) if expected and expected.seconds is not None else "",
        tally=overview.tally(reader),
        states=ReadingState.choices,
        unknown=unknown_calls(reader),
        trial=dry_run_table(reader, trial) if trial and trial.status == Status.DONE else [],
        canary=canary_table(reader, canary) if canary and canary.status == Status.DONE else [],
        has_canaries=reader.study.task_type.has_canaries,
        like=like,
        patterns=PATTERNS,
        n_items=plan.items(reader).count(),
        form=form or LimitsForm(),
        error=error,
    )


def dry_run_table(reader: MachineReader, job: MachineJob) -> list[dict[str, Any]]:
    """Return what a dry run found of each item, prices in words; "" where there is none."""
    of = currency(reader)
    return [
        {**each, "price": money(each["price"], of) if each["price"] else ""} for each in job.counts["found"]
    ]


def canary_table(reader: MachineReader, job: MachineJob) -> list[dict[str, Any]]:
    """Return for each kind of canary how many were given a grade above the lowest, and the mean grade."""
    rows = []
    for kind in ("query words", "instruction"):
        numbers = [each["number"] for each in job.counts["found"] if each["kind"] == kind]
        read = [each for each in numbers if each is not None]
        rows.append(
            {
                "kind": kind,
                "n": len(numbers),
                "read": len(read),
                "fooled": sum(each > 0 for each in read),
                "mean": sum(read) / len(read) if read else None,
            }
        )
    return rows


@require_safe
@researcher_of_study
def readings(request: HttpRequest, study: Study, name: str) -> HttpResponse:
    """List what a reader said, by state, with the raw replies."""
    reader, state = of_study(study, name), request.GET.get("state", "")
    found = reader.readings.select_related("item").order_by("item__number", "replicate", "order")
    if state in ReadingState.values:
        found = found.filter(state=state)
    rows = Paginator(found, ROWS).get_page(request.GET.get("page"))
    task = study.task_type
    shown = [
        (each, task.in_words(each.item.payload, each.answer) if each.answer is not None else "")
        for each in rows
    ]
    context = frame(
        study,
        "machines",
        reader=reader,
        page=rows,
        rows=shown,
        chosen=state if state in ReadingState.values else "",
        tally=overview.tally(reader),
        states=ReadingState.choices,
    )
    return render(request, "annotation/manage/machine/readings.html", context)


@reads_or_posts
@researcher_of_study
def delete(request: HttpRequest, study: Study, name: str) -> HttpResponse:
    """Delete a reader with what it read, once its name is typed."""
    reader, error = of_study(study, name), ""
    if request.method == "POST":
        try:
            readers.delete(reader, typed=request.POST.get("name", ""), by=me(request))
        except BadInput as refused:
            error = str(refused)
        else:
            messages.success(request, f"{name} is deleted. The ledger keeps what was paid.")
            return redirect("annotation:machines", study.slug)
    context = frame(study, "machines", reader=reader, n=reader.readings.count(), error=error)
    return render(request, "annotation/manage/machine/delete.html", context, status=422 if error else 200)
