"""A job followed in a terminal: watched while a worker has it, worked on here where there is none."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Protocol

from django.core.management.base import CommandError
from tqdm import tqdm

from retrieval.jobs import queue, workers
from retrieval.jobs.attempts import GoOn
from retrieval.models import Job

POLL_SECONDS = 0.5


class Attempt(Protocol):
    """A function that works on a job once, as `attempts.attempt` does for one kind of job."""

    def __call__(self, pk: int, worker: str, /, *, go_on: GoOn) -> bool: ...


def follow(job: Job, attempt: Attempt, say: Callable[[str], object], *, unit: str = "") -> None:
    """Draw a bar until the job has ended, and work on it here while no worker is there.

    `unit`: what is counted, where it is not what jobs of its kind count.
    """
    here = f"{job.kind}-{os.uname().nodename}-{os.getpid()}"
    told = False
    with tqdm(total=job.total or None, initial=job.done, disable=None, unit=f" {unit or job.unit}") as bar:

        def show(current: Job) -> bool:
            bar.total = current.total or None
            bar.set_description_str(current.stage, refresh=False)
            bar.update(current.done - bar.n)
            return True

        while not job.ended:
            worked = False
            if workers.is_absent(job.queue):
                if not told:
                    say(f"No worker is there for the queue {job.queue}: working here.")
                    told = True
                queue.fail_silent_jobs(type(job))
                worked = attempt(job.pk, here, go_on=show)
            job.refresh_from_db()
            show(job)
            if not worked and not job.ended:
                time.sleep(POLL_SECONDS)


def follow_or_stop(
    job: Job, attempt: Attempt, say: Callable[[str], object], *, kept: str, again: str, unit: str = ""
) -> None:
    """Follow a job; where the terminal is interrupted, say how far it is and what goes on with it.

    Args:
        kept: What is not lost, as the beginning of a sentence that ends in "a worker goes on with it".
        again: The command that goes on with it, too.
        job, attempt, say, unit: As of `follow`.

    Raises:
        CommandError: it was interrupted.
    """
    try:
        follow(job, attempt, say, unit=unit)
    except KeyboardInterrupt:
        job.refresh_from_db()
        raise CommandError(
            f"Stopped at {job.done:,} of {job.total:,}. {kept} a worker goes on with it, and so does: "
            f"{again}",
            returncode=130,
        ) from None
