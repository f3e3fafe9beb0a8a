"""What a page asks for again and again while a job has not ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import get_conditional_response, set_response_etag


def state_or_unchanged(request: HttpRequest, template: str, context: Mapping[str, Any]) -> HttpResponse:
    """How far the job is; 304 while nothing has changed."""
    response = render(request, template, dict(context))
    # The browser keeps the last answer only to ask whether it still holds.
    response["Cache-Control"] = "private, no-cache"
    set_response_etag(response)
    return get_conditional_response(request, etag=response["ETag"], response=response) or response


def final_answer(response: HttpResponse, place: str) -> HttpResponse:
    """The answer that ends the asking: it takes the place of all that was shown, and polls no more."""
    response["HX-Retarget"], response["HX-Reswap"] = place, "innerHTML"
    return response
