"""A re-ranking in a job: prepared, launched, and stored as a run like others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from django.db import transaction

from common.errors import BadField
from machines.endpoints import find
from retrieval.corpora.models import Corpus, EndpointJob, Pool, Run, TopicSet, What
from retrieval.corpora.reranking import estimating, jobs, plans, ties
from retrieval.corpora.reranking.estimating import LOOKED_AT, Expected
from retrieval.corpora.reranking.jobs import Door, Limits
from retrieval.corpora.reranking.ordering import Reorder, notes
from retrieval.corpora.reranking.passages import Shown, Source
from retrieval.corpora.reranking.plans import RerankPlan
from retrieval.corpora.searching import running
from retrieval.corpora.searching.judged import RESIDUAL
from retrieval.corpora.searching.plans import Asked, check_wordings
from retrieval.dense import checkpoints
from retrieval.engine.rerank import prompts
from retrieval.engine.rerank.ordering import TIES
from retrieval.jobs import queue
from retrieval.jobs.attempts import LeaseLost

if TYPE_CHECKING:
    from django.contrib.auth.models import User

TOPICS_AT_ONCE = 8
"""Asked together: enough to keep a model busy, few enough to see how far it is."""


def opened(corpus: Corpus, topics: TopicSet, plan: RerankPlan) -> Source:
    """Return what a re-ranking starts from.

    Raises:
        BadInput: the corpus has no such run or pool of these topics, or there is nothing in it; the topics
            have no such wording.
    """
    check_wordings(Asked(fields=plan.fields), topics)
    run = pool = None
    if plan.run:
        run = Run.objects.filter(corpus=corpus, name=plan.run).select_related("topics").first()
        if run is None or run.topics_id != topics.pk:
            raise BadField(
                "run", f'There is no run "{plan.run}" of the topics "{topics.slug}" in "{corpus.slug}".'
            )
    else:
        pool = Pool.objects.filter(corpus=corpus, topics=topics, number=plan.pool or 0).first()
        if pool is None:
            raise BadField("pool", f'There is no pool {plan.pool} of "{topics.slug}" in "{corpus.slug}".')
    return Source(corpus, plan, run, pool)


def expected(corpus: Corpus, topics: TopicSet, endpoint: str, plan: RerankPlan) -> Expected:
    """Return what a re-ranking takes, about. Raises `BadInput` as `opened`, and for an unknown model."""
    source = opened(corpus, topics, plan)
    looked_at = list(islice(source, LOOKED_AT))
    return estimating.of_reranking(find(endpoint), plan, looked_at, len(source.topics))


def submit(
    corpus: Corpus,
    topics: TopicSet,
    name: str,
    endpoint: str,
    plan: RerankPlan,
    limits: Limits,
    by: User | None = None,
) -> EndpointJob:
    """Store a new re-ranking in the queue.

    Raises:
        BadInput: as `opened`; the name is taken; there is no such model or checkpoint; there is no limit.
    """
    source = opened(corpus, topics, plan)
    running.check_name(Run(corpus=corpus, topics=topics, name=name, depth=plan.depth))
    if plan.ties:
        checkpoints.find(plan.ties)
    kept, total = plan.as_json(), len(source.topics)
    return jobs.submit(What.RERANK, corpus, topics, name, endpoint, kept, limits, by, total)


def submit_both(
    corpus: Corpus,
    topics: TopicSet,
    name: str,
    endpoint: str,
    plan: RerankPlan,
    limits: Limits,
    by: User | None = None,
) -> list[EndpointJob]:
    """Store two re-rankings: with each topic's own source, and without it (the name with `-without-source`).

    Raises:
        BadInput: as `submit`; nothing is stored then.
    """
    with transaction.atomic():
        return [
            submit(corpus, topics, each, endpoint, replace(plan, leave_source=without), limits, by)
            for each, without in ((name, False), (f"{name}-without-source", True))
        ]


def work(job: EndpointJob, door: Door) -> None:
    """Put the documents of every topic into order and store the run with the end of the job."""
    assert job.topics is not None  # noqa: S101 - a re-ranking is stored with its topics
    plan = plans.from_json(job.plan)
    running.check_name(Run(corpus=job.corpus, topics=job.topics, name=job.name, depth=plan.depth))
    source = opened(job.corpus, job.topics, plan)
    total = len(source.topics)
    door.beat(0, "Preparing")
    second = ties.second(job.corpus, plan, lambda done, of, stage: door.beat(0, stage.capitalize()))
    reorder = Reorder(door.ask, plan, second)
    found = []
    for batch in _batches(iter(source)):
        found += reorder(batch)
        door.beat(len(found), f"Re-ranking, topics: {len(found):,} of {total:,}")
    if not plan.unreadable_allowed:
        reorder.noticed.check_readable(ended=True)
    run = Run(
        corpus=job.corpus,
        topics=job.topics,
        name=job.name,
        ranker=f"{plan.method} by {job.endpoint}"[:60],
        depth=max(len(each.rows) for each in found),
        created_by=job.created_by,
        notes=notes(reorder.noticed, plan),
        made_with={"code": job.code_version},
        parameters=_parameters(job, plan, source.run, door),
    )

    def ended(made: Run) -> None:
        if not queue.finish(job, run=made, done=total):
            raise LeaseLost

    running.store(run, found, lambda done, of, stage: None, ended)


def _parameters(job: EndpointJob, plan: RerankPlan, run: Run | None, door: Door) -> dict[str, Any]:
    """All that a run stores to be repeatable; the model's address and key are not among it."""
    method = "rank" if plan.method == "vanilla" else plan.method
    told: dict[str, Any] = {
        **plan.as_json(),
        "rerank": job.pk,
        "prompt_sha256": prompts.sha256(method),
        "most_words": prompts.MOST_WORDS,
        "endpoint": job.endpoint,
        "model": door.endpoint.model,
        "revision": door.endpoint.revision,
        "ties_rule": TIES,
    }
    # Documents that the parent took feedback from are known to be relevant in this run, too.
    if run is not None and RESIDUAL in run.parameters:
        told[RESIDUAL] = run.parameters[RESIDUAL]
    return told


def _batches(topics: Iterator[Shown]) -> Iterator[Sequence[Shown]]:
    while batch := list(islice(topics, TOPICS_AT_ONCE)):
        yield batch
