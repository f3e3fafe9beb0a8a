"""What a model is asked in jobs: submitted with a budget, stopped and gone on with, told of on a page.

Nothing but replies is kept on the way, in the ledger: a job that goes on asks again and is answered from
there at no charge. What comes of it is stored whole, with the end of the job.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db import IntegrityError, transaction

from common.chat import Ask
from common.errors import BadField, BadInput
from machines import endpoints
from machines.endpoints import find
from machines.ledger import Asking, Stopped
from machines.ledger.answered import mark_unreadable
from machines.models import Budget
from retrieval.corpora.models import Corpus, EndpointJob, TopicSet, What
from retrieval.jobs import attempts, notify, queue
from retrieval.jobs.attempts import GoOn, Interrupted, LeaseLost, Postponed, keep_going

if TYPE_CHECKING:
    from django.contrib.auth.models import User

Work = Callable[[EndpointJob, "Door"], None]
WORK: dict[str, str] = {
    What.RERANK: "retrieval.corpora.reranking.runs",
    What.CONTAMINATION: "retrieval.corpora.reranking.recalls",
    What.QUESTIONS: "retrieval.questions.writing",
}
"""What does each kind of work: the module whose `work` is called with the job and the door to its model."""
DRY_RUN = "dry_run"
"""In the plan of a job that asks three times and makes nothing of it."""
TRYING = "retrieval.corpora.reranking.dry_runs"
"""What does the work of such a job."""


class Limits(NamedTuple):
    """What a job may spend; None: no limit.

    micro_units: millionths of the currency.
    tokens, calls: sent and received; made.
    """

    micro_units: int | None = None
    tokens: int | None = None
    calls: int | None = None

    def check(self) -> None:
        """Refuse a limit below 0, and no limit of any kind. Raises `BadField`."""
        if any(each is not None and each < 0 for each in self):
            raise BadField("limit", "A limit is 0 or more.")
        if all(each is None for each in self):
            raise BadField(
                "limit",
                "Say what may be spent at most: money, tokens or calls; money 0 is nothing that costs.",
            )


def submit(
    what: What,
    corpus: Corpus,
    topics: TopicSet | None,
    name: str,
    endpoint: str,
    plan: dict[str, Any],
    limits: Limits,
    by: User | None = None,
    total: int = 0,
) -> EndpointJob:
    """Store a new job in the queue, with a budget of its own.

    Raises:
        BadInput: there is no such model, no limit, or such a job of that name has not ended.
    """
    found = find(endpoint)
    limits.check()
    job = EndpointJob(
        what=what,
        corpus=corpus,
        topics=topics,
        name=name,
        endpoint=found.name,
        plan=plan,
        seed=plan.get("seed", 0),
        total=total,
        queue=endpoints.queue(found),
        code_version=queue.code_version(),
        created_by=by,
    )
    try:
        with transaction.atomic():
            job.budget = Budget.objects.create(
                title=f"{job.get_what_display()}: {name}",
                limit=limits.micro_units,
                token_limit=limits.tokens,
                call_limit=limits.calls,
            )
            job.save()
    except IntegrityError:
        raise BadField("name", f'Work named "{name}" has not ended yet; choose another name.') from None
    notify.on_commit(job)
    return job


def retry(job: EndpointJob, limits: Limits | None = None) -> bool:
    """Go on with a job that failed or was cancelled, within other limits where they are given.

    What was answered is not asked again, and what was spent counts on. Raises `BadField` as `Limits.check`.
    """
    if limits is not None:
        limits.check()
    try:
        with transaction.atomic():
            changed = queue.retry(job.pk, EndpointJob)
            if changed and limits is not None:
                Budget.objects.filter(pk=job.budget_id).update(
                    limit=limits.micro_units, token_limit=limits.tokens, call_limit=limits.calls
                )
            return changed
    except IntegrityError:
        return False


def attempt(pk: int, worker: str, *, go_on: GoOn = keep_going) -> bool:
    """Claim a job, do its work and record how it ended, as `attempts.attempt` does."""
    return attempts.attempt(EndpointJob, pk, worker, run, go_on=go_on)


def run(job: EndpointJob, *, go_on: GoOn = keep_going) -> None:
    """Do the work of a claimed job.

    Raises:
        LeaseLost: the job was cancelled or claimed by another; nothing is stored.
        Interrupted: `go_on` said no.
        Postponed: the model said when to come back.
        BadInput: what the work refuses; or the budget is spent, or the model refuses the key.
    """
    work: Work = import_module(TRYING if job.plan.get(DRY_RUN) else WORK[job.what]).work
    work(job, Door(job, go_on))


class Door:
    """What a job asks its model through, and tells how far it is.

    Args:
        job: Claimed.
        go_on: Asked about once a second.
    """

    def __init__(self, job: EndpointJob, go_on: GoOn = keep_going) -> None:
        self.job, self._go_on = job, go_on
        self._cause: Exception | None = None
        self.endpoint = find(job.endpoint)
        self.ask: Ask = self

    def __call__(self, requests: Sequence[Any]) -> Sequence[Any]:
        """Ask, as `Ask` does. Raises as `run`."""
        asking = Asking(
            self.endpoint,
            budget=self.job.budget,
            purpose=f"{self.job.what} {self.job.pk}",
            go_on=self._still,
        )
        with self._told():
            return asking(requests)

    def unreadable(self, call: int, why: str) -> None:
        """Note in the ledger that no answer could be made of a call's reply."""
        mark_unreadable(call, why)

    def beat(self, done: int, stage: str, counts: dict[str, int] | None = None) -> None:
        """Store how far the work is, and what was counted.

        Raises:
            LeaseLost, Interrupted: as `heartbeat`.
        """
        attempts.heartbeat(self.job, self._go_on, done, stage, counts, total=max(self.job.total, done))

    def _still(self) -> bool:
        try:
            self.beat(self.job.done, self.job.stage)
        except (LeaseLost, Interrupted) as cause:
            self._cause = cause
            return False
        return True

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except Stopped as stopped:
            if self._cause is not None:
                raise self._cause from None
            if stopped.retry_after is not None:
                raise Postponed(stopped.reason, stopped.retry_after) from None
            raise BadInput(stopped.reason) from None
