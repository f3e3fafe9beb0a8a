"""An export is an event of the record, and leaves also where no event can be stored: the disk is full.

Who runs the site must be able to take out what there is before they make room.
"""

from __future__ import annotations

import logging
from typing import Any

from django.contrib.auth.models import User
from django.db import OperationalError, transaction

from annotation.models import Event, Study

logger = logging.getLogger(__name__)
FULL = "disk is full"
"""What SQLite says of a disk without room; PostgreSQL says it by class 53100."""
DISK_FULL = "53100"


def note_export(study: Study | None, *, by: User | None, **data: Any) -> None:
    """Store that an export was made, and of what; where the disk is full, say it in the log instead."""
    try:
        with transaction.atomic():
            Event.objects.create(study=study, actor=by, verb="export", data=data)
    except OperationalError as error:
        if not is_full(error):
            raise
        of = study.slug if study else "the site"
        logger.error("An export of %s by %s is not in the record: %s: %s", of, by and by.pk, error, data)


def is_full(error: OperationalError) -> bool:
    """Return whether the database could not write because its disk is full."""
    return FULL in str(error) or getattr(error.__cause__, "sqlstate", None) == DISK_FULL
