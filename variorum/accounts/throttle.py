"""How often a password may be tried: ten times an hour for an account, twenty from an address.

A try is counted before the password is looked at and taken back when it fits, so that
readers behind one address who know theirs never meet the limit. Counting happens on a
locked row: however many try at once, no more than the limit get through. Nobody who is
signed in is signed out by it, and sign-in links are no passwords.
"""

from __future__ import annotations

import unicodedata
from datetime import datetime, timedelta
from ipaddress import IPv6Address, ip_address
from math import ceil
from typing import NamedTuple

from django.conf import settings
from django.db import transaction
from django.http import HttpRequest
from django.utils.crypto import salted_hmac
from django.utils.translation import ngettext

from variorum.models import SignInTries

HOUR, KEPT = timedelta(hours=1), timedelta(days=1)
LIMITS = {"account": 10, "address": 20}
SALT = "variorum.throttle"
_LONGEST_TRIED = 1000
"""Characters of a name that are looked at; an account's has at most 150."""


class Try(NamedTuple):
    """One try to sign in that was let through.

    keys: the rows that counted it.
    at: when it was, in seconds since 1970.
    """

    keys: tuple[str, ...]
    at: float


class TooMany(Exception):
    """Raised where no further try is allowed now.

    minutes: until there is one again.
    """

    def __init__(self, minutes: int) -> None:
        said = ngettext(
            "A wrong password came too often for this name or from this place. Try again in {n} minute. "
            "Sign-in links work meanwhile, and whoever is signed in stays so.",
            "A wrong password came too often for this name or from this place. Try again in {n} minutes. "
            "Sign-in links work meanwhile, and whoever is signed in stays so.",
            minutes,
        )
        super().__init__(said.format(n=minutes))
        self.minutes = minutes


def begin(name: str, address: str, now: datetime) -> Try:
    """Count a try. Raises `TooMany`, and then counts nothing."""
    counted = {digest("account", account(name)): "account", digest("address", network(address)): "address"}
    at, since = now.timestamp(), (now - HOUR).timestamp()
    with transaction.atomic():
        SignInTries.objects.filter(changed__lt=now - KEPT).delete()
        rows = []
        for key, kind in counted.items():
            locked = SignInTries.objects.select_for_update()
            row, _ = locked.get_or_create(key=key, defaults={"changed": now})
            row.times = [each for each in row.times if each > since]
            if len(row.times) >= LIMITS[kind]:
                raise TooMany(max(ceil((min(row.times) - since) / 60), 1))
            rows.append(row)
        for row in rows:
            row.times, row.changed = [*row.times, at], now
            row.save(update_fields=["times", "changed"])
    return Try(tuple(counted), at)


def forgive(tried: Try) -> None:
    """Take a try back: the password was right, so it was no attempt to guess one."""
    with transaction.atomic():
        # One after the other, as `begin` locks them, or two tries at once would wait for each other.
        for key in tried.keys:
            row = SignInTries.objects.select_for_update().filter(key=key).first()
            if row is not None and tried.at in row.times:
                row.times.remove(tried.at)
                row.save(update_fields=["times"])


def digest(kind: str, value: str) -> str:
    """Return the key under which tries for this account or address are counted."""
    return salted_hmac(f"{SALT}.{kind}", value, algorithm="sha256").hexdigest()


def account(name: str) -> str:
    """Return the key of one account, however its name is written."""
    # Anybody may send a name, and composing its letters takes the square of the accents that stand in a row.
    shown = unicodedata.normalize("NFKC", name[:_LONGEST_TRIED])
    return "".join(shown.casefold().split())[:150]


def network(address: str) -> str:
    """Return the key of one place: an IPv4 address, or the /64 that a household has in IPv6."""
    try:
        found = ip_address(address)
    except ValueError:
        return address[:64]
    if isinstance(found, IPv6Address) and found.ipv4_mapped is None:
        return str(IPv6Address(int(found) >> 64 << 64))
    return str(found)


def address_of(request: HttpRequest) -> str:
    """Return where a request comes from.

    Of `X-Forwarded-For` only what our own proxies added is believed, counted from the
    right: the rest was written by whoever asks.
    """
    trusted: int = settings.PROXIES
    said = [each.strip() for each in request.headers.get("X-Forwarded-For", "").split(",") if each.strip()]
    if trusted and len(said) >= trusted:
        return said[-trusted]
    return str(request.META.get("REMOTE_ADDR", ""))
