"""What holds for every reply."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.common import CommonMiddleware
from django.utils.cache import patch_vary_headers

from variorum.api.errors import BELOW
from variorum.views import too_large

SAFE = ("GET", "HEAD", "OPTIONS")
Next = Callable[[HttpRequest], HttpResponseBase]


def refuse_too_large(get_response: Next) -> Next:
    """Refuse a request that is too large by the length it names, before a byte is stored.

    Django counts what is typed only while it reads, and keeps files of any size until the view has them.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        named = request.META.get("CONTENT_LENGTH") or "0"
        if named.isdecimal() and int(named) > settings.LARGEST_REQUEST:
            return too_large()
        return get_response(request)

    return middleware


def refuse_null(get_response: Next) -> Next:
    """Refuse a page whose query holds the character NUL: PostgreSQL compares no text with it, and fails.

    The API says which parameter it is.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if "%00" in request.META.get("QUERY_STRING", "") and not request.path_info.startswith(BELOW):
            raise BadRequest("The query holds the character NUL.")
        return get_response(request)

    return middleware


class Slashes(CommonMiddleware):
    """Redirects an address without its slash at the end where something is asked for, and nothing sent.

    Who follows a redirect asks for the new address, and what was sent is lost without a word.
    """

    def should_redirect_with_slash(self, request: HttpRequest) -> bool:
        return request.method in SAFE and super().should_redirect_with_slash(request)


def private_pages(get_response: Next) -> Next:
    """Keep signed-in pages out of every cache but the reader's own memory.

    A shared laboratory machine must not show the last annotator's items through
    the back button, and a proxy must never serve one reader's page to another.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        patch_vary_headers(response, ["HX-Request"])
        if request.user.is_authenticated and "Cache-Control" not in response.headers:
            response["Cache-Control"] = "private, no-store"
        return response

    return middleware


def htmx_redirects(get_response: Next) -> Next:
    """Turn a redirect to the sign-in page into one that htmx obeys as a whole page.

    htmx follows a 302 silently and would swap the sign-in form into the item.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if request.headers.get("HX-Request") != "true" or response.status_code != 302:
            return response
        replacement = HttpResponse(status=204)
        replacement["HX-Redirect"] = response["Location"]
        replacement.cookies = response.cookies
        return replacement

    return middleware
