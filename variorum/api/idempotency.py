"""Idempotency keys: a POST that is sent again with its key gets the answer it got, and does nothing twice.

As the IETF's draft "The Idempotency-Key HTTP Header Field" (httpapi-idempotency-key-header-07) has it. The
row of a key is stored before the request is looked at, and unique: of two requests at the same moment one
goes on. Only answers of success are kept. A request that was refused has changed nothing and may be mended
and sent again with its key.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from datetime import datetime, timedelta

from django.core.exceptions import RequestDataTooBig
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from rest_framework.exceptions import APIException
from rest_framework.request import Request

from annotation.people.tokens import TokenAuthentication
from variorum.api.errors import BELOW
from variorum.models import KeptAnswer

Next = Callable[[HttpRequest], HttpResponseBase]

HEADER = "Idempotency-Key"
KEY = re.compile(r"[!-~]{1,255}")
KEPT = timedelta(days=1)
"""How long an answer is kept."""
REPLAYED = "Idempotency-Replayed"
UNKNOWN_KEY = f"The header {HEADER} must hold 1 to 255 visible ASCII characters."
OTHER = f"This {HEADER} was sent before with another address or body: use a new one for a new request."
UNDER_WAY = (
    f"The request that first came with this {HEADER} has not been answered. If it was broken off, look at "
    "what came of it, and send what is missing with a new key."
)


def answers_once(get_response: Next) -> Next:
    """Give a POST below /api/ with a key that was answered the stored answer; keep a new one's."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        key = request.headers.get(HEADER)
        if key is None or request.method != "POST" or not request.path_info.startswith(BELOW):
            return get_response(request)
        if not KEY.fullmatch(key):
            return JsonResponse({HEADER: [UNKNOWN_KEY]}, status=400)
        owner = owner_of(request)
        # Without somebody whose answer it is, the view says 401.
        return get_response(request) if owner is None else answer(request, owner, key, get_response)

    return middleware


def answer(request: HttpRequest, owner: str, key: str, get_response: Next) -> HttpResponseBase:
    """Answer a request with a key: from what is kept, or by the view."""
    try:
        sent = digest(request)
    except RequestDataTooBig:
        said = f"A request with an {HEADER} may have 4 MiB: send this one without."
        return JsonResponse({"detail": said}, status=413)
    row = begin(owner, key, sent, timezone.now())
    if row is None:
        return stored(KeptAnswer.objects.filter(owner=owner, key=key).first(), sent)
    try:
        response = get_response(request)
    except BaseException:
        row.delete()
        raise
    if isinstance(response, HttpResponse) and response.status_code < 300:
        KeptAnswer.objects.filter(pk=row.pk).update(status=response.status_code, body=response.content)
    else:
        row.delete()
    return response


def begin(owner: str, key: str, sent: str, now: datetime) -> KeptAnswer | None:
    """Store the row of a new request; return None where there is one with this key. Old rows go first."""
    KeptAnswer.objects.filter(created__lt=now - KEPT).delete()
    try:
        with transaction.atomic():
            return KeptAnswer.objects.create(owner=owner, key=key, request=sent, created=now)
    except IntegrityError:
        return None


def stored(row: KeptAnswer | None, sent: str) -> HttpResponse:
    """Return what a request gets whose key is there already."""
    if row is not None and row.request != sent:
        return JsonResponse({"detail": OTHER}, status=422)
    if row is None or row.status is None:
        return JsonResponse({"detail": UNDER_WAY}, status=409, headers={"Retry-After": "1"})
    # A 204 has no body, and so no type.
    kind = {"content_type": "application/json"} if row.body else {}
    response = HttpResponse(bytes(row.body), status=row.status, headers={REPLAYED: "true"}, **kind)
    if not row.body:
        del response.headers["Content-Type"]
    return response


def owner_of(request: HttpRequest) -> str | None:
    """Return whose request it is: a token's, or a person's in a browser; None where it is nobody's."""
    try:
        found = TokenAuthentication().authenticate(Request(request))
    except APIException:
        return None
    if found is not None:
        return f"token:{found[1].pk}"
    return f"person:{request.user.pk}" if request.user.is_authenticated else None


def digest(request: HttpRequest) -> str:
    """Return the sha256 of all that makes a request what it is. Raises RequestDataTooBig."""
    head = f"{request.method} {request.get_full_path()}\n".encode()
    return hashlib.sha256(head + request.body).hexdigest()
