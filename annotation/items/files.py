"""A JSONL file of items → entries. Every complaint names the file, the line and the field.

One line is one item, as its task type reads it (`TaskType.of_line`), and beside it `kind`, `id` and
`explanation`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from annotation.items.foreign.files import foreign
from annotation.items.from_excerpts import fields_of
from annotation.items.lines import Line, Source, each_read, kind_of, lines_or_complaints, provenance_of
from annotation.items.payloads import Entry, FileItem
from annotation.tasktypes.base import Invalid, TaskType
from common.errors import BadInput


def entries(task: TaskType, data: Source, name: str, template: str = "") -> Iterator[Entry]:
    """Return the items of a file, read line by line, also of one that Label Studio or doccano exported.

    In the place of a wrong line stands what is wrong with it; whoever stores items raises it.

    ``data``: its bytes, or the open file, of which one line is in memory at a time; of Label Studio's, whose
    export is one list, all of it.

    ``template``: of the task, for fields that no line has then; empty for none. Raises `BadInput` for one
    that there is not.
    """
    if not template and (found := foreign(task, data, name)) is not None:
        return found
    shared = fields_of(task, template) if template else {}
    return of_lines(task, lines_or_complaints(data, name), shared)


def of_lines(task: TaskType, lines: Iterable[Line | BadInput], shared: dict[str, Any]) -> Iterator[Entry]:
    """Yield the item of each line, or what is wrong with it. ``shared``: fields that all of them get."""
    return each_read(lines, lambda where, fields: [entry(task, filled(fields, shared, where), where)])


def filled(fields: dict[str, Any], shared: dict[str, Any], where: str) -> dict[str, Any]:
    """Return the fields of a line and of a template. Raises `BadInput` where a line has one of both."""
    for name in shared:
        if name in fields:
            raise BadInput(
                f"{where}, field “{name}”: is in the template that was chosen, too. Leave it out of the "
                "file, or choose no template."
            )
    return fields | shared


def entry(task: TaskType, fields: dict[str, Any], where: str) -> FileItem:
    """Return the item of one line. What it says is checked when it is stored."""
    try:
        payload, gold = task.of_line(fields)
        provenance = provenance_of(fields)
    except Invalid as error:
        raise BadInput(f"{where}, field “{error.field}”: {error}") from None
    return FileItem(where, payload, gold, provenance, kind_of(fields, where))
