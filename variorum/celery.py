"""The Celery app of the workers: `celery -A variorum worker -P solo -Q cpu,gpu`.

Loaded by workers, and by the web process of the scaled mode when it first submits
a job; never when Django starts.
"""

import os
from typing import Any

from celery import Celery
from celery.signals import task_postrun, task_prerun, worker_init

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "variorum.settings")

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
