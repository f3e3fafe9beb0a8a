"""The secret key: given in the environment, or generated once for the embedded mode; there is no default."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from django.core.management.utils import get_random_secret_key

from variorum import env

SHORTEST = 50
WEAK_MARKS = ("django-insecure", "changeme", "change-me", "secret-key", "your-")


def key(data_dir: Path, *, embedded: bool) -> str:
    """Return the key to sign with.

    Raises ImproperlyConfigured when a given key is short or well known, and in the
    scaled mode when none is given: several machines must share one key.
    """
    given = env.secret_text("VARIORUM_SECRET_KEY")
    if given:
        return checked(given)
    if not embedded:
        raise ImproperlyConfigured(
            "VARIORUM_SECRET_KEY or VARIORUM_SECRET_KEY_FILE must be set when VARIORUM_REDIS_URL is: "
            "web and workers on several machines sign with the same key."
        )
    return checked(generated(data_dir / "secret-key"))


def checked(value: str) -> str:
    """Return the key itself if nobody could guess it. Raises `ImproperlyConfigured`."""
    lowered = value.lower()
    if len(value) < SHORTEST or len(set(value)) < 10 or any(mark in lowered for mark in WEAK_MARKS):
        raise ImproperlyConfigured(
            f"VARIORUM_SECRET_KEY is too short or well known: use at least {SHORTEST} random characters, "
            "for example from: python3 -c 'import secrets; print(secrets.token_urlsafe(50))'"
        )
    return value


def _random() -> str:
    return get_random_secret_key() + get_random_secret_key()


def generated(path: Path, make: Callable[[], str] = _random) -> str:
    """Read the key file, or create it readable by its owner only, with what ``make`` returns.

    A lock settles the race of two first starts: who comes second waits until the key is
    written, and reads it. A start that was cut off before it wrote leaves an empty file.
    """
    if path.exists() and (there := path.read_text(encoding="utf8").strip()):
        return there
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+", encoding="utf8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        there = file.read().strip()
        if not there:
            there = make().strip()
            file.write(there)
    return there
