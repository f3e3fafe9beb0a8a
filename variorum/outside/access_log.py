"""Gunicorn's log without what stands in addresses: no code of a link, no id of a recruiting service.

A line names method, path, status and size. Of an address the query is left out, of a path whatever is a
secret or leads nowhere (`variorum.outside.logs.shown_path`), of another site's address all but its name.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from gunicorn.glogging import Logger

from variorum.outside.logs import shown_path

KEPT = ("h", "l", "t", "s", "m", "H", "b", "B", "a", "T", "D", "M", "L", "p", "{x-request-id}i")
"""What a format (`--access-logformat`) may name beside `r`, `U` and `f`: nothing else can be in a line."""

MALFORMED = "Invalid request from ip="
SITE = re.compile(r"\A[a-z][a-z0-9+.-]*+://[^/?]*+", re.IGNORECASE)
"""What stands before the path where a request is made as to a proxy."""


class AccessLog(Logger):  # type: ignore[misc]  # gunicorn has no types
    """What gunicorn writes of requests and of those that broke."""

    def atoms(self, resp: Any, req: Any, environ: dict[str, Any], request_time: Any) -> dict[str, Any]:
        """Return what a line may be made of."""
        told = super().atoms(resp, req, environ, request_time)
        path = shown_path(environ.get("PATH_INFO", ""))
        asked = f"{environ.get('REQUEST_METHOD')} {path} {environ.get('SERVER_PROTOCOL')}"
        came_from = referer(environ.get("HTTP_REFERER", ""), environ.get("HTTP_HOST", ""))
        kept = {name: told[name] for name in KEPT if name in told}
        return {**kept, "u": "-", "q": "", "r": asked, "U": path, "f": came_from}

    def warning(self, msg: Any, *args: Any, **kwargs: Any) -> None:
        """Write down what is wrong with a request that is none, of which gunicorn would quote a line."""
        kept = ": ".join(msg.split(": ")[:2]) if isinstance(msg, str) and msg.startswith(MALFORMED) else msg
        super().warning(kept, *args, **kwargs)

    def exception(self, msg: Any, *args: Any, **kwargs: Any) -> None:
        """Write down what broke; among `args` gunicorn gives the whole address."""
        super().exception(msg, *(without_query(each) for each in args), **kwargs)


def without_query(said: Any) -> Any:
    """Return an address, with a site's name or without, as it may be shown, and anything else as it is."""
    if not isinstance(said, str) or not (said.startswith("/") or SITE.match(said)):
        return said
    return shown_path(SITE.sub("", said, count=1).partition("?")[0])


def referer(address: str, host: str) -> str:
    """Return where a request came from: a page of this site (`host`), or the name of another; else -."""
    try:
        there = urlsplit(address)
    except ValueError:
        return "-"
    if there.scheme not in ("http", "https") or not there.netloc.isascii():
        return "-"
    name = there.netloc.rpartition("@")[2]
    return f"{there.scheme}://{name}{shown_path(there.path) if name == host else '/'}"
