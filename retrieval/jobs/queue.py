"""The state machine of a job: the row is the queue.

    submit ─► QUEUED ─claim─► RUNNING ─finish─► DONE
                 ▲               │ ├─ fail: again after a back-off, or FAILED with the cause
                 └──── lease ────┘ └─ cancel ─► CANCELLED

Each transition is one conditional UPDATE whose row count is the answer, so of two
who try, one succeeds. Time is the database's, never a worker's clock. A claim is
ours as long as the row carries our name and the number of our attempt; the lease
only says from when on somebody else may claim it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import timedelta
from functools import cache
from typing import Any, TypeVar

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F, Q, QuerySet
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Coalesce, Now

from common import chat, errors, progress, strict_json, translation, wording
from common.code_digest import code_digest
from common.texts import surface
from retrieval import engine
from retrieval.jobs import notify
from retrieval.models import CandidateJob, EncodingJob, Job, LoadingJob, Status, TrainingJob

FIRST_BACKOFF = 5
"""Seconds until the second attempt; each further one waits four times as long."""
AT_ONCE = 100
LONGEST_NAME = 200
LONGEST_STAGE = Job._meta.get_field("stage").max_length
UNCLAIMED: dict[str, Any] = {"worker": "", "lease_until": None}
KINDS: dict[type[Job], str] = {
    CandidateJob: "retrieval.candidates.pipeline",
    TrainingJob: "retrieval.training.run",
    EncodingJob: "retrieval.dense.encoding_jobs",
    LoadingJob: "retrieval.loading.jobs",
}
"""Every kind of job, with the module whose `attempt` computes it. Those below that take a key also take its
kind, `of`.
"""

CODE = (engine, chat, errors, progress, strict_json, surface, translation, wording)
"""What a job computes with: the engine, and what the engine imports from below."""

AnyJob = TypeVar("AnyJob", bound=Job)


def register(of: type[Job], module: str) -> None:
    """Let workers compute a kind of job of an application above; `module` is imported by them alone."""
    KINDS[of] = module


def submit_once(job: AnyJob, waiting: QuerySet[AnyJob], forget: Callable[[], object]) -> AnyJob:
    """Store a job and tell the workers, or return the one of those `waiting` that asks for the same.

    `forget` takes away, in the same transaction, what the new job makes superfluous. A constraint of its
    table keeps two that wait from being the same.
    """
    if there := waiting.first():
        return there
    try:
        with transaction.atomic():
            forget()
            job.save()
    except IntegrityError:
        # Somebody pressed the button at the same moment.
        if there := waiting.first():
            return there
        raise
    notify.on_commit(job)
    return job


def claimable(queues: Collection[str], of: type[Job] = CandidateJob) -> list[int]:
    """Return the keys of jobs that can be claimed now, longest waiting first, at most a hundred."""
    rows = _all(of).filter(_claimable(), queue__in=queues).order_by("pk")
    return list(rows.values_list("pk", flat=True)[:AT_ONCE])


def count_ahead(job: Job) -> int:
    """Count the jobs of any kind that were submitted to the same queue before this one and have not ended."""
    pending = Q(queue=job.queue, status__in=(Status.QUEUED, Status.RUNNING))
    earlier = Q(created__lt=job.created)
    return sum(_all(kind).filter(pending & earlier).count() for kind in KINDS)


def awaited() -> list[str]:
    """Return the queues in which a job of any kind waits or runs; one query."""
    pending = Q(status__in=(Status.QUEUED, Status.RUNNING))
    first, *rest = (_all(kind).filter(pending).order_by().values_list("queue", flat=True) for kind in KINDS)
    return sorted(first.union(*rest))


def claim(pk: int, worker: str, of: type[AnyJob] = CandidateJob) -> AnyJob | None:  # type: ignore[assignment]
    """Claim the job for a lease and return it; None if another worker was faster or it cannot be claimed.

    A running job whose lease has ended is claimed like a waiting one.
    """
    name = worker[:LONGEST_NAME]
    taken = (
        _all(of)
        .filter(_claimable(), pk=pk)
        .update(
            status=Status.RUNNING,
            attempts=F("attempts") + 1,
            worker=name,
            heartbeat=Now(),
            lease_until=_lease(),
            started=Coalesce(F("started"), Now()),
            not_before=None,
        )
    )
    if not taken:
        return None
    return _all(of).filter(pk=pk, status=Status.RUNNING, worker=name).first()


def renew_lease(
    job: Job, done: int, stage: str = "", counts: Mapping[str, Any] | None = None, **columns: Any
) -> bool:
    """Renew the lease and store the progress; return False when the job is no longer ours.

    Called in the transaction that stores a chunk, so that rows, progress and
    `counts` are stored together or not at all; `columns` are others of the row.
    """
    progress: dict[str, Any] = {"done": done, "stage": (stage or job.stage)[:LONGEST_STAGE], **columns}
    if counts is not None:
        progress["counts"] = dict(counts)
    held = _ours(job).update(heartbeat=Now(), lease_until=_lease(), **progress)
    if held:
        for name, value in progress.items():
            setattr(job, name, value)
    return bool(held)


def finish(job: Job, **columns: Any) -> bool:
    """End a job as done (RUNNING → DONE) and write `columns` with it; False where it is no longer ours."""
    ended = {"status": Status.DONE, "finished": Now(), "stage": "", "error": "", **UNCLAIMED}
    return bool(_ours(job).update(**ended, **columns))


def fail(job: Job, error: str, *, final: bool = False) -> bool:
    """End an attempt: RUNNING → QUEUED after a back-off while attempts are left, else FAILED.

    `error`: why, for people.

    `final`: another attempt would fail as this one did.
    """
    if job.attempts < settings.JOB_MAX_ATTEMPTS and not final:
        after = Now() + timedelta(seconds=FIRST_BACKOFF * 4 ** (job.attempts - 1))
        changed = _ours(job).update(status=Status.QUEUED, not_before=after, error=error, **UNCLAIMED)
    else:
        changed = _ours(job).update(status=Status.FAILED, finished=Now(), error=error, **UNCLAIMED)
    return bool(changed)


def release(job: Job) -> bool:
    """Give a running job back (RUNNING → QUEUED) because the worker is told to stop.

    The attempt is not counted.
    """
    return bool(_ours(job).update(status=Status.QUEUED, attempts=F("attempts") - 1, **UNCLAIMED))


def postpone(job: Job, seconds: float, why: str) -> bool:
    """Give a running job back (RUNNING → QUEUED) for so long, because what it needs is not to be had now.

    The attempt is not counted: whoever said when to come back will be asked again then.
    """
    after = Now() + timedelta(seconds=seconds)
    waiting = {"status": Status.QUEUED, "attempts": F("attempts") - 1, "not_before": after, "error": why}
    return bool(_ours(job).update(**waiting, **UNCLAIMED))


def fail_silent_jobs(of: type[Job] = CandidateJob) -> int:
    """Fail every job whose last attempt has stopped renewing its lease; return how many.

    A job that kills its worker can report nothing, so this is where it ends.
    """
    silent = _all(of).filter(
        status=Status.RUNNING, lease_until__lte=Now(), attempts__gte=settings.JOB_MAX_ATTEMPTS
    )
    cause = (
        f"The worker fell silent for {settings.JOB_LEASE_SECONDS} s in each of "
        f"{settings.JOB_MAX_ATTEMPTS} attempts: it was stopped, or ran out of memory."
    )
    return silent.update(status=Status.FAILED, finished=Now(), error=cause, **UNCLAIMED)


def cancel(pk: int, of: type[Job] = CandidateJob) -> bool:
    """Cancel a job that waits or runs; its worker learns it at the next heartbeat. What was stored stays."""
    pending = _all(of).filter(pk=pk, status__in=(Status.QUEUED, Status.RUNNING))
    return bool(pending.update(status=Status.CANCELLED, finished=Now(), **UNCLAIMED))


def retry(pk: int, of: type[Job] = CandidateJob) -> bool:
    """Put a failed or cancelled job back into the queue with all attempts again.

    What was computed is kept.
    """
    ended = _all(of).filter(pk=pk, status__in=(Status.FAILED, Status.CANCELLED))
    changed = ended.update(
        status=Status.QUEUED,
        attempts=0,
        not_before=None,
        started=None,
        finished=None,
        error="",
        **UNCLAIMED,
    )
    if changed:
        notify.on_commit(_all(of).only("queue").get(pk=pk))
    return bool(changed)


@cache
def code_version() -> str:
    """Return the release and a digest of the engine's code, which needs no version control."""
    return f"{settings.VERSION}+engine.{code_digest(*CODE)}"


def _claimable() -> Q:
    """Return the condition under which a job can be claimed: it is due, or its lease has run out."""
    due = Q(status=Status.QUEUED) & (Q(not_before__isnull=True) | Q(not_before__lte=Now()))
    lapsed = Q(status=Status.RUNNING, lease_until__lte=Now())
    return (due | lapsed) & Q(attempts__lt=settings.JOB_MAX_ATTEMPTS)


def _all(of: type[AnyJob]) -> QuerySet[AnyJob]:
    return of._default_manager.all()


def _ours(job: AnyJob) -> QuerySet[AnyJob]:
    """Return the row as a query, as long as it is claimed by this worker in this attempt."""
    return _all(type(job)).filter(pk=job.pk, status=Status.RUNNING, worker=job.worker, attempts=job.attempts)


def _lease() -> CombinedExpression:
    return Now() + timedelta(seconds=settings.JOB_LEASE_SECONDS)
