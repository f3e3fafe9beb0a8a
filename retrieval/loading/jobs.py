"""Finding quotations and reading large files in a job.

A process of its own computes (`apart`), so that a text on which a function never returns ends the job and
neither the worker nor the site. What it found is stored in one transaction with the end of the job: killed at
any moment before, the job begins again, to the same rows.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import IntegrityError, transaction

from common.errors import BadInput
from common.wording import counted
from retrieval import loading
from retrieval.curating import aside
from retrieval.jobs import attempts, child_process, notify, queue, status
from retrieval.jobs.attempts import GoOn, LeaseLost, keep_going
from retrieval.loading import many, storing, uploads
from retrieval.models import Book, LoadingJob, LoadingTask, Source, Status
from retrieval.models.loading import PENDING

if TYPE_CHECKING:
    from django.contrib.auth.models import User

BEAT = 1.0
"""Seconds between two words of progress."""
_TEXTS: dict[str, type[Book] | type[Source]] = {LoadingTask.BOOK: Book, LoadingTask.SOURCE: Source}


def submit_search(book: Book, source: Source, *, by: User | None = None) -> LoadingJob:
    """Submit a search for the quotations of a book in a source, or return the one that has not ended.

    Raises:
        BadInput: the two cannot be compared.
    """
    loading.check_comparable(book, source)
    return _submitted(LoadingJob(work=LoadingTask.FIND, book=book, source=source, created_by=by))


def submit_searches(found: many.Pairs, *, by: User | None = None) -> LoadingJob:
    """Submit a search of many pairs, or return the one of the same pairs that has not ended."""
    sources, books = ({pair[side] for pair in found.wanted} for side in (0, 1))
    facts = {"pairs": [list(pair) for pair in found.wanted]}
    job = LoadingJob(
        work=LoadingTask.MANY,
        name=f"{counted(len(books), 'book')} in {counted(len(sources), 'source')}",
        sha256=hashlib.sha256(json.dumps(facts).encode()).hexdigest(),
        facts=facts,
        total=len(found.wanted),
        created_by=by,
    )
    return _submitted(job)


def submit_import(
    work: str,
    data: bytes,
    name: str,
    facts: dict[str, Any],
    *,
    options: dict[str, Any] | None = None,
    by: User | None = None,
) -> LoadingJob:
    """Submit an import of a file, which is kept until the job ends, or return the one that waits for it.

    `facts`: what is said about the text; `options`: how its file is to be read.

    Raises:
        BadInput: a fact is wrong, or too many files wait.
    """
    if work in _TEXTS:
        storing.check_facts(_TEXTS[work](**facts))
    sha256 = hashlib.sha256(data).hexdigest()
    name = name[: LoadingJob._meta.get_field("name").max_length]
    return _submitted(
        LoadingJob(work=work, name=name, sha256=sha256, facts={**facts, **(options or {})}, created_by=by),
        data,
    )


def _submitted(job: LoadingJob, data: bytes | None = None) -> LoadingJob:
    same = LoadingJob.objects.filter(
        PENDING, work=job.work, book=job.book, source=job.source, sha256=job.sha256
    )
    if waiting := same.first():
        return _agreed(job, waiting)
    job.code_version = queue.code_version()
    try:
        with transaction.atomic():
            job.save()
            if data is not None:
                uploads.keep(job.pk, data)
    except IntegrityError:
        # Somebody pressed the button at the same moment.
        if waiting := same.first():
            return _agreed(job, waiting)
        raise
    notify.on_commit(job)
    return job


def _agreed(asked: LoadingJob, waiting: LoadingJob) -> LoadingJob:
    """Return the job that waits, where it was asked for the same. Raises `BadInput` where it was not."""
    if asked.facts != waiting.facts:
        raise BadInput(
            f"{waiting.name} is being imported already with other details ({waiting}); wait until that has "
            "ended, or cancel it on the page of jobs."
        )
    return waiting


def retry(job: LoadingJob) -> bool:
    """Search for quotations again where that failed or was cancelled, unless another search has begun.

    One of many pairs goes on behind those that are done. An import cannot be tried again: its file is gone.
    """
    try:
        with transaction.atomic():
            return job.finds and queue.retry(job.pk, LoadingJob)
    except IntegrityError:
        return False


def attempt(pk: int, worker: str, *, go_on: GoOn = keep_going) -> bool:
    """Claim a loading job, run it and record how it ended, as `attempts.attempt` does."""
    try:
        return attempts.attempt(LoadingJob, pk, worker, run, go_on=go_on)
    finally:
        uploads.remove_stale()


def run(job: LoadingJob, *, go_on: GoOn = keep_going) -> None:
    """Search or import what the job is about, and finish it with the result.

    Raises:
        LeaseLost: the job was cancelled or claimed by another; nothing is stored.
        Interrupted: `go_on` said no.
        BadInput: as the import, or it took too long.
    """
    watch = _LoadingHeartbeat(job, go_on)
    if job.many:
        many.run(job, watch)
        return
    try:
        with child_process.ChildProcess(settings.LOADING_SECONDS, watch) as compute:
            _WORK[job.work](job, {"progress": watch.tell, "compute": compute})
    except child_process.TimeLimitReached:
        raise BadInput(_too_long(job)) from None


def _find(job: LoadingJob, how: dict[str, Any]) -> None:
    assert job.book  # noqa: S101 - a CHECK
    assert job.source  # noqa: S101

    def ended(found: loading.SearchResult) -> None:
        counts = {"new": found.new, "known": found.known, "set_aside": found.set_aside}
        _end(job, {**counts, "dropped": dict(found.dropped.most_common())})

    loading.search(job.book, job.source, **how, also=ended)


def _text(job: LoadingJob, how: dict[str, Any]) -> None:
    """Import a book or a source; its row goes into the job's column of that name."""

    def ended(read: loading.ImportedBook | loading.ImportedSource) -> None:
        row, created, remarks = read
        counts = {"created": created, "remarks": list(remarks)}
        if isinstance(row, Book):
            counts["aside"] = aside.in_lines(aside.set_aside(row))
        _end(job, counts, **{job.work: row})

    load = loading.import_book if job.work == LoadingTask.BOOK else loading.import_source
    load(uploads.read(job.pk), name=job.name, **job.facts, **how, also=ended)


