"""What the pages of all jobs answer: while they ask again and again, at the end, after cancel and retry."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.cache import get_conditional_response, set_response_etag

from retrieval.jobs import status
from retrieval.models import Job, Status

AnyJob = TypeVar("AnyJob", bound=Job)


def state(
    job: Job, name: str = "", words: str = "", address: str = "", counted: str = "Progress"
) -> dict[str, Any]:
    """Return what every page shows of a job: its badge, how far it is, and why it is not moving.

    `address` is asked again and again until the job has ended; `counted` names the bar.
    """
    return {
        "job": job,
        "name": name,
        "kind": status.BADGES[Status(job.status)],
        "words": words,
        "address": address,
        "counted": counted,
        "notice": status.notice(job, timezone.now()),
    }


def state_or_unchanged(request: HttpRequest, template: str, context: Mapping[str, Any]) -> HttpResponse:
    """Return how far the job is, or 304 while nothing has changed."""
    response = render(request, template, dict(context))
    # The browser keeps the last answer only to ask whether it still holds.
    response["Cache-Control"] = "private, no-cache"
    set_response_etag(response)
    return get_conditional_response(request, etag=response["ETag"], response=response) or response


def final_answer(response: HttpResponse, place: str = "#job") -> HttpResponse:
    """Let an answer take the place of all that was shown, so that the page asks no more."""
    response["HX-Retarget"], response["HX-Reswap"] = place, "innerHTML"
    return response


def ended(request: HttpRequest, body: str, context: Mapping[str, Any]) -> HttpResponse:
    """Return the body of a job's page once the job has ended, and end the asking.

    With the page's new title and a sentence for screen readers.
    """
    return final_answer(render(request, "retrieval/job_ended.html", {**context, "body": body}))


def watched(
    request: HttpRequest,
    job: AnyJob,
    page: str,
    whole: Callable[[HttpRequest, AnyJob], Mapping[str, Any]],
    standing: Callable[[AnyJob], Mapping[str, Any]],
) -> HttpResponse:
    """Answer a job's page that asks how far it is: 304 while nothing has changed, all of it at the end.

    Args:
        request: That of the page, or of a browser that followed the address: it is sent to the page.
        job: The job.
        page: The template of its page, whose part `body` is shown at the end.
        whole: What that part is given.
        standing: What the part is given that says how far it is.
    """
    if request.headers.get("HX-Request") != "true":
        return redirect(job.get_absolute_url())
    if job.ended:
        return ended(request, f"{page}#body", whole(request, job))
    return state_or_unchanged(request, "retrieval/job_state.html", standing(job))


def changed(request: HttpRequest, job: Job, done: bool, yes: str, no: str) -> HttpResponse:
    """Show the job's page with a message: that it was changed, or why not, with its status."""
    if done:
        messages.success(request, yes)
    else:
        job.refresh_from_db(fields=["status"])
        messages.warning(request, f"{no}: {job.get_status_display().lower()}.")
    return redirect(job.get_absolute_url())
