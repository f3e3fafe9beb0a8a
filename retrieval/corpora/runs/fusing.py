"""Runs fused into one by reciprocal ranks, as a run of its own that names its parents."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from common.errors import BadField
from common.progress import Progress, silent
from retrieval.corpora.models import Run, TopicVersion
from retrieval.corpora.runs.pools import of_one_kind
from retrieval.corpora.searching import running
from retrieval.corpora.searching.judged import RESIDUAL, residual
from retrieval.corpora.searching.plans import check_depth
from retrieval.corpora.searching.searches import Searched
from retrieval.engine.corpora.searching import TIES
from retrieval.engine.ranking import fusion

if TYPE_CHECKING:
    from django.contrib.auth.models import User

RANKER = "rrf"


def fuse(
    runs: Sequence[Run],
    name: str,
    *,
    k: float = fusion.RRF_K,
    depth: int = 1_000,
    by: User | None = None,
    progress: Progress = silent,
) -> Run:
    """Fuse runs by Σ 1 / (k + rank) and store the run, whole.

    Args:
        runs: Two or more of one corpus and the same topics.
        name: Of the new run.
        k: Added to every rank.
        depth: Documents kept of each topic; each run is read to its end.
        by: Who fuses.
        progress: Called with the runs that are read, then with the topics that are stored.

    Raises:
        BadInput: fewer than two runs, one twice, runs that differ in corpus, topics or the wording of a
            topic, a depth or k that is none, or the name is taken.
    """
    corpus, topics = of_one_kind(runs)
    if len({run.pk for run in runs}) < max(2, len(runs)):
        raise BadField("runs", "Fusing takes two runs or more, each once.")
    check_depth(depth)
    run = Run(
        corpus=corpus,
        topics=topics,
        name=name,
        ranker=RANKER,
        parameters={"k": k, "depth": depth, "ties": TIES, "parents": [_parent(each) for each in runs]},
        depth=depth,
        created_by=by,
    )
    running.check_name(run)
    used = residual(runs)
    if used:
        run.parameters[RESIDUAL] = {"used": {topic: sorted(ids) for topic, ids in used.items()}}
        run.notes = [
            "Documents that a parent took its feedback from are left out of this run, and of its evaluation."
        ]
    lists = _lists(runs, used, progress)
    found = [
        Searched(topic, fusion.reciprocal_rank_of_lists(ranked, k=k)[:depth])
        for topic, ranked in lists.items()
    ]
    running.store(run, found, progress)
    return run


def _parent(run: Run) -> dict[str, Any]:
    """What the fused run keeps of one it is made of."""
    return {"name": run.name, "ranker": run.ranker, "depth": run.depth, "sha256": run.sha256}


def _lists(
    runs: Sequence[Run], used: Mapping[str, Collection[str]], progress: Progress
) -> dict[TopicVersion, list[list[int]]]:
    """The numbers of the documents of each topic, best first, a list a run that has the topic.

    used: ids of documents that are left out, by id of the topic.

    Raises:
        BadField: two runs searched for different wordings of a topic.
    """
    found: defaultdict[int, list[list[int]]] = defaultdict(list)
    for n, run in enumerate(runs):
        progress(n, len(runs), f"reading {run.name}")
        ranked: defaultdict[int, list[int]] = defaultdict(list)
        names = ("topic", "topic__topic__external_id", "document__number", "document__external_id")
        rows = run.rows.order_by("rank").values_list(*names)
        for topic, topic_id, number, document_id in rows.iterator(chunk_size=running.BATCH):
            if document_id not in used.get(topic_id, ()):
                ranked[topic].append(number)
        for topic, numbers in ranked.items():
            found[topic].append(numbers)
    versions = TopicVersion.objects.filter(pk__in=found).select_related("topic").order_by("topic__number")
    by_topic: dict[int, TopicVersion] = {}
    for version in versions:
        other = by_topic.setdefault(version.topic_id, version)
        if other.pk != version.pk:
            raise BadField(
                "runs",
                f"These runs searched for different wordings of the topic {version.topic.external_id}; "
                "search again with those that are older than its change.",
            )
    return {version: found[version.pk] for version in versions}
