"""Encode a book in a job: every passage of one length becomes a vector, so that it can be searched.

What comes of a job is a file under `vectors/` in the data directory, complete or not there at all: a job that
is stopped begins again, and one whose vectors are kept already is done at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from common.errors import BadInput
from retrieval.dense import checkpoints
from retrieval.dense.encoding_heartbeat import EncodingHeartbeat
from retrieval.engine.ranking import rankers
from retrieval.engine.text import passages
from retrieval.jobs import attempts, notify, queue
from retrieval.jobs.attempts import GoOn, keep_going
from retrieval.models import Book, EncodingJob

if TYPE_CHECKING:
    from django.contrib.auth.models import User

SIZES = (1, 20)
"""Fewest and most sentences of a passage that is encoded, or searched for."""


def submit(book: Book, spec: str, size: int, *, by: User | None = None) -> EncodingJob:
    """Store a new job in the queue, or return the one for these passages that has not ended.

    `spec`: `dense:NAME`, with the name of a checkpoint.

    Raises:
        BadInput: the ranker encodes nothing, or is unknown, as is the checkpoint; the size is out of range.
    """
    ranker, given = checkpoints.parse_ranker(spec)
    if checkpoints.KIND not in ranker.parameters:
        raise BadInput(f"The ranker {ranker.slug} encodes no passages; it can search any book at once.")
    lowest, highest = SIZES
    if not lowest <= size <= min(highest, book.n_sentences):
        raise BadInput(f"The size is {size}; it must be from {lowest} to {min(highest, book.n_sentences)}.")
    where = checkpoints.queue_for(ranker)
    asked, frozen = checkpoints.freeze(ranker, rankers.complete(ranker, given), checkpoints.PRECISION[where])
    waiting = latest(book, ranker.slug, asked[checkpoints.KIND], size)
    if waiting and not waiting.ended:
        return waiting
    job = EncodingJob.objects.create(
        book=book,
        size=size,
        ranker=ranker.slug,
        parameters=asked,
        checkpoint=frozen.sha256 if frozen else "",
        code_version=queue.code_version(),
        created_by=by,
        queue=where,
        total=passages.count(book.n_sentences, size),
    )
    notify.on_commit(job)
    return job


def latest(book: Book, ranker: str, checkpoint: str, size: int) -> EncodingJob | None:
    """Return the last job on these passages, with its book as given, or None."""
    found = EncodingJob.objects.filter(
        book=book, size=size, ranker=ranker, **{f"parameters__{checkpoints.KIND}": checkpoint}
    )
    job = found.order_by("-pk").first()
    if job:
        job.book = book
    return job


def attempt(pk: int, worker: str, *, go_on: GoOn = keep_going) -> bool:
    """Claim an encoding, run it and record how it ended, as `attempts.attempt` does."""
    return attempts.attempt(EncodingJob, pk, worker, run, go_on=go_on)


def run(job: EncodingJob, *, go_on: GoOn = keep_going) -> None:
    """Encode the passages that are not encoded yet.

    Raises:
        LeaseLost: the job was cancelled or claimed by another.
        Interrupted: `go_on` said no.
        BadInput: the checkpoint has changed or is gone, or there is no GPU that is asked for.
    """
    ranker = rankers.get(job.ranker)
    attempts.heartbeat(job, go_on, 0, "Loading the encoders")
    watch = EncodingHeartbeat(job, go_on, lambda step: min(step.texts, job.total))
    texts = passages.texts(job.book.text, job.book.bounds(), job.size)
    ranker.prepare(
        texts, checkpoints.with_checkpoint(ranker, job.parameters, sha256=job.checkpoint, progress=watch)
    )
    # Passages that read the same are encoded once, so the count ends before the number of passages.
    attempts.heartbeat(job, keep_going, job.total)
