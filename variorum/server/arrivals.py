"""Requests on their way: whether one is whole, too slow, or more than one client may send at once.

Nothing here waits for a socket: the web server feeds it.
"""

from __future__ import annotations

import re
import tempfile
from contextlib import suppress
from typing import IO, Any

from gunicorn.http.errors import NoMoreData
from gunicorn.http.unreader import SocketUnreader

GRACE_SECONDS = 20.0
BYTES_A_SECOND = 16 * 1024
"""A request may take so long, and longer by what has come of it at that rate (a slow line's)."""
LONGEST_HEAD = 64 * 1024
LARGE = 64 * 1024
"""A body that is longer waits in a file, not in memory."""
PIECE = 64 * 1024
LENGTH = re.compile(r"\r\ncontent-length:[ \t]*+([0-9]{1,18})[ \t]*+\r\n")
EXPECT = re.compile(r"\r\nexpect:[ \t]*+100-continue[ \t]*+(?=\r\n)")
END, BARE_END = b"\r\n\r\n", b"\n\n"


class IncomingRequest:
    """One request on its way.

    Args:
        since: When it began, in seconds of a monotonic clock.
        largest: Bodies that are longer are not waited for: they are refused unread.
    """

    def __init__(self, since: float, largest: int) -> None:
        self.since, self.last, self.size, self.watched = since, since, 0, False
        self.has_bare_end = False
        """Whether the head ends with LF alone, so that its end by CR and LF would be waited for in vain."""
        self.head = bytearray()
        """The head, and of the body what came with it or is not large."""
        self.file: IO[bytes] | None = None
        """The rest of a large body."""
        self.asks_to_go_on = False
        """Whether the client waits for a word before it sends the body."""
        self._largest = largest
        self._missing: int | None = None

    def wants(self) -> int:
        """Return how many bytes to read next: of a body none beyond its end."""
        return min(self._missing or PIECE, PIECE)

    def take(self, data: bytes, now: float) -> None:
        """Add the bytes that came. Raises `OSError` where there is no room for them."""
        self.size += len(data)
        self.last = now
        if self._missing is None:
            searched = max(0, len(self.head) - len(END) + 1)
            self.head += data
            end = self.head.find(END, searched)
            if end >= 0:
                self._read_head(end)
            else:
                self.has_bare_end = self.head.find(BARE_END, searched) >= 0
            return
        self._missing -= len(data)
        if self.file is None:
            self.head += data
        else:
            self.file.write(data)
        if not self._missing and self.file is not None:
            self.file.seek(0)

    def _read_head(self, end: int) -> None:
        head = self.head[: end + 2].decode("latin-1").lower()
        self._missing = max(0, self._named(head) - (len(self.head) - end - len(END)))
        asked = EXPECT.search(head)
        if asked and self._missing and head.partition("\r\n")[0].endswith(" http/1.1"):
            self.asks_to_go_on = True
            # Answered here: gunicorn would answer it a second time.
            del self.head[asked.start() : asked.end()]

    def _named(self, head: str) -> int:
        """Return how many bytes of body to wait for: none where the head names no length, or too much."""
        found = LENGTH.search(head)
        if found is None or "\r\ntransfer-encoding:" in head:
            return 0
        length = int(found[1])
        return length if length <= self._largest else 0

    @property
    def whole(self) -> bool:
        """Return whether the head has come, and the body it names."""
        return self._missing == 0

    @property
    def is_large(self) -> bool:
        """Return whether so much is missing that it is stored in a file."""
        return self._missing is not None and self._missing > LARGE

    @property
    def has_long_head(self) -> bool:
        """Return whether the head is too long and has not ended."""
        return self._missing is None and len(self.head) > LONGEST_HEAD

    def to_file(self) -> None:
        """Store the body in a file from now on."""
        self.file = tempfile.TemporaryFile(prefix="variorum-body-")  # noqa: SIM115 - the request reads it

    def drop(self) -> None:
        """Free what was stored: the request will not be read."""
        if self.file is not None:
            # Closing writes what is left, for which there may be no room.
            with suppress(OSError):
                self.file.close()

    def late(self, now: float) -> bool:
        """Return whether the request takes longer than its size allows."""
        return now > self.since + GRACE_SECONDS + self.size / BYTES_A_SECOND


class ReceivedRequest(SocketUnreader):  # type: ignore[misc]
    """Gives gunicorn's parser the bytes that have arrived, and never waits for more."""

    file: Any = None

    def hold(self, arrival: IncomingRequest) -> None:
        """Take over what has arrived."""
        self.unread(bytes(arrival.head))
        self.file = arrival.file

    def chunk(self, size_hint: int | None = None) -> bytes:
        """Return the next bytes of the body. Raises `NoMoreData` at its end."""
        # The hint is all that is left of the body, which would be copied at every read.
        data: bytes = self.file.read(min(max(size_hint or 0, self.mxchunk), PIECE)) if self.file else b""
        if not data:
            # An end would be taken for the body's, and what comes later for the next request.
            raise NoMoreData()
        return data

    def drop(self) -> None:
        """Close the file of a large body."""
        if self.file:
            with suppress(OSError):
                self.file.close()
            self.file = None
