"""A check for contamination in a job: launched, asked topic by topic, and stored as it goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from machines.endpoints import find
from retrieval.corpora.models import Corpus, EndpointJob, Recall, TopicSet, What
from retrieval.corpora.reranking import estimating, jobs, recalling
from retrieval.corpora.reranking.estimating import Expected
from retrieval.corpora.reranking.jobs import Door, Limits
from retrieval.corpora.reranking.recalling import RecallPlan

if TYPE_CHECKING:
    from django.contrib.auth.models import User

TOPICS_AT_ONCE = 20


def expected(corpus: Corpus, topics: TopicSet, endpoint: str, plan: RecallPlan) -> Expected:
    """Return what the check takes, about. Raises `BadInput` as `submit`."""
    return estimating.of_recall(find(endpoint), recalling.sought(corpus, topics, plan), plan.replicates)


def submit(
    corpus: Corpus,
    topics: TopicSet,
    endpoint: str,
    plan: RecallPlan,
    limits: Limits,
    by: User | None = None,
) -> EndpointJob:
    """Store a new check in the queue.

    Raises:
        BadInput: there are no such judgments of these topics, no such model, or no limit; or a check of these
            topics has not ended.
    """
    total, kept = len(recalling.sought(corpus, topics, plan)), plan.as_json()
    return jobs.submit(What.CONTAMINATION, corpus, topics, topics.slug, endpoint, kept, limits, by, total)


def work(job: EndpointJob, door: Door) -> None:
    """Ask every topic that has a target without any passage, and store what was given away."""
    assert job.topics is not None  # noqa: S101 - a check is stored with its topics
    plan = recalling.from_json(job.plan)
    topics = recalling.sought(job.corpus, job.topics, plan)
    for start in range(0, len(topics), TOPICS_AT_ONCE):
        batch = topics[start : start + TOPICS_AT_ONCE]
        recalling.store(job, door.endpoint.model, recalling.check(door.ask, plan, batch))
        done = start + len(batch)
        door.beat(done, f"Asking without passages, topics: {done:,} of {len(topics):,}")
    found = Recall.objects.filter(job=job)
    counts = {"contaminated": found.filter(contaminated=True).count(), "asked": found.count()}
    door.beat(len(topics), "Counting", counts)
