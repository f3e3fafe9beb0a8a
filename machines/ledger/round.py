"""One round of asking: questions wait, are begun, fly, land, and are settled, until all have an end."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import islice

from common.chat import Reply, Request
from machines.client.body import fewest_tokens
from machines.client.endpoint import Endpoint
from machines.client.weather import Outcome, Weather
from machines.ledger import answered, keys, reserving, settling, sweeping
from machines.ledger.flight import Flight
from machines.ledger.limits.budgets import says_spent
from machines.ledger.reserving import Purse
from machines.ledger.settling import Ended
from machines.ledger.stopped import Stopped
from machines.ledger.verdicts import MOST_UNKNOWN, TOO_LONG, Verdicts
from machines.ledger.wanted import Wanted
from machines.models import State

READ_AHEAD = 256
"""Requests that are read, and looked up in the cache, at once."""
TICK = 1.0
"""Seconds between two looks at whether to go on."""
SWEEP_SECONDS = 20.0
LOOK_AGAIN = 0.2
"""Seconds until the next look at a question that another worker has in flight."""
BROKE_OFF = f"It broke off {MOST_UNKNOWN} times after it was sent, and is not asked again."
WAS_TOO_LONG = "It was too long, and was cut by the endpoint before it was answered."

Told = tuple[Sequence[int], Reply | None, str]
"""The places of the requests, the reply, and why there is none."""


class Round:
    """Questions of one call of `Asking`, from the first to the last.

    `patience`: the longest that is waited, in seconds, while nothing is in flight.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        purse: Purse,
        flight: Flight,
        verdicts: Verdicts,
        source: Iterator[tuple[int, Request]],
        patience: float,
    ) -> None:
        self.endpoint, self.purse, self.flight, self.verdicts = endpoint, purse, flight, verdicts
        self._source, self._patience = source, patience
        self._waiting: list[Wanted] = []
        self._under_way: dict[str, Wanted] = {}
        self._swept = 0.0

        self._more = True
        reserving.prepare(endpoint.name)

    @property
    def over(self) -> bool:
        """Whether all that was to be asked has an end."""
        return not (self._more or self._under_way)

    def step(self) -> Iterator[Told]:
        """Do what can be done now, wait a moment for what is in flight, and tell what has an end.

        Raises:
            Stopped: nothing is in flight, and nothing more is asked: there is a reason to stop, or what waits
                must wait too long, or cannot be paid.
        """
        wait = TICK
        if not self.verdicts.stop:
            self._sweep()
            yield from self._read()
            wait = self._begin()
        elif not self.flight.count:
            raise Stopped(self.verdicts.stop, cancelled=self.verdicts.cancelled)
        if self._under_way:
            yield from self._land(min(wait, TICK))

    def close(self) -> None:
        """Settle what is in flight, and give back what is reserved for what waits to be tried again."""
        while self.flight.count:
            for _ in self._land(TICK):
                pass
        outcome = Outcome(Weather.FAILING)  # its row says already what it met
        waiting = [Ended(each, outcome, State.FAILED) for each in self._waiting if each.call is not None]
        if waiting:
            settling.settle(self.endpoint, self.purse.budget, waiting, note=False)

    def _sweep(self) -> None:
        now = time.monotonic()
        if not self._swept or now - self._swept > SWEEP_SECONDS:
            self._swept = now
            sweeping.sweep(self.endpoint.name)

    def _read(self) -> Iterator[Told]:
        """Read further requests where few wait, and tell those that are answered already."""
        if len(self._waiting) >= self.endpoint.concurrency:
            return
        new: list[Wanted] = []
        place = None
        for place, request in islice(self._source, READ_AHEAD):
            key = keys.key(self.endpoint, request, self.purse.parser)
            known = self._under_way.get(key)
            if known is None:
                known = self._under_way[key] = Wanted(key, request)
                new.append(known)
            known.places.append(place)
        self._more = place is not None
        if new:
            yield from self._look_up(new)

    def _look_up(self, wanted: Sequence[Wanted]) -> Iterator[Told]:
        """Tell those that need not be sent; the others wait."""
        found = answered.find([each.key for each in wanted])
        named = [each.key for each in wanted if self.purse.purpose]
        broken = answered.broken_off(named, self.purse.purpose)
        for each in wanted:
            each.unknown = max(each.unknown, broken[each.key])
            problem = BROKE_OFF if each.unknown >= MOST_UNKNOWN else self._too_long(each.request)
            if each.key in found:
                reply = found[each.key]
                cut = reply.finish == TOO_LONG
                yield self._end(each, None, WAS_TOO_LONG) if cut else self._end(each, reply)
            elif problem:
                yield self._end(each, None, problem)
            else:
                self._waiting.append(each)

    def _too_long(self, request: Request) -> str:
        """Say whether a request cannot fit: some endpoints cut it and answer."""
        needed, context = fewest_tokens(request) + request.max_tokens, self.endpoint.context
        if context is None or needed <= context:
            return ""
        return f"It is too long: {needed:,} tokens at least, and {self.endpoint.name} reads {context:,}."

    def _begin(self) -> float:
        """Begin what may go now; return how long to wait before the next look."""
        now = time.monotonic()
        free = self.endpoint.concurrency - self.flight.count
        due = [each for each in self._waiting if each.due <= now][: max(0, free)]
        if not due:
            if not self._waiting or free <= 0:
                return TICK
            later = min(each.due for each in self._waiting) - now
            self._check_patience(later, "What is left must wait")
            return later
        begun = reserving.begin(self.endpoint, self.purse, due)
        gone = {id(each) for each in begun.sent}
        self._waiting = [each for each in self._waiting if id(each) not in gone]
        for each in begun.sent:
            self.flight.send(each)
        for each in begun.elsewhere:
            each.due = now  # looked up before it is tried again
        if begun.spent and not self.flight.count:
            raise Stopped(says_spent(self.purse.budget or 0))
        ill = f"{self.endpoint.name} failed several times in a row and is left alone"
        self._check_patience(begun.wait, ill if begun.ill else f"{self.endpoint.name} asked to be left alone")
        return min(begun.wait or TICK, LOOK_AGAIN if begun.elsewhere else TICK)

    def _check_patience(self, wait: float, why: str) -> None:
        if wait > self._patience and not self.flight.count:
            raise Stopped(f"{why} for {max(1.0, wait):,.0f} s. {self.verdicts.met}".strip(), retry_after=wait)

    def _land(self, seconds: float) -> Iterator[Told]:
        """Settle what has come back, and tell what has an end."""
        ended = [self.verdicts.on(wanted, outcome) for wanted, outcome in self.flight.landed(seconds)]
        if ended:
            lost = settling.settle(self.endpoint, self.purse.budget, ended)
            for each in ended:
                yield from self._settled(each, lost=each.wanted in lost)
        elsewhere = [each for each in self._waiting if each.call is None and each.due]
        due = [each for each in elsewhere if each.due <= time.monotonic()]
        if due:
            self._waiting = [each for each in self._waiting if each not in due]
            yield from self._look_up(due)

    def _settled(self, ended: Ended, *, lost: bool) -> Iterator[Told]:
        wanted, reply = ended.wanted, ended.outcome.reply
        again = lost or ended.state == State.INTENT
        if not again and ended.state == State.UNKNOWN:
            again = wanted.unknown < MOST_UNKNOWN
        if again:
            wanted.call = None if lost or ended.state == State.UNKNOWN else wanted.call
            wanted.due = time.monotonic() + ended.wait
            self._waiting.append(wanted)
        elif ended.state == State.ANSWERED and reply is not None:
            yield self._end(wanted, settling.with_call(reply, wanted))
        else:
            yield self._end(wanted, None, ended.outcome.problem)

    def _end(self, wanted: Wanted, reply: Reply | None, problem: str = "") -> Told:
        del self._under_way[wanted.key]
        return wanted.places, reply, problem
