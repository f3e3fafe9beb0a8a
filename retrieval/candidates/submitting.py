"""A candidate job enters the queue: checked, complete, and from then on frozen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import QuerySet

from common.errors import BadInput
from retrieval.candidates import pooling, sizes
from retrieval.candidates.parameters import checked
from retrieval.engine.ranking import rankers
from retrieval.jobs import notify
from retrieval.jobs.queue import code_version
from retrieval.models import Book, CandidateJob, Excerpt

if TYPE_CHECKING:
    from django.contrib.auth.models import User

LARGEST_SEED = 2**63 - 1


def submit(
    book: Book, *, ranker: str, parameters: Mapping[str, Any], by: User | None = None, seed: int = 0
) -> CandidateJob:
    """Store a new job in the queue, its parameters complete and frozen from now on.

    `seed` draws what is drawn from the job: the golds' places in the order of length, the order of exported
    pools, the intervals of its report.

    Raises:
        BadInput: the ranker or a parameter is wrong, or the book has no excerpt to work on.
    """
    chosen = rankers.get(ranker)
    if not 0 <= seed <= LARGEST_SEED:
        raise BadInput(f"The seed is {seed}; it must be a whole number from 0 to {LARGEST_SEED}.")
    asked, checkpoint, words = pooling.freeze(chosen, checked(chosen, parameters))
    wanted = list(_wanted(book, asked["size"]).values_list("pk", flat=True))
    if not wanted:
        length = "" if asked["size"] is None else f" of {sizes.in_words(asked['size'])}"
        raise BadInput(
            f"The book {book.slug!r} has no excerpt with a passage{length}: "
            "import a source and find its excerpts first, or choose another size."
        )
    job = CandidateJob(
        book=book,
        ranker=chosen.slug,
        parameters=asked,
        made_with=pooling.versions(chosen, asked),
        checkpoint=checkpoint,
        words=words,
        code_version=code_version(),
        created_by=by,
        seed=seed,
        queue=pooling.queue_for(chosen, asked.get("pool")),
        total=len(wanted),
    )
    with transaction.atomic():
        job.save()
        job.excerpts.set(wanted)
    notify.on_commit(job)
    return job


def excerpts_to_rank(job: CandidateJob) -> QuerySet[Excerpt]:
    """Return the job's excerpts in their stable order: those in use when it was submitted.

    One that is rejected or superseded later stays in the set, so that a job stays what it was.
    """
    return job.excerpts.order_by("pk")


def _wanted(book: Book, size: sizes.Sizes) -> QuerySet[Excerpt]:
    placed = Excerpt.objects.in_use().filter(book=book, first__isnull=False)
    ends = sizes.ends(size)
    return placed if ends is None else placed.filter(size__range=ends)
