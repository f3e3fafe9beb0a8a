"""The receivers that the installation allows: names, addresses and where their secrets are.

TOML in `VARIORUM_WEBHOOKS`, or a file of it: a table `[receivers.NAME]` with `url` and `secret_variable`. No
address comes from anywhere else.
"""

from __future__ import annotations

import base64
import binascii
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from django.conf import settings

from common.errors import BadField, BadInput
from machines.endpoints import fields

PREFIX = "whsec_"
BYTES = range(24, 65)
"""How long a secret may be, as Standard Webhooks has it."""
FIELDS = {"url": fields.url, "secret_variable": fields.FIELDS["key_variable"]}


class Receiver(NamedTuple):
    """Who may be told.

    name: in the settings, and in the study's list.
    url: where messages go.
    secret_variable: the environment variable that holds the secret.
    """

    name: str
    url: str
    secret_variable: str


class Described(NamedTuple):
    """What the settings say.

    receivers: those that are described without a fault, by name.
    problems: a sentence for each fault.
    """

    receivers: dict[str, Receiver]
    problems: list[str]


def known() -> Described:
    """Return the receivers of the settings."""
    said: str = settings.WEBHOOKS
    if not said or "\n" in said or "=" in said:
        return read(said)
    try:
        return read(Path(said).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        return Described({}, [f"{said} cannot be read: {getattr(error, 'strerror', '') or 'no UTF-8'}."])


def find(name: str) -> Receiver:
    """Return a receiver by its name. Raises `BadField` for one that the settings do not name."""
    there = known().receivers
    if name not in there:
        told = f"use one of: {', '.join(sorted(there))}" if there else "VARIORUM_WEBHOOKS names none"
        raise BadField("receiver", f"There is no receiver {name!r:.60} here; {told}.")
    return there[name]


@lru_cache(4)
def read(text: str) -> Described:
    """Read a description of receivers."""
    try:
        told = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return Described({}, [f"This is no TOML: {error}."])
    found: dict[str, Receiver] = {}
    wrong = [f"There is no field {name!r} at the top: use receivers." for name in set(told) - {"receivers"}]
    described = told.get("receivers", {})
    for name, given in described.items() if isinstance(described, dict) else []:
        try:
            found[name] = receiver(name, given)
        except BadInput as error:
            wrong.append(f"Receiver {name!r:.60}: {error}.")
    return Described(found, wrong)


def receiver(name: str, given: Any) -> Receiver:
    """Return a receiver as its table describes it. Raises `BadInput`."""
    if not fields.NAME.fullmatch(name):
        raise BadField("name", "a name has small letters, digits and -, at most 50")
    if not isinstance(given, dict) or set(given) != set(FIELDS):
        raise BadInput(f"it must be a table with {' and '.join(FIELDS)}, and nothing else")
    said = {field: reads(field, given[field]) for field, reads in FIELDS.items()}
    if said["url"].startswith("http://") and not fields.is_loopback(said["url"]):
        raise BadField("url", "url must begin with https://")
    return Receiver(name, **said)


def secret(of: Receiver) -> bytes:
    """Return the bytes of a receiver's secret. Raises `BadInput` where its variable holds none."""
    plain = settings.NAMED_SECRET(of.secret_variable)
    try:
        key = base64.b64decode(plain.removeprefix(PREFIX), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not plain.startswith(PREFIX) or len(key) not in BYTES:
        raise BadInput(
            f"The variable {of.secret_variable} must hold {PREFIX} and 24 to 64 bytes in base64, where "
            "workers run."
        )
    return key
