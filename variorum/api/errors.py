"""Errors below /api/ in JSON: what Django would send a script as a page is said in one sentence."""

from __future__ import annotations

import json
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse

Next = Callable[[HttpRequest], HttpResponseBase]

BELOW = "/api/"
PAGE = "text/html"
AGAIN = "What was saved is safe; what you just sent is not saved. Send it again"
SENTENCES = {
    400: "This request could not be understood. Nothing was saved.",
    403: "This is not open to you.",
    404: "There is nothing at this address.",
    405: "This address does not take {method}, but {allowed}.",
    413: "That was too large to be taken. Nothing was saved.",
    500: f"Something went wrong on our side. {AGAIN}; if that fails too, tell the person who runs this site.",
    503: f"The database cannot be used at the moment. {AGAIN} in a minute.",
}
"""What happened, by status; `method` and `allowed` are those of the request."""
OTHER = "This request was refused."


def json_errors(get_response: Next) -> Next:
    """Replace the page of an error below /api/ by `{"detail": …}`, with the address of the description.

    Errors that the API's own views answer are JSON already and stay as they are. Status and headers
    (`Allow`, `Retry-After`) are kept. Stands above every other middleware, so that their refusals are
    replaced too.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if response.status_code < 400 or not request.path_info.startswith(BELOW):
            return response
        if isinstance(response, HttpResponse) and response.headers.get("Content-Type", "").startswith(PAGE):
            response.content = json.dumps({"detail": sentence(request, response)}, ensure_ascii=False)
            response.headers["Content-Type"] = "application/json"
            response.headers["Content-Length"] = str(len(response.content))
        return response

    return middleware


def sentence(request: HttpRequest, response: HttpResponse) -> str:
    """Return what happened in words, and the address of the API's description."""
    what = SENTENCES.get(response.status_code, OTHER)
    said = what.format(method=request.method, allowed=response.headers.get("Allow", "no method"))
    return f"{said} The API is described at {reverse('api:page')}, for machines at {reverse('api:schema')}."
