"""Checking a large draft in a job: with progress, stopped and gone on with between any two texts.

What was found is stored with how far it has come, in one transaction. Where a text is changed between two
attempts the check begins again, since what was found may not stand any more.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from annotation.items.longest_runs import shared_run
from annotation.models import Item, Kind, LeakCheck, LeakFinding, State, Study
from annotation.models.leaks import PENDING
from annotation.studies import leaks, mending
from annotation.studies.leak_checks import findings
from annotation.studies.leaks import CONTEXT, Leak, Parts
from common.errors import BadInput
from retrieval.engine.leaks.printed import by_text
from retrieval.jobs import attempts, queue
from retrieval.jobs.attempts import GoOn, Interrupted, LeaseLost, keep_going

BEAT = 1.0
"""Seconds between two words of progress."""
LONGEST = 20
"""Items that are listed by the longest run they share with their context."""
AT_ONCE = 500


def submit(study: Study, *, mends: bool = False, by: User | None = None) -> LeakCheck:
    """Submit a check of the study, or return the one that has not ended; all but the last are forgotten.

    `mends`: first cover what the last check found.
    """
    job = LeakCheck(study=study, mends=mends, created_by=by, code_version=queue.code_version())

    def forget() -> None:
        last = findings.latest_done(study)
        study.leak_checks.exclude(pk__in=[last.pk] if last else []).delete()

    return queue.submit_once(job, study.leak_checks.filter(PENDING), forget)


def attempt(pk: int, worker: str, *, go_on: GoOn = keep_going) -> bool:
    """Claim a check, run it and record how it ended, as `attempts.attempt` does."""
    return attempts.attempt(LeakCheck, pk, worker, run, go_on=go_on)


def run(job: LeakCheck, *, go_on: GoOn = keep_going) -> None:
    """Cover what is to be covered, check all texts, and finish with the longest runs.

    Raises:
        LeaseLost: the job was cancelled or claimed by another; what was found or covered so far stays.
        Interrupted: `go_on` said no.
        BadInput: words are to be covered, and the study has opened.
    """
    if job.mends and not job.counts.get("mended"):
        _mend(job, go_on)
    _check(job, go_on)


def _mend(job: LeakCheck, go_on: GoOn) -> None:
    """Cover what the last check found in contexts, and leave practice items out that tell an answer.

    What is covered already is not covered again, so that another attempt may begin at the first.
    """
    study, last, now = job.study, findings.latest_done(job.study), timezone.now()
    if study.state != State.DRAFT:
        raise BadInput("The study has opened: what readers read stays as it was.")
    those = [each for each in findings.listed(last) if each.caution] if last else []
    told = {"covered": 0, "left_out": 0, **job.counts}
    beat = _Beat(job, go_on)
    for at, each in enumerate(those):
        beat(at, "Covering words", total=len(those), counts=told)
        for leak in findings.with_texts(study, [each]):
            if leak.shown.place == CONTEXT and leak.shown.text:
                told["covered"] += mending.tried(leak, by=job.created_by, now=now)
            elif leak.kind == "gold-told-in-practice" and not leak.changed:
                told["left_out"] += mending.without(leak, by=job.created_by, now=now)
    attempts.heartbeat(job, go_on, 0, total=0, counts={**told, "mended": True}, started=timezone.now())


def _check(job: LeakCheck, go_on: GoOn) -> None:
    study = job.study
    attempts.heartbeat(job, go_on, job.done, "Reading the texts")
    now = findings.digest(study)
    items = list(leaks.given(study))
    parts = leaks.parts_of(study, items, leaks.own_texts(study))
    if now != job.texts:
        with transaction.atomic():
            job.findings.all().delete()
            version = queue.code_version()
            attempts.heartbeat(
                job, keep_going, 0, total=len(parts.shown) + len(items), texts=now, code_version=version
            )
    store, found, first = _Beat(job, keep_going), [], min(job.done, len(parts.shown))
    for done, those in enumerate(by_text(*parts.texts, parts.wanted, first), start=first + 1):
        found += those
        if done == first + 1:
            # Making ready took its time: of one text no rate is told.
            store.rest()
        if store.due or done == len(parts.shown):
            with transaction.atomic():
                LeakFinding.objects.bulk_create(_rows(job, parts.leaks(found)), batch_size=AT_ONCE)
                store.now(done, "Checking the texts")
            found = []
            if not go_on(job):
                raise Interrupted
    _finish(job, items, parts, _Beat(job, go_on))


def _finish(job: LeakCheck, items: Sequence[Item], parts: Parts, beat: Callable[..., None]) -> None:
    """RUNNING → DONE, with the longest runs and the passages that many items offer."""
    runs: list[tuple[int, int, str]] = []
    for done, item in enumerate(items, start=len(parts.shown)):
        beat(done, "Comparing right options with their contexts")
        found = shared_run(item) if item.kind == Kind.WORK else None
        if found is not None and found.length:
            runs.append((item.pk, *found))
    runs.sort(key=lambda each: -each[1])
    with transaction.atomic():
        LeakFinding.objects.bulk_create(_rows(job, leaks.often(parts.sought)), batch_size=AT_ONCE)
        counts = {**job.counts, "runs": runs[:LONGEST], "items": len(items)}
        if not queue.finish(job, counts=counts, done=job.total):
            raise LeaseLost


def _rows(job: LeakCheck, found: Iterable[Leak]) -> list[LeakFinding]:
    return [
        LeakFinding(
            leak_check=job,
            kind=each.kind,
            item=each.sought.item,
            option=each.sought.option,
            where=each.shown.item,
            place=each.shown.place,
            number=each.shown.number,
            spans=[list(span) for span in each.printed.spans],
            run=each.printed.run,
            share=each.printed.share,
            key=each.key,
        )
        for each in found
    ]


class _Beat:
    """Stores how far a job is and renews its lease, once in `BEAT` seconds."""

    def __init__(self, job: LeakCheck, go_on: GoOn) -> None:
        self._job, self._go_on = job, go_on
        self.rest()

    @property
    def due(self) -> bool:
        return time.monotonic() >= self._next

    def rest(self) -> None:
        """Begin to count the seconds again."""
        self._next = time.monotonic() + BEAT

    def __call__(self, done: int, stage: str, **columns: Any) -> None:
        """Store it where it is time."""
        if self.due:
            self.now(done, stage, **columns)

    def now(self, done: int, stage: str, **columns: Any) -> None:
        """Store it, as `attempts.heartbeat`."""
        self.rest()
        attempts.heartbeat(self._job, self._go_on, done, stage, **columns)
