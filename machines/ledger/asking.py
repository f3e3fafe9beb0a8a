"""Asking many things at once: threads do nothing but HTTP, and the caller's own thread keeps the ledger."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from contextlib import closing

from common.chat import Reply, Request
from common.progress import Progress, silent
from machines.client import probe
from machines.client.endpoint import Abilities, Endpoint
from machines.endpoints import pinned, sender
from machines.ledger import answered
from machines.ledger.flight import Flight
from machines.ledger.reserving import Purse
from machines.ledger.round import TICK, Round
from machines.ledger.stopped import Stopped
from machines.ledger.verdicts import Verdicts
from machines.models import Budget, EndpointState

PATIENCE = 60.0
"""The longest that is waited here, in seconds: a worker that must wait longer does something else."""
ASKING, CANCELLED = "Asking", "It was cancelled."


def always() -> bool:
    """Return True: the default for `go_on`, which stops nothing."""
    return True


class Asking:
    """An `Ask` that keeps the ledger: cache, pace, repeats, circuit, budget, and a row for each call.

    budget: the row that pays; None: nothing limits what is spent.
    purpose: what is stored with each call, such as "reading 12"; a job that is resumed says the same again.
    go_on: asked about once a second, in the caller's thread; False stops after what is in flight.
    progress: told how many of the requests are answered.
    parser: the version of what reads the replies; another one is another question to the cache.
    abilities: by what fields it is asked; None: as the last probe found them honoured.
    patience: how long is waited here, in seconds, while nothing is in flight; for longer, `Stopped` says so.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        budget: Budget | None = None,
        purpose: str = "",
        go_on: Callable[[], bool] = always,
        progress: Progress = silent,
        parser: str = "",
        patience: float = PATIENCE,
        abilities: Abilities | None = None,
        chance: random.Random | None = None,
    ) -> None:
        self.endpoint = pinned(endpoint)
        self.purse = Purse(budget.pk if budget else None, purpose, parser)
        self.go_on, self.progress, self.patience = go_on, progress, patience
        self._abilities = abilities
        self.chance = chance or random.Random()  # noqa: S311  (jitter, not secrets)
        self.problems: dict[int, str] = {}
        """Why a request of the last `each` has no reply, by its place."""

    def __call__(self, requests: Sequence[Request]) -> list[Reply | None]:
        """Ask, and return the replies in the order of the requests; None where one was refused or given up.

        Raises:
            Stopped: nothing more can be asked; it holds the replies that came before.
        """
        found: dict[int, Reply | None] = {}
        try:
            for place, reply in self.each(requests):
                found[place] = reply
        except Stopped as stopped:
            stopped.replies = found
            raise
        return [found.get(place) for place in range(len(requests))]

    def each(self, requests: Iterable[Request]) -> Iterator[tuple[int, Reply | None]]:
        """Ask, and yield each request's place with its reply as it comes. Requests are read as needed.

        Raises:
            Stopped: nothing more can be asked. What was in flight has been stored.
        """
        self.problems = {}
        verdicts = Verdicts(self.endpoint, self.chance)
        total = len(requests) if isinstance(requests, Sized) else 0
        known = self._abilities or _abilities(self.endpoint.name)
        with closing(sender(self.endpoint)) as sending, Flight(sending, self.endpoint, known) as flight:
            asked = Round(self.endpoint, self.purse, flight, verdicts, enumerate(requests), self.patience)
            try:
                yield from self._steps(asked, verdicts, total)
            except (Exception, GeneratorExit):
                asked.close()
                raise

    def _steps(self, asked: Round, verdicts: Verdicts, total: int) -> Iterator[tuple[int, Reply | None]]:
        done, looked = 0, float("-inf")
        while not asked.over:
            if time.monotonic() - looked >= TICK:
                looked = time.monotonic()
                self.progress(done, total, ASKING)
                if not verdicts.stop and not self.go_on():
                    verdicts.stop, verdicts.cancelled = CANCELLED, True
            for places, reply, problem in asked.step():
                done += len(places)
                if reply is None:
                    self.problems.update(dict.fromkeys(places, problem))
                yield from ((place, reply) for place in places)
        self.progress(done, total, ASKING)
        if verdicts.stop and not verdicts.cancelled:
            # The last of them said so: whoever asks again would hear the same.
            raise Stopped(verdicts.stop)

    def unreadable(self, call: int, why: str) -> None:
        """Note that no answer could be made of a call's reply. Its text stays; asked again, it is free."""
        answered.mark_unreadable(call, why)


def _abilities(name: str) -> Abilities:
    """Return what an endpoint is known to honour."""
    row = EndpointState.objects.filter(name=name).only("probe").first()
    return Abilities() if row is None else probe.from_json(row.probe).abilities
