"""One-click sign-in links: for a demonstration, and for readers who should not need a password.

A link is signed, ends on a day, and is bound to the hash that Django binds sessions
to: a new password, like a deactivated account, ends it as it ends the sessions.
"""

from __future__ import annotations

from datetime import timedelta

from django.contrib.auth import login
from django.contrib.auth.models import User
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.kept import take_up

SALT = "variorum.signin"
BY_LINK = "by_link"
"""In the session of whoever came by a link, until they give a password."""


def link(user: User, days: int) -> str:
    """The path of a link that signs `user` in during the next `days` days."""
    expires = timezone.now() + timedelta(days=days)
    claim = {"user": user.pk, "bound": bound_to(user), "expires": int(expires.timestamp())}
    return reverse("signin", args=[signing.dumps(claim, salt=SALT)])


def read(token: str) -> User | None:
    """Whom a link's token signs in, or None when it is forged, over, or its account has changed."""
    try:
        claim = signing.loads(token, salt=SALT)
        pk, bound, expires = claim["user"], claim["bound"], claim["expires"]
    except (signing.BadSignature, KeyError, TypeError):
        return None
    if timezone.now().timestamp() >= expires:
        return None
    user = User.objects.filter(pk=pk, is_active=True).first()
    if user is None or not constant_time_compare(bound, bound_to(user)):
        return None
    return user


def bound_to(user: User) -> str:
    """A digest of the session hash: a link must not carry what a session cookie is checked against."""
    return salted_hmac(SALT, user.get_session_auth_hash()).hexdigest()[:32]


@require_safe
@never_cache
def signin(request: HttpRequest, token: str) -> HttpResponse:
    """Sign in by link. Everything that is wrong with a link gets the same answer."""
    user = read(token)
    if user is None:
        return render(request, "registration/signin_ended.html", status=403)
    login(request, user)
    request.session[BY_LINK] = True
    take_up(request)
    return redirect("home")
