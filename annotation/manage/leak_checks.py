"""Printed answers of a large draft: checked in a job, which is followed here, and what is done about them."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from annotation.judging.submissions import checked_text
from annotation.manage.frame import frame, me, require_safe, researcher_of_study
from annotation.models import LeakCheck, State, Study
from annotation.studies import dismissals, leaks, mending
from annotation.studies.leak_checks import findings, jobs
from common.errors import BadInput
from retrieval.jobs import queue, status
from retrieval.models import Status
from retrieval.views import polled

ROWS = 50
LONGEST_WHY = 300
GONE = "This is not found any more: the list below is as it is now."


@require_safe
@researcher_of_study
def progress(request: HttpRequest, study: Study) -> HttpResponse:
    """Answer the page that asks how far the check is; 304 while nothing has changed.

    The last answer is the whole body of the page, which asks no more.
    """
    check = findings.latest(study)
    if check is None or request.headers.get("HX-Request") != "true":
        return redirect("annotation:leaks", study.slug)
    if check.ended:
        return polled.ended(request, "annotation/manage/leaks.html#body", whole(request, study))
    return polled.state_or_unchanged(request, "retrieval/job_state.html", standing(check))


def page(request: HttpRequest, study: Study, error: str = "") -> HttpResponse:
    """The page: how the latest check stands, and what the last one that came to its end found."""
    context = whole(request, study, error=error)
    return render(request, "annotation/manage/leaks.html", context, status=422 if error else 200)


def standing(check: LeakCheck) -> dict[str, Any]:
    """How far a check is."""
    address = reverse("annotation:leaks_progress", args=[check.study.slug])
    unit = "findings" if check.mends and not check.counts.get("mended") else LeakCheck.unit
    words = status.progress(check, unit) if check.total else "not begun"
    return polled.state(check, str(check), words, address, "Texts checked")


def whole(request: HttpRequest, study: Study, **more: Any) -> dict[str, Any]:
    """All that the page shows."""
    check, done = findings.latest(study), findings.latest_done(study)
    found = findings.listed(done) if done else []
    rows = Paginator(found, ROWS).get_page(request.GET.get("page"))
    stale = done is not None and done.texts != findings.digest(study)
    return frame(
        study,
        "setup",
        large=True,
        **(standing(check) if check else {}),
        done=done,
        stale=stale,
        stopped=check is not None and check.status in (Status.FAILED, Status.CANCELLED),
        draft=study.state == State.DRAFT,
        page=rows,
        findings=findings.with_texts(study, list(rows)),
        n_cautions=sum(each.caution for each in found),
        n_dismissed=sum(each.dismissal is not None for each in found),
        n_items=done.counts["items"] if done else leaks.given(study).count(),
        runs=findings.runs(done) if done else [],
        left_out=study.items.left_out().order_by("number"),
        **more,
    )


def done(request: HttpRequest, study: Study) -> str:
    """Do what was asked, and say it. `BadInput` where it cannot be."""
    act = next((each for each in ACTS if each in request.POST), "")
    if act:
        return ACTS[act](request, study)
    if "return" in request.POST:
        dismissals.take_back(study, request.POST["return"], by=me(request))
        return "The finding counts again."
    return one(request, study)


def submit(request: HttpRequest, study: Study) -> str:
    jobs.submit(study, by=me(request))
    return "The texts are being checked: you can leave this page."


def mend(request: HttpRequest, study: Study) -> str:
    if study.state != State.DRAFT:
        raise BadInput("The study has opened: what readers read stays as it was.")
    if not jobs.submit(study, mends=True, by=me(request)).mends:
        raise BadInput("The texts are being checked just now: wait for the end, or stop it first.")
    return "Words are being covered, and the texts checked again: you can leave this page."


def stop(request: HttpRequest, study: Study) -> str:
    check = findings.latest(study)
    if check is None or not queue.cancel(check.pk, LeakCheck):
        raise BadInput("Nothing was stopped: the check had ended before.")
    return "The check is stopped. It can go on where it stopped."


def go_on(request: HttpRequest, study: Study) -> str:
    check = findings.latest(study)
    if check is None or not queue.retry(check.pk, LeakCheck):
        raise BadInput("The check cannot go on: it is running, or it has ended.")
    return "The check goes on."


ACTS = {"check": submit, "mend": mend, "stop": stop, "on": go_on}


def one(request: HttpRequest, study: Study) -> str:
    """Cover the words of one finding, or mark it as harmless."""
    last = findings.latest_done(study)
    leak = (
        findings.named(last, request.POST.get("dismiss") or request.POST.get("cover", "")) if last else None
    )
    if leak is None:
        raise BadInput(GONE)
    if "dismiss" in request.POST:
        why = checked_text(request.POST.get("why", ""), "why", LONGEST_WHY)
        dismissals.dismiss(study, leak.key, leak.kind, leak.items, by=me(request), why=why)
        return "The finding is marked as harmless."
    mending.cover(leak, by=me(request), now=timezone.now())
    return "The words are covered."
