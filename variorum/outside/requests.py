"""Each request observed once: its id, who asked, and how long it took, in the log and in the numbers."""

from __future__ import annotations

import logging
import re
import time
import uuid
from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from variorum.outside import logs

logger = logging.getLogger("variorum.request")

Next = Callable[[HttpRequest], HttpResponseBase]
HEADER = "X-Request-ID"
GIVEN = re.compile(r"[0-9A-Za-z-]{8,64}")
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def observe(get_response: Next) -> Next:
    """Give each request an id, write a line of it, and count its seconds.

    A proxy of ours may have given the id. The line and the numbers name the route, never the address: some
    addresses hold codes. The reply of an export is timed until it begins.
    """
    if settings.LOG_FORMAT != "json" and not settings.METRICS_TOKEN:
        raise MiddlewareNotUsed

    def middleware(request: HttpRequest) -> HttpResponseBase:
        number, began = request_id(request), time.monotonic()
        request.META[logs.REQUEST_ID] = number
        token = logs.current_request.set((number, request))
        try:
            response = get_response(request)
            seconds = time.monotonic() - began
            method = request.method if request.method in METHODS else "other"
            told = {"method": method, "route": logs.route(request), "status": response.status_code}
            if settings.LOG_FORMAT == "json":
                logger.info("request", extra={**told, "seconds": round(seconds, 4)})
                response.headers[HEADER] = number
        finally:
            logs.current_request.reset(token)
        if settings.METRICS_TOKEN:
            from variorum.outside import metrics

            metrics.observe(str(method), logs.route(request), response.status_code, seconds)
        return response

    return middleware


def request_id(request: HttpRequest) -> str:
    """Return the id that a proxy of ours gave the request, else a new one."""
    given: str = request.headers.get(HEADER, "")
    return given if settings.PROXIES and GIVEN.fullmatch(given) else uuid.uuid4().hex
