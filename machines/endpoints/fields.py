"""Each field that the description of an endpoint may have, and what is right in it."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from math import isfinite
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from common.errors import BadField
from machines.client.endpoint import KINDS, MILLION

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,49}")
VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]{0,99}")
FUNCTION = re.compile(r"[A-Za-z_]\w{0,99}(?:\.[A-Za-z_]\w{0,99}){0,9}:[A-Za-z_]\w{0,99}")
CURRENCY = re.compile(r"[A-Z]{3}")
LONGEST = 200
LENGTH_FIELDS = ("max_tokens", "max_completion_tokens")
OURS = {"messages", "model", "stream", "n", "tools", "seed", *LENGTH_FIELDS}
"""Fields of a request that `extra` may not set: they would change what is asked, of whom, how much may come
back, or how; none of which would then be what the ledger says.
"""
SECRET = re.compile(r"(?i)(?:api|access)?[-_]?(?:key|token|secret|password|authorization|headers)")
"""Names under which `extra` could hold a key: it is stored with every call."""
ADDRESS = re.compile(r"[!-\[\]-~]{1,200}")
"""What an address is written in: ASCII without blanks and backslashes, as every program reads it."""
PATH = "/chat/completions"
Read = Callable[[str, Any], Any]


def text(field: str, value: Any) -> str:
    """Read a short text."""
    if not isinstance(value, str) or not value.strip() or len(value) > LONGEST or not value.isprintable():
        said = f"{field} must be a text of 1 to {LONGEST} characters in quotation marks, on one line"
        raise BadField(field, said)
    return value.strip()


def yes_or_no(field: str, value: Any) -> bool:
    """Read true or false."""
    if not isinstance(value, bool):
        raise BadField(field, f"{field} must be true or false")
    return value


def number(least: int, most: int) -> Read:
    """Return a reader of a whole number in these bounds."""

    def read(field: str, value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise BadField(field, f"{field} must be a whole number from {least:,} to {most:,}")
        return value

    return read


def is_number(value: Any) -> bool:
    """Return whether a value is a number that can be compared: TOML has `nan`, too."""
    return isinstance(value, int | Decimal) and not isinstance(value, bool) and Decimal(value).is_finite()


def seconds(field: str, value: Any) -> float:
    """Read a time in seconds."""
    if not is_number(value) or not 1 <= value <= 3600:
        raise BadField(field, f"{field} must be a number of seconds from 1 to 3600")
    return float(value)


def price(field: str, value: Any) -> int:
    """Read a price per million tokens and return it in micro-units."""
    if not is_number(value) or not 0 <= value <= 1_000_000:
        raise BadField(field, f"{field} must be the price of a million tokens, such as 0.15")
    micro = value * MILLION
    if micro != int(micro):
        raise BadField(field, f"{field} may have six digits after the point")
    return int(micro)


def one_of(*allowed: str) -> Read:
    """Return a reader of one of these words."""

    def read(field: str, value: Any) -> str:
        if value not in allowed:
            raise BadField(field, f"{field} must be {' or '.join(map(repr, allowed))}")
        return str(value)

    return read


def matching(pattern: re.Pattern[str], says: str) -> Read:
    """Return a reader of what a pattern matches; `says` is what would be right."""

    def read(field: str, value: Any) -> str:
        if not isinstance(value, str) or not pattern.fullmatch(value):
            raise BadField(field, f"{field} must be {says}")
        return value

    return read


def url(field: str, value: Any) -> str:
    """Read the base of an endpoint's addresses."""
    said = f"{field} must be a whole address such as https://host.example/v1, without user, query or fragment"
    try:
        parts = urlsplit(value if isinstance(value, str) and ADDRESS.fullmatch(value) else "")
        port = parts.port
    except ValueError as error:
        raise BadField(field, said) from error
    strange = parts.username is not None or parts.query or parts.fragment or port == 0
    if parts.scheme not in {"http", "https"} or not parts.hostname or strange:
        raise BadField(field, said)
    if parts.path.rstrip("/").endswith(PATH):
        raise BadField(field, f"{field} must end before {PATH}, which is added")
    return parts._replace(scheme=parts.scheme.lower()).geturl().rstrip("/")


def is_loopback(address: str) -> bool:
    """Return whether an address leads to this machine itself."""
    host = urlsplit(address).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def extra(field: str, value: Any) -> Mapping[str, Any]:
    """Read fields that are added to each request."""
    if not isinstance(value, dict):
        raise BadField(field, f"{field} must be a table of fields, such as extra = {{ top_k = 1 }}")
    ours = sorted(OURS & set(value))
    if ours:
        raise BadField(field, f"{field} may not set {', '.join(ours)}")
    if any(SECRET.fullmatch(key) for key in value):
        raise BadField(field, f"{field} is stored with each call: a key belongs into key_variable's variable")
    return {key: _plain(field, each) for key, each in value.items()}


def is_place(value: Any) -> bool:
    """Return whether a value is a folder's place from the root on."""
    return isinstance(value, str) and "\0" not in value and Path(value).is_absolute()


def folder(field: str, value: Any) -> Path:
    """Read a folder's place."""
    if not is_place(value):
        raise BadField(field, f"{field} must be a folder's place from the root on, such as /srv/models/judge")
    return Path(value)


def file(field: str, value: Any) -> Path:
    """Read a file's place."""
    if not is_place(value):
        raise BadField(field, f"{field} must be a file's place from the root on, such as /etc/ssl/own.pem")
    return Path(value)


FIELDS: Mapping[str, Read] = {
    "kind": one_of(*KINDS),
    "title": text,
    "model": text,
    "revision": text,
    "url": url,
    "private": yes_or_no,
    "ca_file": file,
    "key_variable": matching(
        VARIABLE,
        "the name of an environment variable, never the key itself: "
        "capital letters, digits and _, such as VENDOR_API_KEY",
    ),
    "prompt_price": price,
    "completion_price": price,
    "cached_price": price,
    "currency": matching(CURRENCY, "three capital letters, such as EUR"),
    "rpm": number(1, 1_000_000),
    "tpm": number(1, 10_000_000_000),
    "concurrency": number(1, 256),
    "timeout": seconds,
    "context": number(16, 100_000_000),
    "length_field": one_of(*LENGTH_FIELDS),
    "temperature": yes_or_no,
    "decisions": yes_or_no,
    "extra": extra,
    "folder": folder,
    "function": matching(FUNCTION, "a function's dotted name, such as package.module:function"),
}


def _plain(field: str, value: Any) -> Any:
    """Return a value of TOML as JSON has it: decimals are floats there, and dates and `nan` are nothing."""
    if isinstance(value, dict):
        return {key: _plain(field, each) for key, each in value.items()}
    if isinstance(value, list):
        return [_plain(field, each) for each in value]
    if isinstance(value, Decimal):
        value = float(value)
    if not isinstance(value, str | bool | int | float) or (isinstance(value, float) and not isfinite(value)):
        raise BadField(field, f"{field} may hold texts, numbers, true and false, lists and tables of them")
    return value
