"""Links that let one person in: made, found, used up.

The code of a link is 256 random bits and stands behind the `#` of its address: no log, no proxy and no
Referer has it (`common/link_codes.py`). Whoever fetches the address gets a page that is the same for
everybody; only the press of a button uses the link up. Since a code cannot be guessed, tries are not counted:
a limit would only keep out a class behind one address.

A link is bound to the hash that Django binds sessions to: a new password, like a deactivated account, ends
it as it ends the sessions.
"""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from ipaddress import ip_address
from uuid import uuid4

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import CommandError
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac

from annotation.people.tokens import digest
from common.link_codes import has_brought
from variorum.models import LinkKind, SignInLink

SALT, BROUGHT = "variorum.links", "links"
MOST_DAYS = 7
LASTS = {
    LinkKind.SIGN_IN: timedelta(days=MOST_DAYS),
    LinkKind.PASSWORD: timedelta(hours=1),
    LinkKind.DEMO: timedelta(days=MOST_DAYS),
}
PAGES = {LinkKind.SIGN_IN: "signin", LinkKind.PASSWORD: "new_password", LinkKind.DEMO: "signin"}
FOR_ANOTHER = ("Forwarded", "X-Forwarded-For", "X-Real-IP", "Via")
SAME_PRESS = timedelta(minutes=1)
"""How long the second half of a double click may take."""


def make(user: User, kind: LinkKind, *, lasts: timedelta | None = None) -> str:
    """Make a new link for `user`; return the path of its page with the code, which nobody can read again."""
    now, code = timezone.now(), secrets.token_urlsafe(32)
    SignInLink.objects.filter(expires__lt=now).delete()
    SignInLink.objects.create(
        user=user,
        kind=kind,
        digest=digest(code),
        bound=bound_to(user),
        expires=now + (lasts or LASTS[kind]),
    )
    return f"{reverse(PAGES[kind])}#{code}"


def checked_days(days: int | None) -> timedelta:
    """Return how many days a sign-in link lasts, as given to a command. Raises `CommandError`."""
    if days is None:
        return LASTS[LinkKind.SIGN_IN]
    if not 1 <= days <= MOST_DAYS:
        raise CommandError(f"--days {days}: use 1 to {MOST_DAYS}.")
    return timedelta(days=days)


def find(code: str, *kinds: LinkKind) -> SignInLink | None:
    """Return the link of one of these kinds that has the code, used up or not, or None.

    None where it is forged, or its account was disabled or has another password since.
    """
    return valid_link(SignInLink.objects.filter(digest=digest(code), kind__in=kinds))


def link_brought(request: HttpRequest, pk: int, *kinds: LinkKind) -> SignInLink | None:
    """Return the link of that number if this browser brought its code or just pressed its button."""
    link = valid_link(SignInLink.objects.filter(pk=pk, kind__in=kinds))
    if link is None or has_brought(request, BROUGHT, pk):
        return link
    # Signing in made another session: the second half of a double click comes with the one of before.
    return link if pressed_twice(link, request.POST.get("press", ""), timezone.now()) else None


def valid_link(links: QuerySet[SignInLink]) -> SignInLink | None:
    """Return the link if its account is what it was when the link was made, else None."""
    link = links.select_related("user").filter(user__is_active=True).first()
    if link is None or not constant_time_compare(link.bound, bound_to(link.user)):
        return None
    return link


def is_open(link: SignInLink, now: datetime) -> bool:
    """Return whether the link can be used now."""
    return link.used is None and now < link.expires


def new_press() -> str:
    """Return an id for a page with a button, so that a second press of it is known as one."""
    return uuid4().hex


def use(link: SignInLink, press: str, now: datetime) -> bool:
    """Use the link up in one conditional UPDATE; of all who try at once one gets True. A demonstration's
    link stays.
    """
    there = SignInLink.objects.filter(pk=link.pk, used=None, expires__gt=now)
    if link.kind == LinkKind.DEMO:
        return there.exists()
    return bool(there.update(used=now, press=press[:32]))


def pressed_twice(link: SignInLink, press: str, now: datetime) -> bool:
    """Return whether this very button used it up a moment ago: a double click gets one result."""
    of_late = SignInLink.objects.filter(pk=link.pk, used__gt=now - SAME_PRESS)
    return bool(press) and of_late.filter(press=press[:32]).exists()


def bind_again(link: SignInLink) -> None:
    """Bind the link to the password that was chosen by it, for the second half of a double click."""
    SignInLink.objects.filter(pk=link.pk).update(bound=bound_to(link.user))


def bound_to(user: User) -> str:
    """Return a digest of the session hash: the table must not hold what a session is checked against."""
    return salted_hmac(SALT, user.get_session_auth_hash(), algorithm="sha256").hexdigest()


def kinds_here(request: HttpRequest) -> tuple[LinkKind, ...]:
    """Return which kinds of link sign in here. The demonstration's do on this machine while it runs."""
    if settings.DEMONSTRATION and from_this_machine(request):
        return LinkKind.SIGN_IN, LinkKind.DEMO
    return (LinkKind.SIGN_IN,)


def from_this_machine(request: HttpRequest) -> bool:
    """Return whether the request comes from this machine itself, and not through a proxy.

    A tunnel that says nothing of the kind is taken for a browser here.
    """
    if any(name in request.headers for name in FOR_ANOTHER):
        return False
    try:
        return ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False
