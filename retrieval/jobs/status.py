"""Sentences on a job for the person who waits: how far it is, how long it takes, why it does not move."""

from __future__ import annotations

import time
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from django.utils.translation import gettext as _

from retrieval.engine.dense.progress import EncodingProgress
from retrieval.jobs import queue, restarts, workers
from retrieval.models import Job, Status

BADGES = {
    Status.QUEUED: "wait",
    Status.RUNNING: "run",
    Status.DONE: "ok",
    Status.FAILED: "bad",
    Status.CANCELLED: "note",
}
"""The badge of each state."""
_WAITS = "The job waits until one is started."
_STANDS = "The job stands still; nothing it has computed is lost, and the next worker goes on from there."
START = "celery -A variorum worker -P solo -Q {queue}"


class Notice(NamedTuple):
    """A sentence on a job, with advice.

    kind: the kind of a page's notice: bad, note or wait.
    text: the sentence.
    advice: what to do.
    command: the command that does it.
    """

    kind: str
    text: str
    advice: str = ""
    command: str = ""


def progress(job: Job, unit: str = "excerpts", *, timed: bool = True) -> str:
    """Return the counts of a job and, while it runs, its rate and the time left as of the last heartbeat.

    `timed`: whether one of what is counted takes as long as another, so that there is a rate.

    The text changes only when the row does. Work kept from before a retry counts
    as done since the start, so after a retry the rate is too high for a while.
    """
    counts = f"{job.done:,} of {job.total:,} {unit}"
    seconds = (job.heartbeat - job.started).total_seconds() if job.heartbeat and job.started else 0.0
    if job.status == Status.DONE and job.finished and job.started:
        return f"{counts} in {duration((job.finished - job.started).total_seconds())}"
    # What is left behind the last one counted, as storing it all, has no rate.
    if job.status != Status.RUNNING or not 0 < job.done < job.total or seconds < 1 or not timed:
        return counts
    rate = job.done / seconds
    return f"{counts} · {_rate(rate)} · about {duration((job.total - job.done) / rate)} left"


def encoding_progress(step: EncodingProgress, since: EncodingProgress, seconds: float) -> str:
    """Return how far an encoder is, its rate in passages and tokens, and the time left by tokens.

    Long passages come first, so that passages alone would promise an end too late.
    """
    counts = f"{step.verb} {step.texts:,} of {step.of_texts:,} passages"
    texts, tokens = step.texts - since.texts, step.tokens - since.tokens
    if not tokens or seconds <= 0:
        return counts
    rate = tokens / seconds
    left = duration((step.of_tokens - step.tokens) / rate)
    return f"{counts} · {_rate(texts / seconds)}, {rate:,.0f} tokens a second · about {left} left"


def notice(job: Job, now: datetime) -> Notice | None:
    """Return why a job that has not ended is not moving, or None if it is; at most three small queries."""
    if job.ended:
        return None
    # generate --wait works on a job by itself where no worker is.
    if (job.status != Status.RUNNING or _seconds_silent(job, now)) and workers.is_absent(job.queue):
        what = _WAITS if job.status == Status.QUEUED else _STANDS
        return _no_worker(job.queue, workers.seconds_since_seen(job.queue), what)
    if job.status == Status.RUNNING:
        return _silence_notice(job, now)
    if job.not_before and job.not_before > now:
        due = duration((job.not_before - now).total_seconds())
        # A job that was postponed counts no attempt, so there may be none that failed.
        failed = f"Try {job.attempts} failed. The next one" if job.attempts else "It is tried again: that"
        return Notice("wait", f"{failed} begins in about {due}.")
    before = queue.count_ahead(job)
    others = "one job is" if before == 1 else f"{before} jobs are"
    ahead = f"{others} before this one." if before else "it begins within a minute."
    return Notice("wait", f"A {worker_for(job.queue)} is there; {ahead}")


def no_worker_notices(queues: Iterable[str]) -> list[Notice]:
    """Return a warning for each of these queues whose jobs no worker would take; two small queries each."""
    waits = "A job that needs it waits until one is started."
    return [
        _no_worker(each, workers.seconds_since_seen(each), waits)
        for each in sorted(set(queues))
        if workers.is_absent(each)
    ]


def worker_for(queue: str) -> str:
    """Return what pages call the workers of that queue."""
    return "worker with a GPU" if queue == "gpu" else "worker"


def duration(seconds: float) -> str:
    """Write a duration in seconds as `8 s`, `3 min` or `2 h 5 min`, in the reader's language."""
    whole = max(1, round(seconds))
    if whole < 90:
        return _("{seconds} s").format(seconds=whole)
    minutes = round(whole / 60)
    if minutes < 90:
        return _("{minutes} min").format(minutes=minutes)
    return _("{hours} h {minutes} min").format(hours=minutes // 60, minutes=minutes % 60)


def worker_ended(now: float) -> str:
    """Return what `serve` says of a worker that ended: when, how, when the next starts; empty if none did.

    `now` in seconds since 1970.
    """
    found = restarts.pending_restart(now)
    if found is None:
        return ""
    left = found.again - now
    again = f"It is started again in {duration(left)}." if left > 0 else "It is being started again."
    ago = duration(now - found.ended)
    return f"The worker ended {ago} ago with status {found.status}. {again}"


def _no_worker(queue: str, silence: float | None, what: str) -> Notice:
    """Return the notice that no worker takes this queue, and what follows from it."""
    if told := worker_ended(time.time()):
        return Notice("bad", f"{told} {what}")
    seen = "has been seen yet" if silence is None else f"has been seen for {duration(silence)}"
    return Notice(
        "bad",
        f"No {worker_for(queue)} {seen}. {what}",
        "Start one where Variorum is installed: make serve starts it with the pages, and this alone:",
        START.format(queue=queue),
    )


def _silence_notice(job: Job, now: datetime) -> Notice | None:
    """Return the notice that a running job has not been heard of for long, or None."""
    silent = _seconds_silent(job, now)
    if not silent:
        return None
    return Notice(
        "note",
        f"Nothing was heard of this job for {duration(silent)}.",
        "When its worker has stopped, another one goes on with it within about a minute.",
    )


def _seconds_silent(job: Job, now: datetime) -> float:
    """Return the seconds since a job's last heartbeat; 0 while they are no reason to worry."""
    silent = (now - job.heartbeat).total_seconds() if job.heartbeat else 0.0
    return silent if silent > workers.ABSENT_SECONDS else 0.0


def _rate(rate: float) -> str:
    if rate >= 10:
        return f"{rate:,.0f} a second"
    return f"{rate:.1f} a second" if rate >= 1 else f"{max(1, round(rate * 60))} a minute"
