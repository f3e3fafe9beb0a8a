"""Connections that keep one deadline for a whole call.

The timeouts of HTTP libraries are times between two bytes: a server that sends a byte now and then, in the
headers or after, is never late. Here every read of a call ends with the call's own time.
"""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import httpcore2
import httpx2

LATE = "the reply took too long"


class Deadline(threading.local):
    """When the call of this thread must have ended, on `time.monotonic`."""

    moment: float = float("inf")

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Give what is done inside so many seconds altogether."""
        self.moment = time.monotonic() + seconds
        try:
            yield
        finally:
            self.moment = float("inf")

    def left(self, timeout: float | None) -> float:
        """Return the shorter of a timeout and the time that is left.

        Raises:
            httpcore2.ReadTimeout: no time is left.
        """
        left = self.moment - time.monotonic()
        if left <= 0:
            raise httpcore2.ReadTimeout(LATE)
        return left if timeout is None else min(left, timeout)


class Stream(httpcore2.NetworkStream):
    """A connection that is read from until the deadline of the thread."""

    def __init__(self, inner: httpcore2.NetworkStream, deadline: Deadline) -> None:
        self._inner, self._deadline = inner, deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Return some bytes, or none at the end."""
        return self._inner.read(max_bytes, self._deadline.left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send bytes."""
        self._inner.write(buffer, self._deadline.left(timeout))

    def close(self) -> None:
        """Close the connection."""
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        """Return the same connection, encrypted."""
        return Stream(self._inner.start_tls(ssl_context, server_hostname, timeout), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        """Return what the connection knows of itself."""
        return self._inner.get_extra_info(info)


class Backend(httpcore2.SyncBackend):
    """Opens connections of this kind."""

    def __init__(self, deadline: Deadline) -> None:
        self._deadline = deadline

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.NetworkStream:
        """Open a connection."""
        inner = super().connect_tcp(host, port, timeout, local_address, socket_options)
        return Stream(inner, self._deadline)


class Transport(httpx2.HTTPTransport):
    """httpx2's own transport, of such connections. It takes nothing from the environment."""

    def __init__(self, deadline: Deadline, width: int, authorities: Path | None = None) -> None:
        super().__init__(verify=_tls(authorities))
        self._pool = httpcore2.ConnectionPool(
            ssl_context=_tls(authorities),
            max_connections=width,
            max_keepalive_connections=width,
            keepalive_expiry=30.0,
            network_backend=Backend(deadline),
        )


@cache
def _tls(authorities: Path | None) -> ssl.SSLContext:
    """Return what connections are encrypted with, made once: it takes longer than a call.

    Raises:
        OSError: the file of authorities cannot be read, or holds none (`ssl.SSLError`).
    """
    if authorities is None:
        return httpx2.create_ssl_context(trust_env=False)
    return ssl.create_default_context(cafile=str(authorities))
