"""The Celery app of the workers: `celery -A variorum worker -P solo -Q cpu,gpu`.

Loaded by workers, and by the web process of the scaled mode when it first submits
a job; never when Django starts.
"""

import os
from typing import Any

from celery import Celery
from celery.signals import worker_init

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "variorum.settings")

app = Celery("variorum")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_init.connect
def refuse_newer_database(**told: Any) -> None:
    """End a worker before it takes a job where its code is older than the database."""
    from variorum.server import newer_database

    newer_database.refuse()
