"""A job followed in a terminal: watched while a worker has it, worked on here where there is none."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Protocol

from retrieval.jobs import queue, workers
from retrieval.models import Job

POLL_SECONDS = 0.5
Show = Callable[[Job], bool]


class Attempt(Protocol):
    """A function that works on a job once, as `attempts.attempt` does for one kind of job."""

    def __call__(self, pk: int, worker: str, /, *, go_on: Show) -> bool: ...


def follow(job: Job, attempt: Attempt, show: Show, say: Callable[[str], object]) -> None:
    """Wait until the job has ended, and work on it here while no worker is there.

    `show` is called with the row as it changes, and says whether to go on.
    """
    here = f"{job.kind}-{os.uname().nodename}-{os.getpid()}"
    told = False
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
