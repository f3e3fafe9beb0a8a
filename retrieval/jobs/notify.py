"""Tell the workers that a job waits. Nothing depends on it: the sweep finds every waiting job.

The task is named and not imported, so that what submits a job knows nothing of what computes it.
"""

from __future__ import annotations

import logging
from functools import partial

from django.conf import settings
from django.db import transaction

from retrieval.models import CandidateJob, Job

logger = logging.getLogger(__name__)

TASK = "retrieval.work"
"""The name under which a worker knows the task."""


def on_commit(job: Job) -> None:
    """Notify when the row is committed, if there is a broker; an embedded worker looks every second."""
    if not settings.EMBEDDED:
        transaction.on_commit(partial(now, job.pk, job.queue, job.kind), robust=True)


def now(pk: int, queue: str, kind: str = CandidateJob.kind) -> None:
    """Send the message of one job to its queue. If the broker is away, the next sweep finds the job."""
    # The embedded web process never loads Celery.
    from celery.app.utils import find_app
    from kombu.exceptions import OperationalError

    app = find_app("variorum")  # by name, as the settings are: what configures this app stands above it
    try:
        app.send_task(TASK, (pk, kind), queue=queue, retry=False)
    except OperationalError as error:
        # The message of the error may hold the address with its password.
        logger.warning(
            "%s job %s waits for the sweep: the broker is away (%s)", kind, pk, type(error).__name__
        )
