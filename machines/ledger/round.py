"""One round of asking: questions wait, are begun, fly, land, and are settled, until all have an end."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import islice

from common.chat import Reply, Request
from machines.client.body import fewest_tokens
from machines.client.endpoint import Endpoint
from machines.client.weather import Outcome, Weather
from machines.ledger import answered, keys, settling, sweeping
from machines.ledger.exchanging import exchange, prepare
from machines.ledger.flight import Flight
from machines.ledger.limits.budgets import says_spent
from machines.ledger.reserving import Begun, Purse
from machines.ledger.settling import Ended
from machines.ledger.stopped import Stopped
from machines.ledger.verdicts import MOST_UNKNOWN, TOO_LONG, Verdicts
from machines.ledger.wanted import Wanted
from machines.models import State

READ_AHEAD = 64
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
        self._landed: list[Ended] = []
        self._swept = self._pause = 0.0
        self._more = True
        prepare(endpoint.name)

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
        if not self.verdicts.stop:
            self._sweep()
            yield from self._read()
        elif not self.flight.count:
            raise Stopped(self.verdicts.stop, cancelled=self.verdicts.cancelled)
        if not self._under_way:
            return
        self._land(min(self._pause, TICK))
        due = self._due()
        told, begun = self._exchange(due)
        yield from told
        self._pause = self._pause_after(due, begun)
        yield from self._look_again()

    def close(self) -> None:
        """Settle what is in flight, and give back what is reserved for what waits to be tried again."""
        while self._landed or self.flight.count:
            self._exchange(())
            self._land(TICK)
        outcome = Outcome(Weather.FAILING)  # its row says already what it met
        waiting = [Ended(each, outcome, State.FAILED) for each in self._waiting if each.call is not None]
        if waiting:
            exchange(self.endpoint, self.purse, waiting, note=False)

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
        context = self.endpoint.context
        if context is None:
            return ""
        needed = fewest_tokens(request) + request.max_tokens
        if needed <= context:
            return ""
        return f"It is too long: {needed:,} tokens at least, and {self.endpoint.name} reads {context:,}."

    def _land(self, seconds: float) -> None:
        """Take what has come back, waiting for the first so long at most, and decide about it."""
        self._landed += [self.verdicts.on(*each) for each in self.flight.landed(seconds)]

    def _due(self) -> list[Wanted]:
        """Return what may be begun: as many as there are free threads."""
        free = 0 if self.verdicts.stop else self.endpoint.concurrency - self.flight.count
        now = time.monotonic()
        return [each for each in self._waiting if each.due <= now][: max(0, free)] if free > 0 else []

    def _exchange(self, due: Sequence[Wanted]) -> tuple[list[Told], Begun]:
        """Settle what has landed and begin what is due; return what has an end, and what became of these."""
        ended = self._landed
        if not ended and not due:
            return [], Begun()
        lost, begun = exchange(self.endpoint, self.purse, ended, due)
        self._landed = []
        gone = {id(each) for each in begun.sent}
        self._waiting = [each for each in self._waiting if id(each) not in gone]
        for each in begun.sent:
            self.flight.send(each)
        for each in begun.elsewhere:
            each.due = time.monotonic()  # looked up before it is tried again
        return [told for each in ended for told in self._settled(each, lost=each.wanted in lost)], begun

    def _pause_after(self, due: Sequence[Wanted], begun: Begun) -> float:
        """Return how long to wait for what is in flight before the next look."""
        free = self.endpoint.concurrency - self.flight.count
        if len(begun.sent) < len(due):
            if begun.spent and not self.flight.count:
                raise Stopped(says_spent(self.purse.budget or 0))
            asked_to = f"{self.endpoint.name} asked to be left alone"
            ill = f"{self.endpoint.name} failed several times in a row and is left alone"
            self._check_patience(begun.wait, ill if begun.ill else asked_to)
            return min(begun.wait or TICK, LOOK_AGAIN if begun.elsewhere else TICK)
        if free <= 0 or self.verdicts.stop:
            return TICK
        if not self._waiting:
            return 0.0 if self._more else TICK
        later = min(each.due for each in self._waiting) - time.monotonic()
        self._check_patience(later, "What is left must wait")
        return max(0.0, later)

    def _check_patience(self, wait: float, why: str) -> None:
        if wait > self._patience and not self.flight.count:
            raise Stopped(f"{why} for {max(1.0, wait):,.0f} s. {self.verdicts.met}".strip(), retry_after=wait)

    def _look_again(self) -> Iterator[Told]:
        """Tell what another worker has answered meanwhile."""
        now = time.monotonic()
        due = [each for each in self._waiting if each.call is None and each.due and each.due <= now]
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
