"""Links whose code stands behind the `#` of their address, which no browser sends: so it is in no log.

The page of such a link sends the code by POST, once. From then on that browser may see what the link leads
to, at an address without a secret: the session knows what its codes have opened. Pages can be loaded again,
and one comes back to them after signing in.
"""

from __future__ import annotations

from django.http import HttpRequest

MOST = 20
"""So many of a kind are remembered, the latest."""


def code_of(pasted: str) -> str:
    """Return the code of a link, however it was pasted: a whole link of either form, or the code alone; what
    an address says behind a `?` is left out.
    """
    last = "".join(pasted.split()).rpartition("#")[2].partition("?")[0].rstrip("/").rpartition("/")[2]
    return last.strip(".,;:<>()[]\"'“”")[:200]


def bring(request: HttpRequest, kind: str, pk: int) -> None:
    """Remember that this browser has brought the code of that row."""
    brought = [each for each in request.session.get(kind, []) if each != pk]
    request.session[kind] = [*brought, pk][-MOST:]


def has_brought(request: HttpRequest, kind: str, pk: int) -> bool:
    """Return whether this browser has brought the code of that row."""
    return pk in request.session.get(kind, [])
