"""A JSONL file of items → entries. Every complaint names the file, the line and the field.

One line is one item, as its task type reads it (`TaskType.of_line`), and beside it `kind`, `id` and
`explanation`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from annotation.items.lines import json_lines, kind_of, provenance_of
from annotation.items.payloads import FileItem
from annotation.tasktypes.base import Invalid, TaskType
from common.errors import BadInput


def entries(task: TaskType, data: bytes, name: str) -> Iterator[FileItem]:
    """Return the items of a file, read line by line. Raises `BadInput` at the first wrong line."""
    return (entry(task, fields, where) for where, fields in json_lines(data, name))


def entry(task: TaskType, fields: dict[str, Any], where: str) -> FileItem:
    """Return the item of one line. What it says is checked when it is stored."""
    try:
        payload, gold = task.of_line(fields)
        provenance = provenance_of(fields)
    except Invalid as error:
        raise BadInput(f"{where}, field “{error.field}”: {error}") from None
    return FileItem(where, payload, gold, provenance, kind_of(fields, where))
