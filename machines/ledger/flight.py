"""Calls in the air: a pool of threads that do nothing but send and receive."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Self

from machines.client.endpoint import Abilities, Endpoint
from machines.client.weather import LONGEST_PROBLEM, Outcome, Weather
from machines.endpoints import Sender
from machines.ledger.wanted import Wanted


class Flight:
    """Sends questions in threads, and hands back what came of them."""

    def __init__(self, sending: Sender, endpoint: Endpoint, abilities: Abilities) -> None:
        self._sending, self._abilities = sending, abilities
        self._pool = ThreadPoolExecutor(endpoint.concurrency, thread_name_prefix="asking")
        # Few at a time, so that their threads are busy again while the next are written down.
        self._at_once = max(1, endpoint.concurrency // 2)
        self._landed: SimpleQueue[tuple[Wanted, Outcome]] = SimpleQueue()
        self.count = 0
        """Calls that were sent and have not been handed back."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    def send(self, wanted: Wanted) -> None:
        """Send a question as soon as a thread is free."""
        self.count += 1
        self._pool.submit(self._one, wanted)

    def landed(self, seconds: float) -> list[tuple[Wanted, Outcome]]:
        """Return what has come back, waiting for the first so long at most."""
        found = list(islice(self._waiting(seconds), self._at_once))
        self.count -= len(found)
        return found

    def _waiting(self, seconds: float) -> Iterator[tuple[Wanted, Outcome]]:
        try:
            yield self._landed.get(timeout=max(0.0, seconds))
            while True:
                yield self._landed.get_nowait()
        except Empty:
            return

    def _one(self, wanted: Wanted) -> None:
        try:
            outcome = self._sending.send(wanted.request, self._abilities)
        except Exception as error:  # noqa: BLE001  (a fault of ours must not leave a call without an end)
            said = f"Sending failed: {type(error).__name__}."
            outcome = Outcome(Weather.BROKEN, problem=said[:LONGEST_PROBLEM])
        self._landed.put((wanted, outcome))
