"""The job of a machine reader: read what is missing, in portions that are stored with the progress.

What was answered stands in the ledger before it stands here, so that a job that is killed asks again for
nothing that it has paid: it finds the replies there. A job that cannot go on says why, and waits for
somebody.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.machine import overview, plan, readers, replies, trials
from annotation.machine.asking import Broken, answers, question, reading
from annotation.models import (
    Event,
    MachineJob,
    MachinePurpose,
    MachineReader,
    MachineReading,
    ReadingState,
)
from annotation.models.machine import PENDING
from common.chat import Ask
from common.errors import BadInput
from machines import endpoints
from machines.ledger import Asking, Stopped
from machines.models import Budget
from retrieval.jobs import attempts, notify, queue
from retrieval.jobs.attempts import GoOn, Interrupted, LeaseLost, Postponed, keep_going

FEWEST, MOST, A_THREAD = 16, 128, 8
"""Readings that are asked for together: at least, at most, and for each call that may be in flight."""
FIRST, MOST_UNREADABLE = 50, 10
"""Of the first 50 readings more than ten that are unreadable are too many to go on without being asked."""


PURPOSE = "machine reader"
"""What stands with each call, before the reader's key."""


class Limits(NamedTuple):
    """What a job may spend; None: not limited.

    micro_units: millionths of the currency.
    tokens: sent and received.
    calls: to the model.
    """

    micro_units: int | None = None
    tokens: int | None = None
    calls: int | None = None


def submit(
    reader: MachineReader,
    *,
    limits: Limits | None = None,
    purpose: str = MachinePurpose.READING,
    by: User | None = None,
) -> MachineJob:
    """Submit a job, or return the one of this reader that has not ended.

    Raises:
        BadInput: its endpoint is not there any more or another model now, or there is nothing left to read.
    """
    if there := reader.jobs.filter(PENDING).first():
        return there
    endpoint = readers.endpoint_of(reader)
    if purpose == MachinePurpose.READING:
        reader.readings.filter(state=ReadingState.FAILED).delete()
        if not plan.missing(reader):
            raise BadInput(f"{reader.name} has read all there is to read.")
    try:
        with transaction.atomic():
            budget = Budget.objects.create(
                title=f"{reader.study.slug}, {reader.name}"[:200], **columns(limits or Limits())
            )
            job = MachineJob.objects.create(
                reader=reader,
                purpose=purpose,
                budget=budget.pk,
                queue=endpoints.queue(endpoint),
                seed=reader.seed,
                created_by=by,
                code_version=queue.code_version(),
            )
            said = {"reader": reader.name, "job": job.pk, "purpose": str(purpose)}
            Event.objects.create(study=reader.study, actor=by, verb="machine reading", data=said)
    except IntegrityError:
        # Somebody pressed the button at the same moment.
        if there := reader.jobs.filter(PENDING).first():
            return there
        raise
    notify.on_commit(job)
    return job


def go_on_with(job: MachineJob, *, limits: Limits | None = None, unreadable_allowed: bool = False) -> bool:
    """Let a job that stopped go on; what got no reply is asked again.

    Returns False where it did not stop, or another job of its reader has not ended.
    limits: others from now on, with what was spent counted.
    """
    with transaction.atomic():
        MachineReader.objects.select_for_update(no_key=True).get(pk=job.reader_id)
        if job.reader.jobs.filter(PENDING).exists():
            return False
        change(job, limits, unreadable_allowed=unreadable_allowed)
        gone_on = queue.retry(job.pk, MachineJob)
        if gone_on and job.purpose == MachinePurpose.READING:
            job.reader.readings.filter(state=ReadingState.FAILED).delete()
    return gone_on


def change(job: MachineJob, limits: Limits | None, *, unreadable_allowed: bool) -> None:
    """Give a job other limits, and allow unreadable readings; what is None or False stays as it was."""
    if limits is not None and job.budget is not None:
        Budget.objects.filter(pk=job.budget).update(**columns(limits))
    if unreadable_allowed:
        MachineJob.objects.filter(pk=job.pk).update(unreadable_allowed=True)


def columns(limits: Limits) -> dict[str, int | None]:
    """Return limits as columns of a budget."""
    return {"limit": limits.micro_units, "token_limit": limits.tokens, "call_limit": limits.calls}


def attempt(pk: int, worker: str, *, go_on: GoOn = keep_going) -> bool:
    """Claim a job, run it and record how it ended, as `attempts.attempt` does."""
    return attempts.attempt(MachineJob, pk, worker, run, go_on=go_on)


