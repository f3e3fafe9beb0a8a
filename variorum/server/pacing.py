"""Slow clients: how long a thread waits for one that does not read its reply, and how many threads do."""

from __future__ import annotations

import errno
import select
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from variorum.server.arrivals import BYTES_A_SECOND, GRACE_SECONDS


class WaitingThreads:
    """How many threads wait for each client.

    most: how many may; None for no limit.
    """

    def __init__(self, most: int | None) -> None:
        self._most = most
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()

    @contextmanager
    def one(self, host: str) -> Iterator[None]:
        """Wait as one of them.

        Raises:
            BrokenPipeError: as many wait for that client already.
        """
        with self._lock:
            if self._most is not None and self._counts[host] >= self._most:
                raise BrokenPipeError(errno.EPIPE, f"{host} reads too slowly, on too many connections")
            self._counts[host] += 1
        try:
            yield
        finally:
            with self._lock:
                self._counts[host] -= 1
                if not self._counts[host]:
                    del self._counts[host]


class PacedSocket(socket.socket):
    """A socket that is written to as long as its client reads at a slow line's rate."""

    host = ""
    waiting = WaitingThreads(None)
    credit = GRACE_SECONDS
    """Seconds that may be waited; what the client reads adds to it at a slow line's rate."""

    @classmethod
    def of(cls, plain: socket.socket, host: str, waiting: WaitingThreads) -> PacedSocket:
        """Return the same connection; `plain` is not to be used any more."""
        paced = cls(fileno=plain.detach())
        paced.host, paced.waiting = host, waiting
        return paced

    def sendall(self, data: Any, flags: int = 0, /) -> None:
        """Send as a plain socket does.

        Raises:
            BrokenPipeError: the client does not read, or one of its other connections is waited for instead.
        """
        rest = memoryview(data).cast("B")
        while rest:
            try:
                sent = self.send(rest, flags | socket.MSG_DONTWAIT)
            except BlockingIOError:
                with self.waiting.one(self.host):
                    self._wait()
                continue
            self.credit = min(GRACE_SECONDS, self.credit + sent / BYTES_A_SECOND)
            rest = rest[sent:]

    def _wait(self) -> None:
        if self.credit <= 0:
            raise BrokenPipeError(errno.EPIPE, f"{self.host} does not read its reply")
        began = time.monotonic()
        ready = select.poll()
        ready.register(self, select.POLLOUT)
        ready.poll(self.credit * 1000)
        self.credit -= time.monotonic() - began
