"""`manage.py read_by_machine S R [--calls N] [--tokens N] [--money M]`: a machine reader reads."""

from __future__ import annotations

from argparse import ArgumentTypeError
from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.machine import jobs, overview
from annotation.machine.jobs import Limits
from annotation.management.console import bar, in_one_sentence, named_study
from annotation.models import MachineJob, MachineReader, Study
from common.errors import BadInput
from retrieval.models import Status

WORKER = "read_by_machine"
MICRO = 1_000_000
MOST = 2**31 - 1
"""Of calls, tokens and money: what a column holds."""


class Command(BaseCommand):
    help = "Let a machine reader of a study read what it has not read yet. Stopped, it goes on where it was."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="short name of the study")
        parser.add_argument("reader", help="name of the machine reader, such as M1")
        parser.add_argument("--calls", type=count, help="calls at most")
        parser.add_argument("--tokens", type=count, help="tokens at most, sent and received")
        parser.add_argument("--money", type=money, help="money at most, in the model’s currency")
        parser.add_argument(
            "--allow-unreadable", action="store_true", help="go on also when many replies cannot be read"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = named_study(options["study"])
        with in_one_sentence():
            reader = named_reader(study, options["reader"])
            limits = Limits(options["money"], options["tokens"], options["calls"])
            job = begun(reader, limits, allowed=options["allow_unreadable"])
            with bar("reading") as progress:

                def shown(now: Any) -> bool:
                    progress(now.done, now.total)
                    return True

                jobs.attempt(job.pk, WORKER, go_on=shown)
        job.refresh_from_db()
        self.tell(job)

    def tell(self, job: MachineJob) -> None:
        """Say how it ended. Raises `CommandError` where it did not come to its end."""
        if job.status == Status.RUNNING:
            raise CommandError(f"{job.worker} is at it, or was until it was killed: try again in a minute.")
        if job.status != Status.DONE:
            waits = "It waits for its endpoint; a worker goes on with it, or this command."
            raise CommandError(job.error or waits if job.status == Status.QUEUED else job.error or "Stopped.")
        found = ", ".join(f"{job.counts[state]:,} {state}" for state in STATES if job.counts[state])
        self.stdout.write(f"{job.reader.name} has read all there is to read: {found}.")


STATES = ("answered", "undecided", "unreadable", "refused", "failed")


def count(text: str) -> int:
    """Return a number of calls or tokens."""
    found = int(text)
    if not 0 < found <= MOST:
        raise ArgumentTypeError(f"{text!r:.30} is no number from 1 to {MOST:,}")
    return found


def money(text: str) -> int:
    """Return an amount of money in micro-units."""
    try:
        found = Decimal(text)
    except InvalidOperation:
        raise ArgumentTypeError(f"{text!r:.30} is no amount of money, such as 2.50") from None
    if not found.is_finite() or not 0 < found <= MOST:
        raise ArgumentTypeError(f"{text!r:.30} is no amount of money from 0.000001 to {MOST:,}")
    return int(found * MICRO)


def named_reader(study: Study, name: str) -> MachineReader:
    """Return the machine reader of that name. Raises `BadInput` with those there are."""
    found = {each.name: each for each in overview.readers_of(study)}
    if name not in found:
        known = ", ".join(found) or "none; its page Machines makes one"
        raise BadInput(f"“{study.slug}” has no machine reader {name!r:.30}; it has: {known}.")
    return found[name]


def begun(reader: MachineReader, limits: Limits, *, allowed: bool) -> MachineJob:
    """Return the job to work on: the one that waits or stopped, or a new one."""
    given = limits if any(each is not None for each in limits) else None
    last = overview.last_job(reader)
    if last is not None and last.status in (Status.FAILED, Status.CANCELLED):
        if not jobs.go_on_with(last, limits=given, unreadable_allowed=allowed):
            raise BadInput(f"{reader.name} cannot go on: another of its jobs has not ended.")
        return last
    job = jobs.submit(reader, limits=limits)
    jobs.change(job, given, unreadable_allowed=allowed)
    return job
