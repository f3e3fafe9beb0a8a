"""The Celery side of a job: a task that works on one row, and a sweep that finds the rows.

A message is only a nudge. Whatever becomes of it (lost, late, repeated, delivered
to two workers), the row decides who works and what is left to do.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Collection
from datetime import datetime
from importlib import import_module
from typing import Any

from celery import shared_task
from celery.signals import worker_ready, worker_shutdown, worker_shutting_down
from django.conf import settings
from django.db import connections

from retrieval.jobs import chores, notify, queue, workers
from retrieval.loading import uploads
from retrieval.models import CandidateJob, Job

logger = logging.getLogger(__name__)

stopping = threading.Event()
"""Set when this worker is told to end: a job goes back to the queue after its chunk."""
busy = threading.Event()
"""Set while this worker works: it then asks for no further message."""


def name(hostname: str) -> str:
    """Return the name of this process as a worker, different from all others of its machine."""
    return f"{hostname}-{os.getpid()}"


@shared_task(name=notify.TASK, bind=True)
def work(self: Any, pk: int, kind: str = CandidateJob.kind) -> None:
    """Work on a job, if it is still waiting."""
    busy.set()
    try:
        worker = name(self.request.hostname or "local")
        computing(kind).attempt(pk, worker, go_on=lambda job: not stopping.is_set())
    finally:
        busy.clear()


def computing(kind: str) -> Any:
    """Return the module whose `attempt` computes jobs of this kind."""
    return import_module(next(module for of, module in queue.KINDS.items() if of.kind == kind))


class Sweep(threading.Thread):
    """A thread beside the worker: reports that the worker is there, and looks for waiting jobs.

    Args:
        worker: The name to report.
        queues: The queues whose rows to look for.
    """

    def __init__(self, worker: str, queues: Collection[str]) -> None:
        super().__init__(name="sweep", daemon=True)
        self.worker, self.queues = worker, queues
        self._ended = threading.Event()
        self._report_at = self._sweep_at = 0.0

    def run(self) -> None:
        """Run until `end` is called. A database that is away for a while does not end it."""
        while not self._ended.is_set():
            try:
                self.step(time.monotonic())
            except Exception:
                logger.exception("The sweep failed; it goes on")
            finally:
                # This thread has no request whose end would close its connection.
                connections.close_all()
            due = min(self._report_at, self._sweep_at) - time.monotonic()
            self._ended.wait(max(0.1, due))

    def step(self, now: float) -> None:
        """Do what is due at `now`, in seconds of a monotonic clock."""
        if now >= self._report_at:
            self._report_at = now + workers.REPORT_SECONDS
            workers.report(self.worker, self.queues)
        if now >= self._sweep_at:
            self._sweep_at = now + settings.JOB_SWEEP_SECONDS
            sweep(self.queues)

    def end(self) -> None:
        """Stop, and report that the worker has left."""
        self._ended.set()
        self.join(timeout=5)
        workers.leave(self.worker)


def sweep(queues: Collection[str]) -> int:
    """Fail jobs that fell silent for good, and notify workers of those that wait; return how many wait.

    A worker that is busy notifies of none: every sweep of a long job would add messages.
    """
    for kind in queue.KINDS:
        queue.fail_silent_jobs(kind)
    uploads.remove_stale()
    chores.do_all()
    if busy.is_set() or stopping.is_set():
        return 0
    rows = [row for kind in queue.KINDS for row in _waiting(kind, queues)]
    for _, kind_name, pk, name_of_queue in sorted(rows):
        notify.now(pk, name_of_queue, kind_name)
    return len(rows)


def _waiting(kind: type[Job], queues: Collection[str]) -> list[tuple[datetime, str, int, str]]:
    waiting = kind._default_manager.filter(pk__in=queue.claimable(queues, kind))
    return [
        (created, kind.kind, pk, name_of_queue)
        for created, pk, name_of_queue in waiting.values_list("created", "pk", "queue")
    ]


_sweeps: list[Sweep] = []


@worker_ready.connect
def _start(sender: Any, **_: Any) -> None:
    stopping.clear()
    started = Sweep(name(sender.hostname), list(sender.app.amqp.queues.consume_from))
    _sweeps.append(started)
    started.start()


@worker_shutting_down.connect
def _stop(**_: Any) -> None:
    stopping.set()


@worker_shutdown.connect
def _end(**_: Any) -> None:
    while _sweeps:
        _sweeps.pop().end()
    connections.close_all()
