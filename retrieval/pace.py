"""A job in sentences for the person who waits for it: how far, how fast, how long, and who is missing."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from retrieval import workers
from retrieval.models import CandidateJob, Status

KINDS = {
    Status.QUEUED: "wait",
    Status.RUNNING: "run",
    Status.DONE: "ok",
    Status.FAILED: "bad",
    Status.CANCELLED: "note",
}
"""The badge of each state."""
START = "celery -A variorum worker -P solo -Q {queue}"


class Notice(NamedTuple):
    """A sentence, what to do, the command that does it; `kind` is that of a page's notice."""

    kind: str
    text: str
    advice: str = ""
    command: str = ""


def progress(job: CandidateJob) -> str:
    """Counts, and of a running job its rate and the time left, both from the last heartbeat.

    The text changes only when the row does. Work kept from before a retry counts
    as done since the start, so after a retry the rate is too high for a while.
    """
    counts = f"{job.done:,} of {job.total:,} excerpts"
    seconds = (job.heartbeat - job.started).total_seconds() if job.heartbeat and job.started else 0.0
    if job.status == Status.DONE and job.finished and job.started:
        return f"{counts} in {duration((job.finished - job.started).total_seconds())}"
    if job.status != Status.RUNNING or not job.done or seconds < 1:
        return counts
    rate = job.done / seconds
    return f"{counts} · {_rate(rate)} · about {duration((job.total - job.done) / rate)} left"


def notice(job: CandidateJob, now: datetime) -> Notice | None:
    """Why a job that has not ended is not moving, if it is not; two small queries at most."""
    if job.ended:
        return None
    if workers.absent(job.queue):
        return _absent(job, workers.silence(job.queue))
    if job.status == Status.RUNNING:
        return _quiet(job, now)
    if job.not_before and job.not_before > now:
        due = duration((job.not_before - now).total_seconds())
        return Notice("wait", f"Attempt {job.attempts} failed. The next one begins in about {due}.")
    before = CandidateJob.objects.filter(
        pk__lt=job.pk, queue=job.queue, status__in=(Status.QUEUED, Status.RUNNING)
    ).count()
    jobs = "one job is" if before == 1 else f"{before} jobs are"
    ahead = f"{jobs} before this one." if before else "it begins within a minute."
    return Notice("wait", f"A worker for the queue {job.queue} is there; {ahead}")


def duration(seconds: float) -> str:
    """`8 s`, `3 min`, `2 h 5 min`: as exact as an estimate can be."""
    whole = max(1, round(seconds))
    if whole < 90:
        return f"{whole} s"
    minutes = round(whole / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def _absent(job: CandidateJob, silence: float | None) -> Notice:
    seen = "has been seen yet" if silence is None else f"has been seen for {duration(silence)}"
    what = (
        "The job waits until one is started."
        if job.status == Status.QUEUED
        else "The job stands still; nothing it has computed is lost, and the next worker goes on from there."
    )
    return Notice(
        "bad",
        f"No worker for the queue {job.queue} {seen}. {what}",
        "Start one where Variorum is installed: make serve starts it with the pages, and this alone:",
        START.format(queue=job.queue),
    )


def _quiet(job: CandidateJob, now: datetime) -> Notice | None:
    silent = (now - job.heartbeat).total_seconds() if job.heartbeat else 0.0
    if silent <= workers.ABSENT_SECONDS:
        return None
    return Notice(
        "note",
        f"Nothing was heard of this job for {duration(silent)}.",
        "When its worker has stopped, another one goes on with it within about a minute.",
    )


def _rate(rate: float) -> str:
    if rate >= 10:
        return f"{rate:.0f} a second"
    return f"{rate:.1f} a second" if rate >= 1 else f"{max(1, round(rate * 60))} a minute"
