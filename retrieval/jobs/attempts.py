"""One attempt at a job of any kind: claimed, run, and recorded however it ends."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from django.db import OperationalError

from common.errors import BadInput
from retrieval.jobs import queue
from retrieval.jobs.child_process import ChildDied
from retrieval.models import Job

logger = logging.getLogger(__name__)

LONGEST_CAUSE = 2000
LOCKED_SECONDS = 30
"""How long a job waits that could not write for others."""
AnyJob = TypeVar("AnyJob", bound=Job)
Claimed = TypeVar("Claimed", bound=Job, contravariant=True)
GoOn = Callable[[Job], bool]


class LeaseLost(Exception):
    """Raised in a worker whose job was cancelled, or claimed by another worker."""


class Interrupted(Exception):
    """Raised in a worker that was told to stop between two chunks."""


class Postponed(Exception):
    """Raised in a worker that must wait for something from outside.

    seconds: until it is worth trying again.
    """

    def __init__(self, why: str, seconds: float) -> None:
        super().__init__(why)
        self.seconds = seconds


class RunJob(Protocol[Claimed]):
    """A function that computes a claimed job.

    It may raise `LeaseLost`, `Interrupted`, `Postponed` or `BadInput`, or fail with any other exception.
    """

    def __call__(self, job: Claimed, /, *, go_on: GoOn) -> None: ...


def keep_going(job: Job) -> bool:
    """Return True: the default for `go_on`, which stops no job."""
    return True


def heartbeat(
    job: Job, go_on: GoOn, done: int, stage: str = "", counts: dict[str, Any] | None = None, **columns: Any
) -> None:
    """Renew the lease, store the progress as `queue.renew_lease` does, and ask whether to go on.

    Raises:
        LeaseLost: the job is no longer ours.
        Interrupted: `go_on` said no.
    """
    if not queue.renew_lease(job, done, stage, counts, **columns):
        raise LeaseLost
    if not go_on(job):
        raise Interrupted


def attempt(of: type[AnyJob], pk: int, worker: str, run: RunJob[AnyJob], *, go_on: GoOn = keep_going) -> bool:
    """Claim a job, run it and record how it ended; return whether it was ours to run.

    `go_on` is called now and then with the job as far as it has come; when it says no, or the
    process is told to end, the job goes back to the queue. Bad input fails a job at once: what is
    wrong in it will be wrong in every attempt.
    """
    job = queue.claim(pk, worker, of)
    if job is None:
        return False
    logger.info("%s %s: attempt %s by %s", _noun(job), pk, job.attempts, worker)
    try:
        run(job, go_on=go_on)
    except LeaseLost:
        logger.info("%s %s is no longer ours", _noun(job), pk)
    except Interrupted:
        queue.release(job)
    except Postponed as error:
        queue.postpone(job, error.seconds, str(error)[:LONGEST_CAUSE])
    except (KeyboardInterrupt, SystemExit):
        queue.release(job)
        raise
    except BadInput as error:
        logger.warning("%s %s failed: %s", _noun(job), pk, error)
        queue.fail(job, str(error), final=True)
    except Exception as error:
        if is_locked(error):
            logger.warning("%s %s waits: %s", _noun(job), pk, error)
            queue.postpone(job, LOCKED_SECONDS, "Others wrote to the database for too long.")
            return True
        logger.exception("%s %s failed in attempt %s", _noun(job), pk, job.attempts)
        # What befell a process of its own is said in a sentence.
        cause = str(error) if isinstance(error, ChildDied) else f"{type(error).__name__}: {error}"
        queue.fail(job, cause[:LONGEST_CAUSE])
    else:
        queue.finish(job)
        logger.info("%s %s: done", _noun(job), pk)
    return True


def is_locked(error: Exception) -> bool:
    """Return whether SQLite gave up waiting for others who write: no fault of the job."""
    return isinstance(error, OperationalError) and "database is locked" in str(error)


def _noun(job: Job) -> str:
    """Return what the log calls this kind of job."""
    return "Job" if job.kind == "candidates" else job.kind.capitalize()
