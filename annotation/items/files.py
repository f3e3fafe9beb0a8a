"""A JSONL file of items → entries. Every complaint names the file, the line and the field.

One line is one item: the payload of its task, and beside it `gold`, `kind`, `id` and
`explanation`. A task whose lines may say more briefly what the payload holds has a reader of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from annotation.items.lines import json_lines, kind_of, provenance_of
from annotation.items.payloads import Entry
from annotation.spans import lines
from annotation.tasktypes.base import Invalid
from common.errors import BadInput

BESIDE = ("gold", "kind", "id", "explanation")
OWN: dict[str, Callable[[bytes, str], Iterator[Entry]]] = {"span": lines.entries}


def entries(task: str, data: bytes, name: str) -> Iterator[Entry]:
    """The items of a file for that task, lazily. Raises `BadInput` at the first line that cannot be one."""
    if task in OWN:
        return OWN[task](data, name)
    return (entry(fields, where) for where, fields in json_lines(data, name))


def entry(fields: dict[str, Any], where: str) -> Entry:
    """An item whose payload stands in the line as it is."""
    payload = {field: value for field, value in fields.items() if field not in BESIDE}
    gold = fields.get("gold")
    if gold is not None and not isinstance(gold, dict):
        raise BadInput(f"{where}, field “gold”: must be an answer such as {{“option”: 0}}, or null.")
    try:
        provenance = provenance_of(fields)
    except Invalid as error:
        raise BadInput(f"{where}, field “{error.field}”: {error}") from None
    return Entry(where, payload, gold, provenance, kind_of(fields, where))
