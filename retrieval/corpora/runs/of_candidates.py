"""The candidate pools of a job made a test collection: passages, excerpts as topics, judgments.

Then what is done with corpora can be done with them: re-ranking, comparing, measuring nDCG@10 and recall@5,
as BIRCO (Wang et al. 2024) does with RELiC's pools of fifty.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db import transaction

from common.errors import BadField
from retrieval.candidates.pool_export import export_pools
from retrieval.corpora.loading import staging
from retrieval.corpora.loading import topics as loading
from retrieval.corpora.loading.staging import Place, Placed
from retrieval.corpora.models import Corpus, Grade, Qrels, Run, TopicSet, TopicVersion
from retrieval.corpora.searching import running
from retrieval.corpora.searching.searches import Searched
from retrieval.engine.interchange.documents import ReadDocument
from retrieval.models import CandidateJob

if TYPE_CHECKING:
    from django.contrib.auth.models import User

RUN, QRELS = "drawn", "gold"
DRAWN = "order of each pool drawn from the job's seed"


class OfPools(NamedTuple):
    """What was made of a job's pools.

    corpus: every passage of any pool, once.
    topics: every excerpt, its quotation covered.
    run: each pool in the order that was drawn; where the right passage stands tells nothing.
    qrels: the right passage of each, of grade 1.
    """

    corpus: Corpus
    topics: TopicSet
    run: Run
    qrels: Qrels


def collection_of(job: CandidateJob, slug: str, title: str = "", by: User | None = None) -> OfPools:
    """Make a corpus, topics, a run and judgments of the pools of a finished job; all of it or nothing.

    Raises:
        BadInput: the job makes no pools or is not done, or the slug is taken.
    """
    for kind, there in (("corpus", Corpus), ("topics", TopicSet)):
        if there.objects.filter(slug=slug).exists():
            raise BadField("slug", f'There is a {kind} "{slug}" already; choose another slug.')
    found = [(json.loads(each.line), each.qrel.split()[2]) for each in export_pools(job)]
    title = title or f"Pools of job {job.pk}: {job.book.title}"
    with transaction.atomic():
        corpus = _corpus(job, slug, title, [pool for pool, _ in found], by)
        topics = loading.begin({"slug": slug, "title": title, "source": f"Excerpts of job {job.pk}"}, by)
        versions = [
            loading.add(topics, pool["id"], {"title": pool["query"], "language": job.book.language}, by)
            for pool, _ in found
        ]
        run = _run(job, corpus, topics, zip(versions, (pool for pool, _ in found), strict=True), by)
        qrels = Qrels.objects.create(
            corpus=corpus, topics=topics, name=QRELS, source="The passage that was quoted", created_by=by
        )
        keys = dict(corpus.documents.values_list("external_id", "pk"))
        Grade.objects.bulk_create(
            Grade(qrels=qrels, topic=version.topic, document_id=keys[gold], grade=1)
            for version, (_, gold) in zip(versions, found, strict=True)
        )
    return OfPools(corpus, topics, run, qrels)


def _corpus(
    job: CandidateJob, slug: str, title: str, pools: Sequence[Mapping[str, Any]], by: User | None
) -> Corpus:
    texts = {each["id"]: each["text"] for pool in pools for each in pool["passages"]}
    digest = hashlib.sha256("\0".join(f"{name} {text}" for name, text in texts.items()).encode())
    recipe = {"format": "pools", "name": f"pools of job {job.pk}", "job": job.pk}
    corpus, _ = staging.begin(
        Corpus(
            slug=slug,
            title=title,
            language=job.book.language,
            recipe=recipe,
            sha256=digest.hexdigest(),
            created_by=by,
        )
    )
    staging.stage(corpus, _placed(job, texts), lambda stored: None)
    return staging.finish(corpus)


def _placed(job: CandidateJob, texts: Mapping[str, str]) -> Iterator[Placed]:
    book, bounds = job.book, job.book.bounds()
    for line, (name, text) in enumerate(texts.items(), 1):
        first, size = map(int, name.rsplit("-", 2)[1:])
        place = Place(book.pk, bounds[first][0], bounds[first + size - 1][1])
        # No text of their own to stand in: passages of pools overlap, and have no neighbours.
        yield ReadDocument(name, "", text, "", book.year, book.language, "", {}, line, line, line), place


def _run(
    job: CandidateJob,
    corpus: Corpus,
    topics: TopicSet,
    pools: Iterator[tuple[TopicVersion, Mapping[str, Any]]],
    by: User | None,
) -> Run:
    numbers = dict(corpus.documents.values_list("external_id", "number"))
    found = []
    for version, pool in pools:
        shown = [numbers[each["id"]] for each in pool["passages"]]
        found.append(Searched(version, [(each, len(shown) - n) for n, each in enumerate(shown)]))
    return store_drawn(corpus, topics, found, {"job": job.pk, "seed": job.seed, "order": DRAWN}, by)


def store_drawn(
    corpus: Corpus,
    topics: TopicSet,
    found: Sequence[Searched],
    parameters: Mapping[str, Any],
    by: User | None,
) -> Run:
    """Store the run that has each pool in a drawn order: what is ranked is a pool, and a pool is of a run."""
    run = Run(
        corpus=corpus,
        topics=topics,
        name=RUN,
        ranker=RUN,
        parameters=dict(parameters),
        depth=max(len(each.rows) for each in found),
        created_by=by,
    )
    running.store(run, found)
    return run
