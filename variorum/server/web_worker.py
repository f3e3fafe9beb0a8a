"""Gunicorn's worker with threads, none of which waits for a client to send: requests arrive in the loop.

Gunicorn (27.0.1, gthread) gives a connection a thread before its request is there, and then waits without
end: forty clients that each send half a form hold every thread. Here the loop, which watches all connections
anyway, collects a request until it is whole, and only then is it a thread's. A client has a time for that,
and a number of requests that may be on their way at once. What it leaves unread: `variorum.server.pacing`.

Behind proxies of our own all clients have one address, and the proxy limits them: `VARIORUM_PROXIES`. Clients
speak plain HTTP here; certificates are the proxy's.
"""

from __future__ import annotations

import errno
import selectors
import socket
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import partial, wraps
from typing import Any

from django.conf import settings
from gunicorn.workers.gthread import TConn

from variorum.server.arrivals import IncomingRequest, ReceivedRequest
from variorum.server.balance import BalancedWorker
from variorum.server.pacing import PacedSocket, WaitingThreads

MOST_ARRIVING = 100
"""Requests of one client that may be on their way to one process."""
MOST_LARGE, MOST_LARGE_OF_ALL = 4, 16
"""Large bodies that may: of one client, and of all."""
LINGER_SECONDS = 2.0
"""A connection that is closed is listened to for so long, or its last reply might be lost."""
MOST_LINGERING = 100
"""Refused ones of a client that are: it must not fill a process with connections that were refused."""
LOOK_SECONDS = 0.5
OUT_OF_FILES = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
BUSY = (503, "Service Unavailable", "Too many requests of yours are on their way; try again in a moment.")
LATE = (408, "Request Timeout", "The request came too slowly; send it again.")
LONG = (431, "Request Header Fields Too Large", "The request's head is too long.")
BARE = (400, "Bad Request", "The lines of a request's head end with CR and LF.")
FULL = (507, "Insufficient Storage", "The site has no room for so large a request now; send it again later.")
STOPPING = (503, "Service Unavailable", "The site is being restarted; send it again in a moment.")

Work = Callable[..., None]


def alone(work: Work) -> Work:
    """Let an exception end one connection only: in the loop it would end the process."""

    @wraps(work)
    def guarded(worker: WebWorker, conn: TConn, *args: Any) -> None:
        try:
            work(worker, conn, *args)
        except Exception:
            worker.log.exception("A connection failed and was closed.")
            worker.abandon(conn)

    return guarded


