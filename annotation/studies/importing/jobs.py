"""Importing a large file of items in a job: with progress, stopped and begun again between any two items.

The file is kept in the data directory until the job has ended. It is checked as a whole before the first item
is stored; whatever is stored then is found again by the next attempt, which adds the rest.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, transaction

from annotation.items.files import entries
from annotation.items.payloads import FileItem, add_in_parts, checked
from annotation.models import ItemImport, State, Study
from common.errors import BadInput
from common.progress import silent
from retrieval.jobs import attempts, notify, queue
from retrieval.jobs.attempts import GoOn, keep_going
from retrieval.loading import uploads
from retrieval.models import Status

LARGE_FILE = 2**21
"""Bytes from which on a file is imported in a job: about what takes a page some seconds."""
BEAT = 1.0
"""Seconds between two words of progress."""
AT_ONCE = 2**20
PREFIX = "items-"
"""Begins the name of a file that waits for such a job."""
BUSY = "A file is being imported into this study already: wait for its end, or stop it first."


def is_large(study: Study, upload: UploadedFile[Any]) -> bool:
    """Return whether a file is imported in a job. An open study takes what it takes at once."""
    return study.state == State.DRAFT and (upload.size or 0) >= LARGE_FILE


def submit(study: Study, upload: UploadedFile[Any], template: str, *, by: User | None) -> ItemImport:
    """Keep the file and submit its import. Raises `BadInput` where another has not ended, or none fits."""
    name = (upload.name or "items")[: ItemImport._meta.get_field("name").max_length]
    job = ItemImport(study=study, name=name, template=template, created_by=by)
    job.code_version, job.total = queue.code_version(), 2 * lines_of(upload)
    try:
        with transaction.atomic():
            study.item_imports.exclude(status__in=[Status.QUEUED, Status.RUNNING]).delete()
            job.save()
            uploads.keep(f"{PREFIX}{job.pk}", upload.chunks())
    except IntegrityError:
        raise BadInput(BUSY) from None
    notify.on_commit(job)
    return job


def lines_of(upload: UploadedFile[Any]) -> int:
    """Return how many lines a file has."""
    found: int = sum(piece.count(b"\n") for piece in upload.chunks(AT_ONCE))
    return found + 1


def latest(study: Study) -> ItemImport | None:
    """Return the latest import, however it stands."""
    return study.item_imports.select_related("study", "created_by").first()


def attempt(pk: int, worker: str, *, go_on: GoOn = keep_going) -> bool:
    """Claim an import, run it and record how it ended, as `attempts.attempt` does."""
    try:
        return attempts.attempt(ItemImport, pk, worker, run, go_on=go_on)
    finally:
        uploads.remove_stale()


def run(job: ItemImport, *, go_on: GoOn = keep_going) -> None:
    """Check the file, and store its items.

    Raises:
        LeaseLost: the job was cancelled or claimed by another; what was stored so far stays.
        Interrupted: `go_on` said no.
        BadInput: a line is wrong, and nothing was stored; or the draft was changed or opened meanwhile.
    """
    study, beat = Study.objects.get(pk=job.study_id), _Beat(job, go_on)
    with uploads.opened(f"{PREFIX}{job.pk}") as file:

        def found() -> Iterator[FileItem]:
            return beat.told(entries(study.task_type, file, job.name, job.template))

        total = checked(study, found(), silent)
        # What an attempt that was cut off has stored is there before, and is the file's all the same.
        new = max(total, job.counts.get("new", 0))
        attempts.heartbeat(job, go_on, job.total // 2, "Storing", counts={"new": new})
        by, source, told = job.created_by, job.name, total < new
        added = add_in_parts(study, found(), total, by=by, source=source, progress=silent, told=told)
    n = added.new + added.known
    if not n:
        raise BadInput(f"{job.name} holds no item.")
    attempts.heartbeat(job, keep_going, job.total, counts={"new": new, "known": n - new})


class _Beat:
    """Stores how far a job is and renews its lease, once in `BEAT` seconds, as items are read."""

    def __init__(self, job: ItemImport, go_on: GoOn) -> None:
        self._job, self._go_on, self._passes = job, go_on, 0
        self._next = time.monotonic()

    def told(self, found: Iterator[FileItem]) -> Iterator[FileItem]:
        """Yield the items of one pass over the file: the first checks, the next stores."""
        before, half = self._passes, self._job.total // 2
        self._passes = min(1, self._passes + 1)
        for number, each in enumerate(found):
            if time.monotonic() >= self._next:
                self._next = time.monotonic() + BEAT
                done, stage = min(number, half) + before * half, ("Checking", "Storing")[before]
                attempts.heartbeat(self._job, self._go_on, done, stage)
            yield each
