"""A corpus searched in a job.

What takes long (the index, the vectors, the rows of the run) is kept block by block, so a search that is
stopped goes on from there; the run is seen with the end of the job.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from django.db import IntegrityError, transaction

from common.errors import BadField
from retrieval.corpora.models import Corpus, Run, RunState, SearchJob, TopicSet
from retrieval.corpora.searching import plans, running, similarity, staging
from retrieval.corpora.searching.plans import AnyPlan, DensePlan, SimilarityPlan
from retrieval.dense import checkpoints
from retrieval.engine.ranking import rankers
from retrieval.jobs import attempts, notify, queue
from retrieval.jobs.attempts import GoOn, LeaseLost, keep_going

if TYPE_CHECKING:
    from django.contrib.auth.models import User

BEAT = 1.0
"""Seconds between two words of progress."""


def submit(
    corpus: Corpus, topics: TopicSet, name: str, plan: AnyPlan, *, by: User | None = None
) -> SearchJob:
    """Store a new search in the queue.

    Raises:
        BadInput: there is no topic, no such wording or checkpoint, nothing of what a ranker needs, or the
            name is taken.
    """
    if not topics.members.exists():
        raise BadField("topics", f"“{topics}” has no topic yet; add one first.")
    running.check_name(Run(corpus=corpus, topics=topics, name=name, depth=plan.depth))
    plans.check_wordings(plan, topics)
    where: rankers.Queue = "cpu"
    if isinstance(plan, DensePlan):
        where = checkpoints.queue_for(rankers.get(plan.ranker))
        checkpoints.find(plan.checkpoint)
    if isinstance(plan, SimilarityPlan):
        where = checkpoints.queue_for(rankers.get(plan.ranker))
        plan = similarity.written_out(corpus, plan)
    job = SearchJob(
        corpus=corpus,
        topics=topics,
        name=name,
        plan=plans.as_json(plan),
        code_version=queue.code_version(),
        created_by=by,
        queue=where,
    )
    try:
        with transaction.atomic():
            job.save()
    except IntegrityError:
        raise BadField("name", f'A search "{name}" has not ended yet; choose another name.') from None
    notify.on_commit(job)
    return job


def cancel(job: SearchJob) -> bool:
    """Cancel a search that has not ended; no run is stored, and what is built of index or vectors is kept."""
    cancelled = queue.cancel(job.pk, SearchJob)
    if cancelled:
        for run in Run.everything.filter(corpus=job.corpus, name=job.name, state=RunState.STAGED):
            staging.discard(run)
    return cancelled


def retry(job: SearchJob) -> bool:
    """Search again where that failed or was cancelled, unless another search has the name by now."""
    try:
        with transaction.atomic():
            return queue.retry(job.pk, SearchJob)
    except IntegrityError:
        return False


def attempt(pk: int, worker: str, *, go_on: GoOn = keep_going) -> bool:
    """Claim a search, run it and record how it ended, as `attempts.attempt` does."""
    return attempts.attempt(SearchJob, pk, worker, run, go_on=go_on)


def run(job: SearchJob, *, go_on: GoOn = keep_going) -> None:
    """Search, and store the run with the end of the job.

    Raises:
        LeaseLost: the job was cancelled or claimed by another; no run is stored.
        Interrupted: `go_on` said no.
        BadInput: as `running.make_run`.
    """

    def ended(made: Run) -> None:
        if not queue.finish(job, run=made, done=job.total):
            raise LeaseLost

    running.make_run(
        job.corpus,
        job.topics,
        job.name,
        plans.from_json(job.plan),
        by=job.created_by,
        progress=Heartbeat(job, go_on),
        also=ended,
    )


class Heartbeat:
    """Stores how far the search is, renews the lease, and asks whether to go on."""

    def __init__(self, job: SearchJob, go_on: GoOn) -> None:
        self._job, self._go_on = job, go_on
        self._next = 0.0

    def __call__(self, done: int, total: int, stage: str) -> None:
        now, stage = time.monotonic(), stage.capitalize()
        if now < self._next and stage == self._job.stage:
            return
        self._next = now + BEAT
        self._job.total = max(total, done)
        attempts.heartbeat(self._job, self._go_on, done, stage, total=self._job.total)