def _relic(job: LoadingJob, how: dict[str, Any]) -> None:
    def ended(read: list[loading.ImportedRelic]) -> None:
        _end(job, {"books": relic_rows(read)})

    loading.import_relic(uploads.read(job.pk), name=job.name, **job.facts, **how, also=ended)


_WORK: dict[str, Callable[[LoadingJob, dict[str, Any]], None]] = {
    LoadingTask.FIND: _find,
    LoadingTask.BOOK: _text,
    LoadingTask.SOURCE: _text,
    LoadingTask.RELIC: _relic,
}


def relic_rows(read: list[loading.ImportedRelic]) -> list[dict[str, Any]]:
    """Return what a page shows of each book of a RELiC file."""
    return [
        {
            "slug": each.book.slug,
            "title": each.book.title,
            "sentences": each.book.n_sentences,
            "new": each.new,
            "known": each.known,
            "remarks": list(each.remarks),
        }
        for each in read
    ]


def _end(job: LoadingJob, counts: dict[str, Any], **columns: Any) -> None:
    """RUNNING → DONE, in the transaction that stores the result."""
    if not queue.finish(job, counts=counts, done=job.total, **columns):
        raise LeaseLost
    job.status = Status.DONE


class _LoadingHeartbeat:
    """Stores how far the work is, renews the lease, and asks whether to go on."""

    def __init__(self, job: LoadingJob, go_on: GoOn) -> None:
        self._job, self._go_on = job, go_on
        self._next = 0.0

    def tell(self, done: int, total: int, stage: str) -> None:
        job, stage = self._job, stage.capitalize()
        if stage != job.stage:
            self._next = 0.0
        job.done, job.total, job.stage = done, total, stage
        self()

    def __call__(self) -> None:
        now = time.monotonic()
        if now < self._next or self._job.ended:
            return
        self._next = now + BEAT
        attempts.heartbeat(self._job, self._go_on, self._job.done, total=self._job.total)


def _too_long(job: LoadingJob) -> str:
    stage = f"{job.stage[:1].lower()}{job.stage[1:]}" or "getting ready"
    stood = f"{stage}, {job.done:,} of {job.total:,} {_unit(job)}" if job.total > 1 else stage
    return (
        f"{subject(job)}: ended after {status.duration(settings.LOADING_SECONDS)}, the longest this may take."
        f" It stood at: {stood}. Nothing was stored. Where the texts are very long, VARIORUM_LOADING_SECONDS "
        "allows more time; where they are not, please report them."
    )


def subject(job: LoadingJob) -> str:
    """Return what the job is about, in a line."""
    if job.work == LoadingTask.FIND:
        return f"Quotations of {job.book} in {job.source}"
    return f"{job.get_work_display()}, {job.name}"


def progress(job: LoadingJob) -> str:
    """Return how far it is, in words; the steps of a text's import take very different times."""
    if not job.total or (job.total == 1 and not job.done):
        return "getting ready" if job.status == Status.RUNNING else "not begun"
    return status.progress(job, _unit(job), timed=job.work not in _TEXTS)


def _unit(job: LoadingJob) -> str:
    units = {LoadingTask.FIND: "sentences", LoadingTask.MANY: "pairs", LoadingTask.RELIC: "books"}
    return units.get(LoadingTask(job.work), "steps")
