"""What every command asks that has a model asked: which one, what may be spent, and whether to go."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from common.errors import BadField
from common.wording import counted
from machines.endpoints import find
from machines.wording import money
from retrieval.corpora.models import EndpointJob
from retrieval.corpora.reranking import jobs
from retrieval.corpora.reranking.estimating import Expected
from retrieval.corpora.reranking.jobs import Limits
from retrieval.models import Status

MILLION = 1_000_000


def add_model(parser: CommandParser) -> None:
    """Add which model is asked, and what it may spend."""
    parser.add_argument(
        "--endpoint", required=True, metavar="NAME", help="the model, by its name in the settings"
    )
    parser.add_argument("--limit", metavar="AMOUNT", help="spend at most so much, in the model's currency")
    parser.add_argument("--calls", type=int, metavar="N", help="make at most so many calls")
    parser.add_argument("--estimate", action="store_true", help="say what it would take, and ask nothing")


def limits_of(options: dict[str, Any]) -> Limits:
    """Return what may be spent. Raises `BadField` for an amount that is none."""
    try:
        limit = None if options["limit"] is None else int(Decimal(options["limit"]) * MILLION)
    except (InvalidOperation, ValueError, OverflowError):
        raise BadField("limit", f"--limit is an amount such as 1.50, not {options['limit']!r:.40}.") from None
    return Limits(limit, None, options["calls"])


def ask(
    command: BaseCommand,
    options: dict[str, Any],
    expected: Callable[[], Expected],
    submit: Callable[[Limits], list[EndpointJob]],
    follow: Callable[..., None],
) -> list[EndpointJob]:
    """Say what it takes; unless that was all that was asked, submit jobs and follow them to their end.

    Raises:
        CommandError: a job failed or was cancelled; what was answered is kept.
    """
    find(options["endpoint"])
    command.stderr.write(expected().in_words())
    if options["estimate"]:
        return []
    found = submit(limits_of(options))
    for job in found:
        follow(job, jobs.attempt, command.stderr.write)
        job.refresh_from_db()
        job.budget.refresh_from_db()
        if job.status != Status.DONE:
            raise CommandError(
                f"{job}: {job.get_status_display().lower()}. {job.error} What was answered is kept: the page "
                f"{job.get_absolute_url()} goes on with it."
            )
        currency = find(job.endpoint).prices.currency
        command.stdout.write(
            f"{job}: {counted(job.budget.calls, 'call')}, {money(job.budget.spent, currency)} spent."
        )
    return found
