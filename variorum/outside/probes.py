"""/healthz, /readyz and /metrics: answered before anything else, by whatever name the site is asked.

A supervisor asks by an address and without https, so that neither the list of hosts nor the redirect to
https may stand before them; no session is read.
"""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse
from django.http.response import HttpResponseBase
from django.utils.crypto import constant_time_compare

from variorum.outside import readiness

Next = Callable[[HttpRequest], HttpResponseBase]


def answer_probes(get_response: Next) -> Next:
    """Answer the addresses of `PROBES`; hand on every other."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        probe = PROBES.get(request.path_info)
        # Without a token there is no such address.
        if probe is None or (probe is metrics and not settings.METRICS_TOKEN):
            return get_response(request)
        if request.method not in {"GET", "HEAD"}:
            return HttpResponseNotAllowed(["GET", "HEAD"])
        reply = probe(request)
        reply.headers["Cache-Control"] = "no-store"
        reply.headers["X-Content-Type-Options"] = "nosniff"
        return reply

    return middleware


def alive(request: HttpRequest) -> HttpResponse:
    """Say that this process answers; nothing else is asked."""
    return JsonResponse({"alive": True})


def ready(request: HttpRequest) -> HttpResponse:
    """Say whether people can be served: 503 with the reason where they cannot."""
    why = readiness.not_ready()
    if why:
        return JsonResponse({"ready": False, "reason": why}, status=503)
    return JsonResponse({"ready": True})


def metrics(request: HttpRequest) -> HttpResponse:
    """Give the numbers to whoever sends the token."""
    scheme, _, sent = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not constant_time_compare(sent.strip(), settings.METRICS_TOKEN):
        return JsonResponse(
            {"detail": "Send the token of VARIORUM_METRICS_TOKEN: Authorization: Bearer …"},
            status=401,
            headers={"WWW-Authenticate": "Bearer"},
        )
    from variorum.outside import metrics as numbers

    body, content_type = numbers.exposition()
    return HttpResponse(body, content_type=content_type)


PROBES: dict[str, Callable[[HttpRequest], HttpResponse]] = {
    "/healthz": alive,
    "/readyz": ready,
    "/metrics": metrics,
}
