"""Pools: of each topic, the documents that some runs rank first, as far as no pool has them yet."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import Max

from common.errors import BadField, BadInput
from common.progress import Progress, silent
from retrieval.corpora.models import Corpus, Pool, PoolEntry, Run, TopicSet

if TYPE_CHECKING:
    from django.contrib.auth.models import User

BATCH = 5_000
DEEPEST = 1_000
Pair = tuple[int, int]
"""Keys of a topic and of a document."""


class Pooled(NamedTuple):
    """One document of a topic, as the runs of a pool have it.

    best_rank: the best rank that any of them gave it, from 1.
    runs: keys of the runs that have it within the depth.
    """

    best_rank: int
    runs: frozenset[int]


def make(runs: Sequence[Run], depth: int, by: User | None = None, progress: Progress = silent) -> Pool:
    """Make a pool of the first documents of some runs, without what an earlier pool of them has.

    Documents are stored in the order of their numbers: which run or rank brought one is told to no reader.

    Raises:
        BadInput: no run, runs of different corpora or topics, a depth that is none, or nothing new in them.
    """
    corpus, topics = of_one_kind(runs)
    if not 1 <= depth <= DEEPEST:
        raise BadField("depth", f"A pool takes the first 1 to {DEEPEST:,} documents of a topic, not {depth}.")
    found = union(runs, depth, progress)
    earlier = set(
        PoolEntry.objects.filter(pool__corpus=corpus, pool__topics=topics).values_list("topic", "document")
    )
    new = {pair: each for pair, each in found.items() if pair not in earlier}
    if not new:
        raise BadInput(
            "Every document within this depth is in an earlier pool; go deeper, or take other runs."
        )
    try:
        with transaction.atomic():
            return _store(corpus, topics, runs, depth, new, by)
    except IntegrityError:
        raise BadInput("Another pool of these topics was made at the same time; look at it first.") from None


def union(runs: Iterable[Run], depth: int, progress: Progress = silent) -> dict[Pair, Pooled]:
    """Return the documents within the depth of any of these runs, by keys of topic and document."""
    ranks: dict[Pair, int] = {}
    of: defaultdict[Pair, set[int]] = defaultdict(set)
    rows = list(runs)
    for n, run in enumerate(rows):
        progress(n, len(rows), f"pooling {run.name}")
        found = run.rows.filter(rank__lte=depth).values_list("topic__topic", "document", "rank")
        for topic, document, rank in found.iterator(chunk_size=BATCH):
            pair = topic, document
            ranks[pair] = min(rank, ranks.get(pair, rank))
            of[pair].add(run.pk)
    return {pair: Pooled(rank, frozenset(of[pair])) for pair, rank in ranks.items()}


def of_one_kind(runs: Sequence[Run]) -> tuple[Corpus, TopicSet]:
    """Return the corpus and topics of some runs. Raises `BadField` where there is no run, or they differ."""
    if not runs:
        raise BadField("runs", "Name one run at least.")
    first = runs[0]
    for run in runs:
        if (run.corpus_id, run.topics_id) != (first.corpus_id, first.topics_id):
            raise BadField(
                "runs",
                f'The runs "{first.name}" and "{run.name}" are not of the same corpus and the same topics.',
            )
    return first.corpus, first.topics


def _store(
    corpus: Corpus,
    topics: TopicSet,
    runs: Sequence[Run],
    depth: int,
    new: dict[Pair, Pooled],
    by: User | None,
) -> Pool:
    last = Pool.objects.filter(corpus=corpus, topics=topics).aggregate(last=Max("number"))["last"] or 0
    pool = Pool.objects.create(
        corpus=corpus,
        topics=topics,
        number=last + 1,
        depth=depth,
        counts=_counts(runs, new),
        created_by=by,
    )
    pool.runs.set(runs)
    PoolEntry.objects.bulk_create(
        (
            PoolEntry(
                pool=pool,
                topic_id=topic,
                document_id=document,
                best_rank=each.best_rank,
                n_runs=len(each.runs),
            )
            for (topic, document), each in sorted(new.items())
        ),
        batch_size=BATCH,
    )
    return pool


def _counts(runs: Sequence[Run], new: dict[Pair, Pooled]) -> dict[str, dict[str, int]]:
    gave = Counter(run for each in new.values() for run in each.runs)
    alone = Counter(run for each in new.values() if len(each.runs) == 1 for run in each.runs)
    return {run.name: {"gave": gave[run.pk], "alone": alone[run.pk]} for run in runs}
