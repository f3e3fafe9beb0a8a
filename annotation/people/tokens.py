"""API tokens: shown once, stored as a digest, scoped, expiring, revocable."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, cast

from django.contrib.auth.models import AbstractBaseUser, User
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from annotation.models import ApiToken

SCOPES = {
    "read": "Read studies, items and judgments of my studies",
    "direct": "Set up, open and close my studies, and let people into them",
    "judge": "Submit judgments on items I hold",
    "search": "Search the books for evidence",
    "corpora": "Read books, sources, jobs, corpora, topics, runs and judgments on them; measure runs at once",
    "topics": "Add topics, and new wordings of topics",
    "jobs": "Launch, follow and cancel jobs: candidates, searches of corpora, evaluations of runs",
    "machines": "Have models asked, which may cost money, and draw samples of what they judged",
    "delete": "Delete candidate jobs for good, where the key may also launch them",
}
LONGEST = timedelta(days=366)

if TYPE_CHECKING:
    from typing import Any


def digest(plain: str) -> str:
    """Return the sha256 of a token, which is enough: the token itself carries 256 bits of randomness."""
    return hashlib.sha256(plain.encode()).hexdigest()


def bound_to(user: User) -> str:
    """Return a digest of the owner's password hash: when the password changes, the token ends."""
    return digest(user.password)


def issue(
    user: AbstractBaseUser, name: str, scopes: Sequence[str], expires: datetime
) -> tuple[ApiToken, str]:
    """Make a token; the second value is the plain token, which nobody can see again.

    Raises ValueError for an unknown scope or an expiry in the past or beyond a year.
    """
    unknown = sorted(set(scopes) - SCOPES.keys())
    if unknown or not scopes:
        raise ValueError(f"Unknown scope {unknown}: choose from {', '.join(SCOPES)}.")
    now = timezone.now()
    if not now < expires <= now + LONGEST:
        raise ValueError("The expiry must lie in the future, at most a year ahead.")
    plain = "vr_" + secrets.token_urlsafe(32)
    owner = cast("User", user)
    token = ApiToken.objects.create(
        user=owner,
        name=name,
        scopes=sorted(set(scopes)),
        expires=expires,
        digest=digest(plain),
        bound=bound_to(owner),
    )
    return token, plain


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer vr_…`. The token stands in `request.auth`."""

    def authenticate(self, request: Request) -> tuple[Any, ApiToken] | None:
        parts = get_authorization_header(request).split()
        if not parts or parts[0].lower() != b"bearer":
            return None
        if len(parts) != 2:
            raise AuthenticationFailed("Use the header: Authorization: Bearer <token>.")
        token = (
            ApiToken.objects.select_related("user").filter(digest=digest(parts[1].decode("latin1"))).first()
        )
        if (
            token is None
            or token.revoked is not None
            or token.expires <= timezone.now()
            or not token.user.is_active
            or not constant_time_compare(token.bound, bound_to(token.user))
        ):
            raise AuthenticationFailed("This token is unknown, expired or revoked.")
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="variorum"'
