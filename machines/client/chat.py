"""A chat endpoint over HTTP: one POST, one deadline, and whatever comes of it as a value.

Nothing is followed, taken from the environment or decompressed without measure, and nothing is tried
again here: repeats cost money, and the ledger counts them.
"""

from __future__ import annotations

import json
import time
import zlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx2

from common.chat import Request
from machines.client import decisions, reading
from machines.client.body import body
from machines.client.deadline import Deadline, Transport
from machines.client.endpoint import Abilities, Endpoint
from machines.client.redaction import Key
from machines.client.weather import LONGEST_PROBLEM, Outcome, Weather

MOST_BYTES = 4 * 2**20
"""Of a response, decompressed."""
CONNECT_SECONDS = 10.0
LONGEST_WAIT = 3600.0
"""The longest that an endpoint's `Retry-After` is believed, in seconds."""
HEADERS = {
    "Accept": "application/json",
    "Accept-Encoding": "identity",
    "Content-Type": "application/json",
    "User-Agent": "variorum",
}
NEVER_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.UnsupportedProtocol)
STATUS = {
    429: Weather.BUSY,
    401: Weather.FORBIDDEN,
    403: Weather.FORBIDDEN,
    **dict.fromkeys((408, 425, 500, 502, 503, 504, 529), Weather.FAILING),
}
CONTEXT = ("context length", "context_length", "context window", "maximum context", "too many tokens")
"""How endpoints say that a request is too long."""


class Broken(Exception):
    """Raised where a response is too large, or cannot be decompressed."""


class Chat:
    """Calls to one chat endpoint. Threads may share it.

    `key` is called for each call and returns the key's value as it stands then.
    """

    def __init__(self, endpoint: Endpoint, key: Callable[[], Key]) -> None:
        self.endpoint, self._key = endpoint, key
        self._deadline = Deadline()
        transport = Transport(self._deadline, endpoint.concurrency, endpoint.ca_file)
        self._client = httpx2.Client(follow_redirects=False, trust_env=False, transport=transport)

    def close(self) -> None:
        """Close the connections; calls in flight break off."""
        self._client.close()

    def send(self, request: Request, abilities: Abilities) -> Outcome:
        """Send one request and return what came of it. Raises nothing that the endpoint could cause."""
        key, began = self._key(), time.monotonic()
        missing = self._no_key(key)
        if missing:
            return Outcome(Weather.FORBIDDEN, problem=missing)
        try:
            with self._deadline.within(self.endpoint.timeout):
                outcome = self._post(request, abilities, key)
        except NEVER_SENT as error:
            outcome = Outcome(Weather.UNSENT, problem=f"No connection to {self.endpoint.name}: {error}.")
        except (httpx2.HTTPError, Broken) as error:
            said = str(error) or type(error).__name__
            outcome = Outcome(Weather.BROKEN, problem=f"The call to {self.endpoint.name} broke off: {said}.")
        return _told(outcome, key, time.monotonic() - began)

    def _no_key(self, key: Key) -> str:
        """Say what is wrong with the key, if anything is; it is not sent then."""
        variable = self.endpoint.key_variable
        if variable and not key:
            return f"The variable {variable} holds no key: it is not set where this runs."
        if not key.reveal().isascii() or not key.reveal().isprintable():
            return f"The variable {variable} holds what cannot be a key: only printable ASCII can be sent."
        return ""

    def _post(self, request: Request, abilities: Abilities, key: Key) -> Outcome:
        decide = self.endpoint.decisions and decisions.fits(request)
        path = "systemone" if decide else "chat/completions"
        sent = decisions.body(request) if decide else body(self.endpoint, request, abilities)
        asked = json.dumps({"model": self.endpoint.model, **sent}).encode()
        headers = HEADERS | ({"Authorization": f"Bearer {key.reveal()}"} if key else {})
        seconds = self.endpoint.timeout
        timeout = httpx2.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))
        address = f"{self.endpoint.url.rstrip('/')}/{path}"
        with self._client.stream(
            "POST", address, content=asked, headers=headers, timeout=timeout
        ) as response:
            data = b"".join(_pieces(response))
            if response.status_code >= 500:
                # Servers close the connection after a failure, and the next call would break off on it.
                response.extensions["network_stream"].close()
        return outcome_of(self.endpoint, request, response.status_code, data, response.headers)


def outcome_of(
    endpoint: Endpoint, request: Request, status: int, data: bytes, headers: httpx2.Headers
) -> Outcome:
    """Return what a response means."""
    if status == 200:
        reply = reading.reply(data, request) or reading.decision(data, request)
        if reply is not None:
            return Outcome(Weather.FAIR, reply, status=status)
        return Outcome(
            Weather.NONSENSE, problem=f"{endpoint.name} answered 200 with no reply.", status=status
        )
    if 300 <= status < 400:
        said = f"{endpoint.name} wants to lead elsewhere ({status}), which is not followed."
        return Outcome(Weather.NONSENSE, problem=said, status=status)
    weather = STATUS.get(status, Weather.FAILING if status >= 500 else Weather.REFUSED)
    text = reading.error_text(data)
    if weather is Weather.REFUSED and any(sign in text.lower() for sign in CONTEXT):
        weather = Weather.TOO_LONG
    wait = retry_after(headers.get("retry-after", ""), datetime.now(UTC))
    return Outcome(weather, problem=f"{endpoint.name} said {status}: {text}", status=status, retry_after=wait)


def retry_after(value: str, now: datetime) -> float | None:
    """Return the seconds of a `Retry-After`, which holds a number or a date; None where it holds neither."""
    value = value.strip()
    if value.isascii() and value.isdecimal():
        return min(float(value[:9]), LONGEST_WAIT)
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return min(max(0.0, (moment - now).total_seconds()), LONGEST_WAIT)


def _pieces(response: httpx2.Response) -> Iterator[bytes]:
    """Yield the body piece by piece, decompressed, as long as it is not too large.

    Raises:
        Broken: it is too large, or compressed in a way we do not read.
    """
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in {"identity", "", "gzip", "deflate"}:
        raise Broken(f"it is compressed as {encoding:.20}")
    inflate = None if encoding in {"identity", ""} else zlib.decompressobj(wbits=47)
    left = MOST_BYTES
    for raw in response.iter_raw():
        try:
            piece = raw if inflate is None else inflate.decompress(raw, left + 1)
        except zlib.error as error:
            raise Broken("it cannot be decompressed") from error
        left -= len(piece)
        if left < 0:
            raise Broken(f"the reply has more than {MOST_BYTES // 2**20} MiB")
        yield piece


def _told(outcome: Outcome, key: Key, seconds: float) -> Outcome:
    problem = key.redact(outcome.problem)[:LONGEST_PROBLEM]
    reply = outcome.reply and key.hide(outcome.reply)
    return Outcome(outcome.weather, reply, problem, outcome.status, outcome.retry_after, round(seconds, 4))
