"""The Celery app of the workers: `celery -A variorum worker -P solo -Q cpu,gpu`.

Loaded by workers, and by the web process of the scaled mode when it first submits
a job; never when Django starts.
"""

import os
import sys
from typing import Any

from celery import Celery
from celery.signals import task_postrun, task_prerun, worker_init, worker_shutdown

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "variorum.settings")
# Django's checks would load every page of the site, 50 MB of them; `check` and `migrate` make them.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")

app = Celery("variorum")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_init.connect
def refuse_newer_database(**told: Any) -> None:
    """End a worker before it takes a job where its code is older than the database."""
    from variorum.server import newer_database

    newer_database.refuse()


@task_prerun.connect
def name_job(args: tuple[Any, ...] = (), **told: Any) -> None:
    """Let lines of the log name the job that is computed: a task is called with its key and its kind."""
    from variorum.outside import logs

    logs.current_job.set("-".join(str(each) for each in reversed(args)))


@task_postrun.connect
def forget_job(**told: Any) -> None:
    """Let them name none when it has ended."""
    from variorum.outside import logs

    logs.current_job.set("")


@task_postrun.connect
def end_after_training(args: tuple[Any, ...] = (), **told: Any) -> None:
    """Give back what a training took: some hundred MB of PyTorch stay with a process for good.

    The worker ends as it does when it is told to, and goes on as a new program under the same number.
    """
    from celery.worker import state

    from retrieval import tasks
    from retrieval.models import TrainingJob

    if TrainingJob.kind in args and not tasks.stopping.is_set():
        state.should_stop = 0  # type: ignore[assignment]
        # After all others that hear it: they say that this worker leaves.
        worker_shutdown.connect(begin_anew, weak=False)


def begin_anew(**told: Any) -> None:
    """Become the same program again, unless it was told to end meanwhile."""
    from retrieval import tasks

    if not tasks.stopping.is_set():
        os.execv(sys.executable, sys.orig_argv)  # noqa: S606 - this very program
