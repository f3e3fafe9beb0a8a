"""Variorum's API from Python: one file, the standard library alone. Copy it beside your script.

    site = Variorum("https://variorum.example.org", key)
    site.post("studies/", {"slug": "tide", "title": "Tide", "task": "choice"})
    rows = list(site.rows("studies/tide/judgments/", kind="work"))

`key` is an API token (*Keys for scripts* on the site): read it from the environment, never write it down.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterator
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

TRIES = 4
"""How often a request is sent that gets no answer, or 503: a POST under one idempotency key."""
WAIT = 1.0
"""Seconds before the second try; each further one waits twice as long."""


class Refused(Exception):
    """An error that the site answered.

    status: of HTTP.
    said: the reply: sentences by field, and `detail`.
    """

    def __init__(self, status: int, said: Any) -> None:
        super().__init__(f"{status}: {said}")
        self.status, self.said = status, said


class _Stay(HTTPRedirectHandler):
    """Follows nothing: the key goes to no other address."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Variorum:
    """One site, as one person.

    site: its address, such as `https://variorum.example.org`.
    key: the API token.
    timeout: seconds that a reply may keep silent.

    Raises:
        ValueError: the address is no https, and does not lead to this machine.
    """

    def __init__(self, site: str, key: str, timeout: float = 60.0) -> None:
        parts = urlsplit(site)
        here = parts.hostname in ("localhost", "127.0.0.1", "::1")
        if parts.scheme != "https" and not (parts.scheme == "http" and here):
            raise ValueError(f"{site} must begin with https://: the key would be read on the way.")
        self._base = f"{site.rstrip('/')}/api/v1/"
        self._key, self._timeout = key, timeout
        self._opener = build_opener(_Stay)

    def get(self, path: str, **query: Any) -> Any:
        """Return what an address says: JSON as Python's values, any other file as bytes."""
        return self._ask("GET", self._address(path, query))

    def post(self, path: str, body: Any = None) -> Any:
        """Send something, once, however often the network fails; return the reply, None where it is empty."""
        return self._ask("POST", self._address(path, {}), {} if body is None else body)

    def patch(self, path: str, body: Any) -> Any:
        """Change what an address says; return it as it is then."""
        return self._ask("PATCH", self._address(path, {}), body)

    def delete(self, path: str, body: Any = None) -> Any:
        """Delete something for good."""
        return self._ask("DELETE", self._address(path, {}), body)

    def rows(self, path: str, **query: Any) -> Iterator[dict[str, Any]]:
        """Yield all entries of an address that answers in pages."""
        next_page: str | None = self._address(path, {"page_size": 1000, **query})
        while next_page:
            # The site may name itself otherwise than this script reaches it: the query alone is taken.
            page = self._ask("GET", self._address(path, {}) + f"?{urlsplit(next_page).query}")
            yield from page["results"]
            next_page = page["next"]

    def wait(self, path: str, seconds: float = 5.0) -> dict[str, Any]:
        """Return a job once it has ended, asking every so many seconds."""
        while True:
            job: dict[str, Any] = self.get(path)
            if job["status"] in ("done", "failed", "cancelled"):
                return job
            time.sleep(seconds)

    def _address(self, path: str, query: dict[str, Any]) -> str:
        said = f"?{urlencode(query, doseq=True)}" if query else ""
        return f"{self._base}{path.lstrip('/')}{said}"

    def _ask(self, method: str, address: str, body: Any = None) -> Any:
        headers = {"Authorization": f"Bearer {self._key}"}
        data = None
        if body is not None:
            data, headers["Content-Type"] = json.dumps(body).encode(), "application/json"
        if method == "POST":
            headers["Idempotency-Key"] = uuid.uuid4().hex
        for tried in range(1, TRIES + 1):
            try:
                # The scheme was looked at when the site was named.
                request = Request(address, data, headers, method=method)  # noqa: S310
                with self._opener.open(request, timeout=self._timeout) as reply:
                    return _read(reply.headers.get_content_type(), reply.read())
            except HTTPError as error:
                with error:
                    said = _read(error.headers.get_content_type(), error.read())
                under_way = error.code == 409 and error.headers.get("Retry-After")
                if tried == TRIES or not (error.code == 503 or under_way):
                    raise Refused(error.code, said) from None
            except (URLError, TimeoutError, ConnectionError):
                if tried == TRIES:
                    raise
            time.sleep(WAIT * 2 ** (tried - 1))
        raise AssertionError


def _read(kind: str, data: bytes) -> Any:
    """Return a reply: JSON as values, nothing as None, other types as bytes."""
    return json.loads(data) if data and kind == "application/json" else data or None
