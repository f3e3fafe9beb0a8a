"""The TOML that describes endpoints, read: what is right in it, and a sentence for each thing that is not."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from common.errors import BadField, BadInput
from machines.client.endpoint import Endpoint, Prices
from machines.endpoints import fields

NEEDS = {"chat": ("url", "model"), "checkpoint": ("folder",), "scripted": ("function",)}
ONLY = {
    "chat": {"url", "private", "ca_file", "key_variable", "length_field", "temperature", "extra"},
    "checkpoint": {"folder"},
    "scripted": {"function"},
}
"""Fields that only one kind has."""
TOP = {"folders", "endpoints"}


class Described(NamedTuple):
    """What the settings say.

    endpoints: those that are described without a fault, by name.
    problems: a sentence for each fault, naming endpoint and field.
    """

    endpoints: dict[str, Endpoint]
    problems: list[str]


def read(text: str) -> Described:
    """Read a description of endpoints."""
    try:
        told = tomllib.loads(text.removeprefix("\ufeff"), parse_float=Decimal)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return Described({}, [f"This is no TOML: {error}."])
    found: dict[str, Endpoint] = {}
    wrong = [f"There is no field {name!r} at the top: use endpoints and folders." for name in set(told) - TOP]
    folders, described = told.get("folders", []), told.get("endpoints", {})
    if not isinstance(folders, list) or not all(map(fields.is_place, folders)):
        folders = []
        wrong.append('folders must be a list of places from the root on, such as ["/srv/models"].')
    if not isinstance(described, dict):
        described = {}
        wrong.append("Each endpoint is a table of its own: [endpoints.NAME].")
    for name, given in described.items():
        try:
            found[name] = endpoint(name, given, [Path(each) for each in folders])
        except BadInput as error:
            wrong.append(f"Endpoint {name!r:.60}: {error}.")
    return Described(found, wrong)


def endpoint(name: str, given: Any, folders: list[Path]) -> Endpoint:
    """Return an endpoint as its table describes it. `folders`: those under which checkpoints may lie.

    Raises:
        BadInput: something in the table is wrong.
    """
    if not fields.NAME.fullmatch(name):
        raise BadField("name", "a name has small letters, digits and -, at most 50")
    if not isinstance(given, dict):
        raise BadInput(f"it must be a table: [endpoints.{name}]")
    unknown = sorted(set(given) - set(fields.FIELDS))
    if unknown:
        known = ", ".join(sorted(fields.FIELDS))
        raise BadField(unknown[0], f"there is no field {unknown[0]!r:.60}; there are {known}")
    read = {field: fields.FIELDS[field](field, value) for field, value in given.items()}
    _check_kind(read)
    private = read.pop("private", False)
    prices = {
        field.removesuffix("_price"): read.pop(field)
        for field in ("prompt_price", "completion_price", "cached_price", "currency")
        if field in read
    }
    if "url" in read:
        _check_address(read["url"], private=private)
    if "folder" in read:
        read.setdefault("concurrency", 1)
        read["folder"] = _allowed(read["folder"], folders)
    return Endpoint(name=name, prices=Prices(**prices), **read)


def _check_kind(read: Mapping[str, Any]) -> None:
    """Raise `BadField` where a field is missing, or belongs to another kind."""
    kind = read.get("kind", "chat")
    missing = [field for field in NEEDS[kind] if field not in read]
    if missing:
        raise BadField(missing[0], f"{missing[0]} is missing; kind {kind!r} needs it")
    for other, only in ONLY.items():
        strange = sorted(only & set(read))
        if other != kind and strange:
            raise BadField(strange[0], f"{strange[0]} is of kind {other!r}, and this one is {kind!r}")


def _check_address(address: str, *, private: bool) -> None:
    if address.startswith("http://") and not private and not fields.is_loopback(address):
        said = "url must begin with https://, or private = true must say that nobody can listen on the way"
        raise BadField("url", said)


def _allowed(folder: Path, folders: list[Path]) -> Path:
    """Return a checkpoint's folder, links followed, where it lies under one that is allowed."""
    place = folder.resolve()
    if not any(place.is_relative_to(each.resolve()) for each in folders):
        raise BadField("folder", "folder must lie under one that `folders` at the top of the file allows")
    return place
