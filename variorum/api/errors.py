"""Errors below /api/ in JSON: what Django would send a script as a page is said in one sentence."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from rest_framework.response import Response
from rest_framework.views import exception_handler

Next = Callable[[HttpRequest], HttpResponseBase]

BELOW = "/api/"
ABOVE = "/api"
"""Without its slash: nothing is there, and a script that asks for it wants the API."""
PAGE = "text/html"
DETAIL = "detail"
AGAIN = "What was saved is safe; what you just sent is not saved. Send it again"
SENTENCES = {
    400: "This request could not be understood. Nothing was saved.",
    403: "This is not open to you.",
    404: "There is nothing at this address; addresses end in a slash.",
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
        of_api = request.path_info.startswith(BELOW) or request.path_info == ABOVE
        if response.status_code < 400 or not of_api:
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


def in_one_form(error: Exception, context: dict[str, Any]) -> Response | None:
    """Return the answer to an error of the API's views: always `form_of` what it says."""
    response = exception_handler(error, context)
    if response is not None:
        response.data = form_of(response.data)
    return response


def form_of(said: Any) -> dict[str, Any]:
    """Return the one form of an error: a list of sentences for each field, and `detail` for all the rest.

    A field within a field is named with a dot: `answers.0`. `detail` is one text.
    """
    found: dict[str, Any] = {}
    for field, sentence in _sentences(said):
        found.setdefault(field or DETAIL, []).append(sentence)
    if DETAIL in found:
        found[DETAIL] = " ".join(found[DETAIL])
    return found


def _sentences(said: Any, field: str = "") -> Iterator[tuple[str, str]]:
    """Yield each sentence with the name of its field, empty for none."""
    if isinstance(said, dict):
        for name, value in said.items():
            within = "" if name in (DETAIL, "non_field_errors") else str(name)
            yield from _sentences(value, ".".join(filter(None, (field, within))))
    elif isinstance(said, list):
        for number, value in enumerate(said):
            nested = isinstance(value, dict | list)
            yield from _sentences(value, f"{field}.{number}".strip(".") if nested else field)
    else:
        yield field, str(said)