class WebWorker(BalancedWorker):
    """Gunicorn's threaded worker, whose requests arrive in the loop (see the module)."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.arriving: dict[TConn, IncomingRequest] = {}
        self.lingering: dict[TConn, float] = {}
        self._of_client: Counter[str] = Counter()
        self._looked = self._crowded_until = 0.0
        self._waiting: WaitingThreads | None = None

    def accept(self, listener: Any) -> None:
        """Accept a new connection, whose request has not come yet."""
        try:
            plain, address = listener.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return
        except OSError as error:
            if error.errno not in OUT_OF_FILES:
                raise
            self.log.error("No connection can be accepted now: %s", error)
            self._crowded_until = time.monotonic() + LOOK_SECONDS
            self.set_accept_enabled(False)
            return
        self.nr_conns += 1
        if self._waiting is None:
            self._waiting = WaitingThreads(None if settings.PROXIES else self.cfg.threads // 2)
        paced = PacedSocket.of(plain, _host(address), self._waiting)
        self.enqueue_req(TConn(self.cfg, paced, address, listener.getsockname()))

    def set_accept_enabled(self, enabled: bool) -> None:
        """Do what gunicorn does, but do not spin while no connection can be accepted."""
        super().set_accept_enabled(enabled and time.monotonic() >= self._crowded_until)

    @alone
    def enqueue_req(self, conn: TConn) -> None:
        """Let a request arrive first, wherever gunicorn would give a connection a thread."""
        if not conn.initialized:
            conn.init()
            conn.parser.unreader = ReceivedRequest(conn.sock)
            conn.data_ready = True
        conn.sock.setblocking(False)
        arrival = self.arriving[conn] = IncomingRequest(time.monotonic(), settings.LARGEST_REQUEST)
        self._of_client[_host(conn.client)] += 1
        if not settings.PROXIES and self._of_client[_host(conn.client)] > MOST_ARRIVING:
            self._refuse(conn, *BUSY)
            return
        early = conn.parser.unreader.take_buffered()
        if early:
            self._take(conn, arrival, early)
        else:
            self._receive(conn, conn.sock)
        if conn in self.arriving:
            arrival.watched = True
            self.poller.register(conn.sock, selectors.EVENT_READ, partial(self._receive, conn))

    @alone
    def _receive(self, conn: TConn, sock: Any) -> None:
        arrival = self.arriving[conn]
        try:
            data = sock.recv(arrival.wants())
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self._take(conn, arrival, data)
        else:
            self._leave(conn).drop()
            self._close(conn)

    def _take(self, conn: TConn, arrival: IncomingRequest, data: bytes) -> None:
        """Hand a request over once it is whole; refuse what is too much."""
        try:
            arrival.take(data, time.monotonic())
        except OSError as error:
            self.log.error("A request has no room: %s", error)
            self._refuse(conn, *FULL)
            return
        if arrival.whole:
            self._leave(conn)
            conn.parser.unreader.hold(arrival)
            super().enqueue_req(conn)
        elif arrival.has_bare_end:
            self._refuse(conn, *BARE)
        elif arrival.has_long_head:
            self._refuse(conn, *LONG)
        elif arrival.is_large and arrival.file is None and self._too_many_large(conn):
            self._refuse(conn, *BUSY)
        elif arrival.is_large and arrival.file is None and not self._opened(arrival):
            self._refuse(conn, *FULL)
        elif arrival.asks_to_go_on:
            arrival.asks_to_go_on = False
            with suppress(OSError):
                conn.sock.send(CONTINUE)

    def _opened(self, arrival: IncomingRequest) -> bool:
        """Whether there is a file for a large body now."""
        try:
            arrival.to_file()
        except OSError as error:
            self.log.error("A request has no room: %s", error)
            return False
        return True

    def _too_many_large(self, conn: TConn) -> bool:
        large = [other for other, arrival in self.arriving.items() if arrival.file is not None]
        same = sum(_host(other.client) == _host(conn.client) for other in large)
        return len(large) >= MOST_LARGE_OF_ALL or (not settings.PROXIES and same >= MOST_LARGE)

    def _leave(self, conn: TConn) -> IncomingRequest:
        """It is not arriving any more."""
        arrival = self.arriving.pop(conn)
        host = _host(conn.client)
        self._of_client[host] -= 1
        if not self._of_client[host]:
            del self._of_client[host]
        if arrival.watched:
            self.poller.unregister(conn.sock)
        return arrival

    def _refuse(self, conn: TConn, status: int, reason: str, text: str) -> None:
        """Answer from the loop what is not to have a thread."""
        self._leave(conn).drop()
        head = f"HTTP/1.1 {status} {reason}\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8"
        with suppress(OSError):
            conn.sock.send(f"{head}\r\nContent-Length: {len(text)}\r\n\r\n{text}".encode())
        same = sum(_host(other.client) == _host(conn.client) for other in self.lingering)
        if not settings.PROXIES and same >= MOST_LINGERING:
            self._close(conn)
        else:
            self._linger(conn)

    @alone
    def finish_request(self, conn: TConn, done: Any) -> None:
        """Do what gunicorn does, but let closing a connection keep nobody else waiting."""
        self.end_turn(conn)
        conn.parser.unreader.drop()
        if done.cancelled() or done.exception() or not done.result():
            self._linger(conn)
        else:
            super().finish_request(conn, done)

    def _linger(self, conn: TConn) -> None:
        try:
            conn.sock.setblocking(False)
            conn.sock.shutdown(socket.SHUT_WR)
            self.poller.register(conn.sock, selectors.EVENT_READ, partial(self._drain, conn))
        except (OSError, ValueError):
            self._close(conn)
        else:
            self.lingering[conn] = time.monotonic() + LINGER_SECONDS

    @alone
    def _drain(self, conn: TConn, sock: Any) -> None:
        try:
            if sock.recv(65536):
                return
        except BlockingIOError:
            return
        except OSError:
            pass
        self._end_linger(conn)

    def _end_linger(self, conn: TConn) -> None:
        del self.lingering[conn]
        self.poller.unregister(conn.sock)
        self._close(conn)

    def _close(self, conn: TConn) -> None:
        self.nr_conns -= 1
        conn.close()

    def abandon(self, conn: TConn) -> None:
        """Close a connection, whatever its state. One that is closed already has no number any more."""
        self.leave_line(conn)
        if conn in self.arriving:
            with suppress(OSError, KeyError, ValueError):
                self._leave(conn).drop()
        if self.lingering.pop(conn, None) is not None:
            with suppress(OSError, KeyError, ValueError):
                self.poller.unregister(conn.sock)
        if conn.sock.fileno() >= 0:
            self._close(conn)

    def murder_pending(self) -> None:
        """Close what has waited too long. Gunicorn calls it by this name after every turn of the loop."""
        super().murder_pending()
        now = time.monotonic()
        if now < self._looked + LOOK_SECONDS:
            return
        self._looked = now
        for conn, arrival in list(self.arriving.items()):
            # A site that stops waits for what is really on its way, as long as gunicorn's own patience.
            if not (arrival.late(now) or (not self.alive and now > arrival.last + LINGER_SECONDS)):
                continue
            if arrival.size:
                self._refuse(conn, *(LATE if self.alive else STOPPING))
            else:
                self._leave(conn)
                self._close(conn)
        for conn in [conn for conn, until in self.lingering.items() if now > until]:
            self._end_linger(conn)


def _host(address: Any) -> str:
    """Return the client's address; empty where the server listens on a file."""
    return str(address[0]) if isinstance(address, tuple) and address else ""
