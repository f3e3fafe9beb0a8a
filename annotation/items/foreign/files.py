"""Which tool's file it is, and the objects in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

from annotation.items.foreign.doccano import has_labels, of_doccano
from annotation.items.foreign.json_min import is_min, of_json_min
from annotation.items.foreign.label_studio import of_label_studio
from annotation.items.lines import (
    LONGEST_LINE,
    Line,
    Source,
    begun,
    each_read,
    json_object,
    lines_or_complaints,
)
from annotation.items.payloads import Entry, FileItem
from annotation.tasktypes.base import TaskType
from common import strict_json
from common.errors import BadInput

TASKS = ("choice", "span", "spans")


def first_line(source: Source) -> bytes:
    """Return the first line of a file in which something stands."""
    file = begun(source)
    while (line := file.readline(LONGEST_LINE)) and not line.strip():
        pass
    return line.lstrip()


def is_list(source: Source) -> bool:
    """Return whether a file begins as Label Studio's exports and doccano's JSON do, and no item file does."""
    return first_line(source).startswith(b"[")


def is_doccano(source: Source) -> bool:
    """Return whether the first line has a field of doccano's, which no item has."""
    first = first_line(source)
    try:
        fields = json_object(first.decode(), "")
    except (BadInput, UnicodeDecodeError):
        return False
    return has_labels(fields)


def foreign(task: TaskType, data: Source, name: str) -> Iterator[Entry] | None:
    """Return the items of such a file; None where it is none, or of a task that they have no answer to.

    In the place of a wrong task or line stands what is wrong with it.
    """
    if task.slug not in TASKS:
        return None
    if is_list(data):
        return of_list(task, listed(begun(data).read(), name))
    if is_doccano(data):
        lines = lines_or_complaints(data, name)
        return each_read(lines, lambda where, fields: [of_doccano(task, fields, where)])
    return None


def listed(data: bytes, name: str) -> Iterator[Line | BadInput]:
    """Yield each task of an export that is a list, with its place; for a wrong one, what is wrong."""

    def refuse(what: str) -> NoReturn:
        raise ValueError(what)

    try:
        tasks = strict_json.loads(data.decode("utf-8-sig"), refuse, refuse)
    except (ValueError, RecursionError) as error:
        yield BadInput(f"{name}: is not the JSON of an export of Label Studio or doccano ({error}).")
        return
    for number, each in enumerate(tasks, 1):
        where = f"{name}, task {number}"
        if is_task(each):
            yield where, each
        else:
            yield BadInput(
                f"{where}, field “data”: must be an object with the fields of an item, as Label Studio’s "
                "JSON has it; its JSON-MIN has “annotation_id” beside them instead, doccano’s “text” and "
                "“label”."
            )


def is_task(each: Any) -> bool:
    """Return whether it is an object of one of the tools."""
    return isinstance(each, dict) and (is_min(each) or has_labels(each) or isinstance(each.get("data"), dict))


def of_list(task: TaskType, tasks: Iterable[Line | BadInput]) -> Iterator[Entry]:
    """Yield the items of the tasks of a list, and what is wrong with a task in its place."""
    known: dict[bytes, FileItem] = {}

    def read(where: str, each: dict[str, Any]) -> Iterable[FileItem]:
        if is_min(each):
            return of_json_min(task, each, where, known)
        return [(of_doccano if has_labels(each) else of_label_studio)(task, each, where)]

    return each_read(tasks, read)
