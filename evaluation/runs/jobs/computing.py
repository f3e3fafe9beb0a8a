"""Runs measured in a job: what was computed of one run or comparison is kept, and not computed again.

The parts and how far the job is are stored in one transaction. Where an input, or the version of the code,
is another by the next attempt, all begins anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeVar

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet

from annotation.models import Study
from evaluation.metrics.common.intervals import RESAMPLES
from evaluation.metrics.ranking.measures import measures
from evaluation.models import PENDING, EvaluationJob, EvaluationPart
from evaluation.report.compute import code_version
from evaluation.runs.jobs import inputs, packing
from evaluation.runs.measuring import Asked, check, measured
from evaluation.runs.report import BLOCKS, RunsReport
from retrieval.jobs import attempts, queue
from retrieval.jobs.attempts import GoOn, LeaseLost, keep_going
from retrieval.models import Status

if TYPE_CHECKING:
    from django.contrib.auth.models import User

WHOLE = "report"
"""The name of the part that is everything."""
LONGEST_PART = 120
"""Characters that the column of a part's name holds."""
Found = TypeVar("Found")


def submit(
    asked: Asked, *, by: User | None = None, seed: int = 0, resamples: int = RESAMPLES
) -> EvaluationJob:
    """Submit an evaluation, or return the same one where it has not ended; of those before, the last that is
    done stays.

    Raises:
        BadField: a run or judgments that are not here, or a base that is none of the runs.
    """
    check(asked)
    inputs.digests(asked)
    said = _said(asked, seed, resamples)
    job = EvaluationJob(
        corpus=asked.corpus,
        topics=asked.topics,
        study=asked.study,
        asked=said,
        key=_key(asked, said),
        total=len(set(asked.runs)) * (2 if asked.base else 1) + (0 if asked.base else 1),
        code_version=code_version(),
        created_by=by,
        seed=seed,
    )

    def forget() -> None:
        last = latest_done(asked, seed, resamples)
        same = EvaluationJob.objects.filter(key=job.key)
        same.exclude(pk__in=[last.pk] if last else []).delete()

    return queue.submit_once(job, EvaluationJob.objects.filter(PENDING, key=job.key), forget)


def latest(asked: Asked, seed: int = 0, resamples: int = RESAMPLES) -> EvaluationJob | None:
    """Return the latest evaluation of this, however it stands."""
    key = _key(asked, _said(asked, seed, resamples))
    return EvaluationJob.objects.filter(key=key).first()


def latest_done(asked: Asked, seed: int = 0, resamples: int = RESAMPLES) -> EvaluationJob | None:
    """Return the latest evaluation of this that came to its end."""
    key = _key(asked, _said(asked, seed, resamples))
    return EvaluationJob.objects.filter(key=key, status=Status.DONE).first()


def attempt(pk: int, worker: str, *, go_on: GoOn = keep_going) -> bool:
    """Claim an evaluation, run it and record how it ended, as `attempts.attempt` does."""
    return attempts.attempt(EvaluationJob, pk, worker, run, go_on=go_on)


def run(job: EvaluationJob, *, go_on: GoOn = keep_going) -> None:
    """Measure, and store the report with the end of the job.

    Raises:
        LeaseLost: the job was cancelled or claimed by another; parts that were computed stay.
        Interrupted: `go_on` said no.
        BadInput: as `measuring.measured`.
    """
    asked = asked_of(job)
    now = inputs.digests(asked)
    same = now == job.inputs and code_version() == job.code_version
    known = {part.name: bytes(part.packed) for part in job.parts.all()} if same else {}
    with transaction.atomic():
        if not known:
            job.parts.all().delete()
        version = code_version()
        attempts.heartbeat(job, go_on, len(known), "Reading the judgments", inputs=now, code_version=version)

    def part(name: str, kind: Callable[..., Found], compute: Callable[[], Found]) -> Found:
        column = short(name)
        if column in known:
            return packing.unpack(kind, known[column])
        found = compute()
        with transaction.atomic():
            EvaluationPart.objects.create(job=job, name=column, packed=packing.pack(found))
            attempts.heartbeat(job, go_on, min(job.done + 1, job.total), f"Done: {name}")
        return found

    report = measured(
        asked, within_a_request=False, seed=job.seed, resamples=job.asked["resamples"], part=part
    )
    with transaction.atomic():
        job.parts.all().delete()
        EvaluationPart.objects.create(job=job, name=WHOLE, packed=packing.pack(report.for_keeping()))
        if not queue.finish(job, done=job.total):
            raise LeaseLost


def short(name: str) -> str:
    """Return the name of a part as the column holds it: a long one, as of two runs, by its digest."""
    return name if len(name) <= LONGEST_PART else f"sha256 {sha256(name.encode()).hexdigest()}"


def report_of(job: EvaluationJob) -> RunsReport | None:
    """Return the numbers of an evaluation that is done; None of another."""
    part = job.parts.filter(name=WHOLE).first() if job.status == Status.DONE else None
    return packing.unpack(RunsReport, bytes(part.packed)) if part else None


def asked_of(job: EvaluationJob) -> Asked:
    """Return what a job was asked."""
    said = {name: value for name, value in job.asked.items() if name not in ("resamples", "seed")}
    blocks = said.pop("blocks")
    return Asked(
        job.corpus,
        job.topics,
        said.pop("qrels"),
        tuple(said.pop("runs")),
        blocks=tuple(measures(block) for block in blocks) if blocks else BLOCKS,
        study=job.study,
        **said,
    )


def _said(asked: Asked, seed: int, resamples: int) -> dict[str, Any]:
    """What was asked as JSON; corpus, topics and study are columns."""
    plain = asked._asdict()
    for name in ("corpus", "topics", "study"):
        del plain[name]
    labels = [[one.label for one in block] for block in asked.blocks]
    plain |= {"runs": list(dict.fromkeys(asked.runs)), "blocks": None if asked.blocks == BLOCKS else labels}
    return {**plain, "seed": seed, "resamples": resamples}


def _key(asked: Asked, said: dict[str, Any]) -> str:
    what = [asked.corpus.pk, asked.topics.pk, asked.study and asked.study.pk, said]
    return sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()[:32]


def retry(job: EvaluationJob) -> bool:
    """Go on with an evaluation that failed or was cancelled, unless the same is computed by now."""
    try:
        with transaction.atomic():
            return queue.retry(job.pk, EvaluationJob)
    except IntegrityError:
        return False


def of_studies(studies: QuerySet[Study]) -> QuerySet[EvaluationJob]:
    """Return evaluations on loaded judgments, and those on the grades of one of these studies."""
    allowed = Q(study__isnull=True) | Q(study__in=studies.order_by())
    return EvaluationJob.objects.filter(allowed).select_related("corpus", "topics", "study", "created_by")
