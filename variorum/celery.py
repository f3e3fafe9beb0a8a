"""The Celery app of the workers: `celery -A variorum worker -P solo -Q cpu,gpu`.

Loaded by workers, and by the web process of the scaled mode when it first submits
a job; never when Django starts.
"""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "variorum.settings")

app = Celery("variorum")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
