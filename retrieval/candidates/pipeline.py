"""Compute the candidates of a job, chunk by chunk, and store them.

A chunk's candidates, the tally of what the rules left out and the job's progress
are one transaction, so a job can be killed at any moment: what is stored is whole,
and what is missing is computed again, to the same rows.
"""

from __future__ import annotations

import logging
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from django.conf import settings
from django.db import transaction

from common.wording import counted
from retrieval.candidates import matching, pooling, submitting
from retrieval.candidates.choosing import Chosen, choose
from retrieval.candidates.preparing import Prepared, Preparing, Ranking
from retrieval.dense.encoding_heartbeat import EncodingHeartbeat
from retrieval.engine.ranking import indexing, rankers
from retrieval.engine.ranking.order import Scores
from retrieval.jobs import attempts, queue
from retrieval.jobs.attempts import GoOn, Interrupted, keep_going
from retrieval.models import Candidate, CandidateJob, Excerpt, MatchedExcerpt

logger = logging.getLogger(__name__)

CHUNK = 16
"""Excerpts a transaction: BM25 over the longest novels takes some 20 ms for each."""
BEATS_PER_LEASE = 6


def attempt(pk: int, worker: str, *, go_on: GoOn = keep_going) -> bool:
    """Claim a candidate job, run it and record how it ended, as `attempts.attempt` does."""
    return attempts.attempt(CandidateJob, pk, worker, run, go_on=go_on)


def run(job: CandidateJob, *, go_on: GoOn = keep_going, chunk: int = CHUNK) -> None:
    """Compute the candidates that a claimed job has not got yet.

    Raises:
        LeaseLost: the job was cancelled or claimed by another; nothing more may be written.
        Interrupted: `go_on` said no.
        BadInput: the book cannot be ranked as asked.
    """
    rankings = pooling.rankings(job, EncodingHeartbeat(job, go_on, lambda step: job.done))

    leased: list[_LeasedPassages] = []

    def watch(texts: Sequence[str], size: int) -> Sequence[str]:
        stage = "Counting the words" if size == indexing.ALL else _stage("Index", size)
        leased.append(_LeasedPassages(texts, job, stage))
        return leased[-1]

    _begin_again_by_another_version(job)
    preparing = Preparing(job) if matching.of_job(job) else None
    missing = _missing(job)
    bounds = job.book.bounds()
    for size, texts, indices in indexing.by_size(job.book.text, bounds, missing, rankings, watch):
        while leased:
            leased.pop().ranked_now(_stage("Rank", size), go_on)
        for start in range(0, len(missing[size]), chunk):
            if not go_on(job):
                raise Interrupted
            found = Excerpt.objects.in_bulk(missing[size][start : start + chunk])
            ordered = [found[key] for key in missing[size][start : start + chunk] if key in found]
            scores, parts = _scored(indices, _queries(job, ordered))
            chosen: list[Chosen | Prepared] = []
            for place, excerpt in enumerate(ordered):
                own = [rows[place] for rows in scores]
                fused = {slug: rows[place] for slug, rows in parts.items()}
                if preparing:
                    chosen.append(preparing.excerpt(excerpt, Ranking(own[0], texts, fused)))
                else:
                    chosen.append(choose(job, excerpt, rankings, own, texts, fused))
            _store(job, _stage("Rank", size), chosen)
    if preparing:
        matching.deal(job)


def _begin_again_by_another_version(job: CandidateJob) -> None:
    """Forget what another version of the program prepared for matching, and rank it again by this one.

    It may have kept it in another form, and nothing of it is a candidate yet.
    """
    version = queue.code_version()
    if job.code_version == version or not job.matched.filter(kept__isnull=True).exists():
        return
    logger.info("Job %s was half ranked by %s: it begins again", job.pk, job.code_version)
    made = pooling.versions(rankers.get(job.ranker), job.parameters)
    with transaction.atomic():
        attempts.heartbeat(job, keep_going, 0, counts={}, code_version=version, made_with=made)
        job.matched.all().delete()


def _stage(verb: str, size: int) -> str:
    return f"{verb}ing passages of {counted(size, 'sentence')}"


def _queries(job: CandidateJob, excerpts: Sequence[Excerpt]) -> list[str]:
    return [each.query(job.parameters["left"], job.parameters["right"]) for each in excerpts]


def _scored(
    indices: Sequence[rankers.Index], queries: Sequence[str]
) -> tuple[list[Scores], Mapping[str, Scores]]:
    """Return the scores of each ranking, and those that the job's own was fused from, if it was."""
    own, *others = indices
    if not isinstance(own, rankers.Fused):
        return [index.scores(queries) for index in indices], {}
    parts = own.parts(queries)
    return [own.fuse(parts), *(index.scores(queries) for index in others)], parts


def _missing(job: CandidateJob) -> dict[int, list[int]]:
    """Return the keys of the excerpts not yet ranked, by the length of their gold passage: ascending, or as
    they are to be prepared where negatives are matched.
    """
    matches = bool(matching.of_job(job))
    stored = job.matched if matches else job.candidates
    wanted = submitting.excerpts_to_rank(job)
    if matches:
        wanted = wanted.order_by("first", "digest")
    have = set(stored.values_list("excerpt_id", flat=True).distinct().order_by())
    missing: defaultdict[int, list[int]] = defaultdict(list)
    for key, size in wanted.values_list("pk", "size"):
        if key not in have and size is not None:
            missing[size].append(key)
    return dict(sorted(missing.items()))


def _store(job: CandidateJob, stage: str, chosen: Sequence[Chosen | Prepared]) -> None:
    """Store one chunk: rows, counts and progress together, or none of them."""
    tally = Counter(job.counts)
    for each in chosen:
        tally.update(each.tally)
    with transaction.atomic():
        attempts.heartbeat(job, keep_going, job.done + len(chosen), stage, dict(sorted(tally.items())))
        rows = [row for each in chosen for row in each.rows]
        ready = [row for row in rows if isinstance(row, Candidate)]
        Candidate.objects.bulk_create(ready, ignore_conflicts=True)
        waiting = [row for row in rows if isinstance(row, MatchedExcerpt)]
        MatchedExcerpt.objects.bulk_create(waiting, ignore_conflicts=True)


class _LeasedPassages(indexing.Watched):
    """The passages; reading them renews the lease."""

    def __init__(self, texts: Sequence[str], job: CandidateJob, stage: str) -> None:
        super().__init__(texts, self._renew)
        self._job, self._stage = job, stage
        self._go_on: GoOn = keep_going
        self._beat()

    def ranked_now(self, stage: str, go_on: GoOn) -> None:
        """Tell of ranking from now on, and stop where `go_on` says so: whole chunks are stored by then."""
        self._stage, self._go_on = stage, go_on

    def _renew(self) -> None:
        if time.monotonic() >= self._next:
            self._beat()

    def _beat(self) -> None:
        attempts.heartbeat(self._job, self._go_on, self._job.done, self._stage)
        self._next = time.monotonic() + settings.JOB_LEASE_SECONDS / BEATS_PER_LEASE
