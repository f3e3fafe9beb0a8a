"""A server on loopback that behaves as it is told, call by call."""

from __future__ import annotations

import gzip
import json
import socket
import threading
import time
from contextlib import contextmanager, suppress

from machines.client.endpoint import Endpoint

BODY = {
    "id": "x",
    "model": "model-echoed",
    "system_fingerprint": "fp",
    "choices": [{"message": {"role": "assistant", "content": '{"grade": 3}'}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 20, "completion_tokens": 6},
}


def http(status, data=b"", *headers, length=None):
    """A whole response."""
    data = data if isinstance(data, bytes) else json.dumps(data).encode()
    lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(data) if length is None else length}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + data


def fair(**changed):
    return http(200, {**BODY, **changed})


def said(text, **choice):
    """A response whose message is this text."""
    return fair(choices=[{"message": {"content": text}, "finish_reason": "stop", **choice}])


def error(status, message="wrong", *headers):
    return http(status, {"error": {"message": message}}, *headers)


def close(connection):
    """Close without a word."""


def reset(connection):
    time.sleep(0.05)  # what was sent before is read before
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")


def hang(connection):
    """Say nothing until the other side goes away."""
    connection.settimeout(5)
    with suppress(OSError):
        connection.recv(1)


def drip(data, every=0.02):
    """Send a byte now and then."""

    def slowly(connection):
        with suppress(OSError):
            for n in range(len(data)):
                connection.sendall(data[n : n + 1])
                time.sleep(every)

    return slowly


def bomb(size=40 * 2**20):
    """A small gzip of a large text."""
    return http(200, gzip.compress(b" " * size, 9), "Content-Encoding: gzip")


def cut(data, at=0.5):
    """A response of which only the first part comes."""
    return lambda connection: connection.sendall(data[: int(len(data) * at)])


class Server:
    """Answers calls in turn, the last way for all that follow. `seen` holds heads and bodies of requests."""

    def __init__(self, *ways, slow=0.0):
        self.ways, self.seen, self.slow = list(ways) or [fair()], [], slow
        self._lock = threading.Lock()
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self._socket.getsockname()[1]
        self._open = []
        threading.Thread(target=self._accept, daemon=True).start()

    def endpoint(self, name="weather", **more):
        given = {"model": "m", "timeout": 2.0, **more}
        return Endpoint(name, url=f"http://127.0.0.1:{self.port}/v1", **given)

    def stop(self):
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)  # or the kernel goes on listening for `accept`
        self._socket.close()
        for each in self._open:
            with suppress(OSError):
                each.close()

    def _accept(self):
        with suppress(OSError):
            while True:
                connection, _ = self._socket.accept()
                self._open.append(connection)
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with suppress(OSError), connection:
            while (request := _read(connection)) is not None:
                with self._lock:
                    way = self.ways.pop(0) if len(self.ways) > 1 else self.ways[0]
                    self.seen.append(request)
                self._answer(connection, way)
                if callable(way):
                    return

    def _answer(self, connection, way):
        time.sleep(self.slow)
        if callable(way):
            way(connection)
        else:
            connection.sendall(way)


@contextmanager
def server(*ways, **more):
    """A server that is stopped at the end."""
    one = Server(*ways, **more)
    try:
        yield one
    finally:
        one.stop()


def _read(connection):
    data = b""
    while b"\r\n\r\n" not in data:
        more = connection.recv(65536)
        if not more:
            return None
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
    while len(body) < length:
        body += connection.recv(65536)
    return head.decode(), json.loads(body)