def run(job: MachineJob, *, go_on: GoOn = keep_going, ask: Ask | None = None) -> None:
    """Do what the job is for, asking `ask`, or else the reader's endpoint through the ledger.

    Raises:
        LeaseLost: the job was cancelled or claimed by another; what was read so far stays.
        Interrupted: `go_on` said no.
        Postponed: the endpoint asked to be left alone for a while.
        BadInput: it cannot go on before somebody has done something; the sentence says what.
    """
    if job.reader.study.deleted is not None:
        raise BadInput("The study is put away: nothing more is asked for it.")
    ask = ask or asker(job, go_on)
    try:
        if job.purpose == MachinePurpose.READING:
            read(job, ask, go_on)
        else:
            found = trials.TRIALS[job.purpose](job.reader, ask)
            attempts.heartbeat(job, keep_going, len(found), total=len(found), counts={"found": found})
    except Stopped as stopped:
        raise ended(job, stopped) from None
    except Broken as broken:
        raise ended(job, broken.stopped) from None


def asker(job: MachineJob, go_on: GoOn) -> Ask:
    """Return what asks the reader's endpoint, and keeps the job's lease meanwhile."""
    reader = job.reader

    def alive() -> bool:
        return queue.renew_lease(job, job.done) and go_on(job)

    return Asking(
        readers.endpoint_of(reader),
        budget=Budget.objects.filter(pk=job.budget or 0).first(),
        purpose=purpose_of(reader),
        go_on=alive,
        parser=f"{reader.study.task} {replies.PARSER}",
    )


def purpose_of(reader: MachineReader) -> str:
    """Return what the ledger stores with each call of the reader."""
    return f"{PURPOSE} {reader.pk}"


def ended(job: MachineJob, stopped: Stopped) -> Exception:
    """Return what a job ends its attempt with where nothing more can be asked."""
    if stopped.cancelled:
        return Interrupted() if queue.renew_lease(job, job.done) else LeaseLost()
    if stopped.retry_after is not None:
        return Postponed(stopped.reason, stopped.retry_after)
    return BadInput(stopped.reason)


def read(job: MachineJob, ask: Ask, go_on: GoOn) -> None:
    """Read what is missing, portion by portion."""
    reader = job.reader
    missing = plan.missing(reader)
    total = len(missing) + reader.readings.count()
    attempts.heartbeat(job, go_on, total - len(missing), "Reading", overview.tally(reader), total=total)
    size = portion(ask)
    for first in range(0, len(missing), size):
        read_some(job, ask, missing[first : first + size])
        check_readable(job)
        if not go_on(job):
            raise Interrupted
    if not queue.finish(job, counts=overview.tally(reader), done=job.total):
        raise LeaseLost


def portion(ask: Ask) -> int:
    """Return how many readings are asked for together, so that no call in flight waits for work."""
    endpoint = getattr(ask, "endpoint", None)
    return min(MOST, max(FEWEST, A_THREAD * endpoint.concurrency)) if endpoint else FEWEST


def read_some(job: MachineJob, ask: Ask, wanted: Sequence[plan.Wanted]) -> None:
    """Read these, and store what was said with the progress, also where asking stopped in between."""
    reader = job.reader
    items = reader.study.items.in_bulk({each.item for each in wanted})
    for item in items.values():
        item.study = reader.study
    orders = [plan.order_of(reader, items[each.item], each.order) for each in wanted]
    questions = [
        question(reader, items[each.item].payload, order, each.replicate)
        for each, order in zip(wanted, orders, strict=True)
    ]
    broken = None
    try:
        said = answers(reader, ask, questions)
    except Broken as stopped:
        broken, said = stopped, dict(stopped.said)
    now = timezone.now()
    rows = [
        reading(reader, items[wanted[at].item], wanted[at], questions[at], each, now)
        for at, each in sorted(said.items())
    ]
    with transaction.atomic():
        MachineReading.objects.bulk_create(rows, ignore_conflicts=True)
        if not queue.renew_lease(
            job, min(job.done + len(rows), job.total), "Reading", overview.tally(reader)
        ):
            raise LeaseLost
    if broken is not None:
        raise broken


def check_readable(job: MachineJob) -> None:
    """Raise `BadInput` where too many of the first readings are unreadable, and nobody has allowed that."""
    if job.unreadable_allowed:
        return
    states = list(job.reader.readings.order_by("pk").values_list("state", flat=True)[:FIRST])
    unreadable = states.count(ReadingState.UNREADABLE)
    if unreadable > MOST_UNREADABLE:
        raise BadInput(
            f"Of the first {len(states)} readings {unreadable} are unreadable. Look at some of them, and "
            "change the prompt or the model with another reader; or let it go on all the same."
        )
