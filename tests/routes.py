"""Every address of the site, read from the URLconf: what a table in a test must cover."""

from __future__ import annotations

from collections.abc import Iterator

from django.urls import URLPattern, URLResolver, get_resolver


def routes(resolver: URLResolver | None = None, namespace: str = "") -> Iterator[str]:
    """The names, with their namespaces, as `reverse` takes them."""
    for pattern in (resolver or get_resolver()).url_patterns:
        if isinstance(pattern, URLPattern):
            yield f"{namespace}{pattern.name}"
        else:
            inner = f"{namespace}{pattern.namespace}:" if pattern.namespace else namespace
            yield from routes(pattern, inner)
