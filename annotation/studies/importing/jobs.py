"""Importing a large file of items in a job: with progress, stopped and begun again between any two items.

The file is kept in the data directory until the job has ended. It is checked as a whole before the first item
is stored. What a draft has then is found again by the next attempt, which adds the rest; a study that is open
gets all items at once, as the job ends.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.items.files import entries
from annotation.items.payloads import Entry, add_in_parts, checked
from annotation.items.prepared import Prepared
from annotation.models import Event, ItemImport, State, Study
from annotation.studies.importing.into_open import Changed, into_open
from annotation.studies.running.adding import refuse_closed
from common.errors import BadInput
from common.progress import silent
from retrieval.jobs import attempts, notify, queue
from retrieval.jobs.attempts import GoOn, LeaseLost, Postponed, keep_going
from retrieval.loading import uploads
from retrieval.models import Status

LARGE_FILE = 2**21
"""Bytes from which on a file is imported in a job: about what takes a page some seconds."""
BEAT = 1.0
"""Seconds between two words of progress."""
AT_ONCE = 2**20
AGAIN_SECONDS = 5
"""How long the file waits that is checked again."""
PREFIX = "items-"
"""Begins the name of a file that waits for such a job."""
STOPPED = "build stopped"
"""What is recorded of an import that left a draft with a part of the items."""
BUSY = "A file is being imported into this study already: wait for its end, or stop it first."


def is_large(upload: UploadedFile[Any]) -> bool:
    """Return whether a file is imported in a job."""
    return (upload.size or 0) >= LARGE_FILE


def submit(
    study: Study, upload: UploadedFile[Any], template: str, *, by: User | None, printed: bool = False
) -> ItemImport:
    """Keep the file and submit its import. Raises `BadInput` where another has not ended, or none fits.

    `printed`: into a study that is open, although answers can then be found without reading.
    """
    to_open = study.state != State.DRAFT
    if to_open:
        refuse_closed(study)
    name = (upload.name or "items")[: ItemImport._meta.get_field("name").max_length]
    job = ItemImport(study=study, name=name, template=template, created_by=by, to_open=to_open)
    job.printed = to_open and printed
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
        LeaseLost: the job was cancelled or claimed by another; what a draft has by then stays.
        Interrupted: `go_on` said no.
        Postponed: somebody else added items to the open study meanwhile; the file is checked again.
        BadInput: a line is wrong, and nothing was stored; or the study was changed, opened or closed.
    """
    try:
        _checked_and_stored(job, go_on)
    except (LeaseLost, BadInput) as error:
        # Nobody goes on with a job that was lost, unless another worker has claimed it.
        if not job.to_open and (isinstance(error, BadInput) or not is_pending(job)):
            record_stopped(job)
        raise


def _checked_and_stored(job: ItemImport, go_on: GoOn) -> None:
    study, beat = Study.objects.get(pk=job.study_id), _Beat(job, go_on)
    if job.to_open:
        refuse_closed(study)
    with uploads.opened(f"{PREFIX}{job.pk}") as file:
        lines = entries(study.task_type, file, job.name, job.template)
        ready = checked(study, beat.checking(lines), silent)
    if not ready.new + ready.known:
        raise BadInput(f"{job.name} holds no item.")
    (_into_open if job.to_open else _into_draft)(job, study, ready, beat)


def _into_draft(job: ItemImport, study: Study, ready: Prepared, beat: _Beat) -> None:
    """Store the items part by part."""
    n = ready.new + ready.known
    # What an attempt that was cut off has stored is there before, and is the file's all the same.
    new = max(ready.new, job.counts.get("new", 0))
    beat.now(0, 1, "Storing", counts={"new": new})
    told = ready.new < new
    add_in_parts(study, ready, by=job.created_by, source=job.name, progress=beat.storing, told=told)
    attempts.heartbeat(job, keep_going, job.total, counts={"new": new, "known": n - new})


def is_pending(job: ItemImport) -> bool:
    """Return whether a job waits, or is a worker's."""
    return ItemImport.objects.filter(pk=job.pk, status__in=[Status.QUEUED, Status.RUNNING]).exists()


def record_stopped(job: ItemImport, by: User | None = None) -> None:
    """Record once that an import into a draft ended before all its items were stored.

    When the first were, the record was told of all of them; what the draft has now stands beside it.
    """
    own = job.study.events.filter(data__file=job.name, created__gte=job.created)
    began = own.filter(verb="build").first()
    if began is not None and not own.filter(verb=STOPPED).exists():
        data = {**began.data, "in_draft": job.study.items.count()}
        Event.objects.create(study=job.study, actor=by, verb=STOPPED, data=data)


def stop(job: ItemImport, *, by: User | None) -> bool:
    """Stop an import, and return whether it was under way. What a draft has of it stays."""
    lapsed = job.lease_until is not None and job.lease_until <= timezone.now()
    if not queue.cancel(job.pk, ItemImport):
        return False
    # Else its worker does, which knows when it has stored the last.
    if (job.status == Status.QUEUED or lapsed) and not job.to_open:
        record_stopped(job, by)
    return True


def _into_open(job: ItemImport, study: Study, ready: Prepared, beat: _Beat) -> None:
    """RUNNING → DONE with all items stored and given out."""
    counts = {"new": ready.new, "known": ready.known}

    def finish() -> None:
        if not queue.finish(job, counts=counts, done=job.total):
            raise LeaseLost

    beat.now(0, 1, "Looking for printed answers")
    try:
        into_open(
            study,
            ready,
            by=job.created_by,
            source=job.name,
            printed=job.printed,
            tell=beat.searching,
            # From here on the row is ours: who would stop the import waits, and hears that it had ended.
            first=lambda: beat.now(1, 1, "Storing"),
            after=finish,
        )
    except Changed as error:
        raise Postponed(str(error), AGAIN_SECONDS) from None


class _Beat:
    """Stores how far a job is and renews its lease, once in `BEAT` seconds.

    The first half of it is that the lines are checked, the second what follows.
    """

    def __init__(self, job: ItemImport, go_on: GoOn) -> None:
        self._job, self._go_on, self._half = job, go_on, job.total // 2
        self._next = time.monotonic()

    def checking(self, found: Iterator[Entry]) -> Iterator[Entry]:
        """Yield the items of the file, and what is wrong with it."""
        for number, each in enumerate(found):
            if self._due():
                attempts.heartbeat(self._job, self._go_on, min(number, self._half), "Checking")
            yield each

    def storing(self, done: int, total: int, stage: str) -> None:
        """Tell of a part that was stored."""
        if self._due():
            self.now(done, total, stage)

    def searching(self, done: int, total: int) -> None:
        """Tell of a text that was searched for answers."""
        if self._due():
            self.now(done, total, "Looking for printed answers")

    def now(self, done: int, total: int, stage: str, counts: dict[str, int] | None = None) -> None:
        """Tell how far the second half is."""
        attempts.heartbeat(self._job, self._go_on, self._half + self._half * done // total, stage, counts)

    def _due(self) -> bool:
        if time.monotonic() < self._next:
            return False
        self._next = time.monotonic() + BEAT
        return True
