"""Addresses as they leave the site, and those that pages had in earlier versions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponsePermanentRedirect
from django.http.response import HttpResponseBase
from django.urls import reverse

IN_FRONT = "Put the address of the site in front."
"""What a command says below a path, where the site’s address is not set."""

View = Callable[..., HttpResponseBase]


def whole(path: str) -> str:
    """Return the path behind the site's address, where that is set."""
    return f"{settings.SITE}{path}"


def moved(view: View, name: str) -> View:
    """Return a view for the old address of `view`, whose address is now called `name`.

    A link is redirected for good and keeps its query. A form is answered as at the new address: a page
    that was open when the site was brought up to date still sends it here.
    """

    def old_address(request: HttpRequest, **keys: Any) -> HttpResponseBase:
        if request.method not in ("GET", "HEAD"):
            return view(request, **keys)
        query = request.META.get("QUERY_STRING", "")
        return HttpResponsePermanentRedirect(f"{reverse(name, kwargs=keys)}{'?' if query else ''}{query}")

    return old_address
