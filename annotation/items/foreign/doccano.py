"""doccano's file: objects with `text` and `label` (or `entities`), as lines of JSON or as a list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation.items.foreign.right import Span, item
from annotation.items.payloads import FileItem
from annotation.tasktypes.base import TaskType
from common.errors import BadInput

LABELS = ("label", "labels", "entities")
UNREAD = frozenset((*LABELS, "id", "relations", "Comments", "comments"))


def has_labels(fields: Mapping[str, Any]) -> bool:
    """Return whether an object is one of doccano's."""
    return "data" not in fields and "text" in fields and any(name in fields for name in LABELS)


def of_doccano(task: TaskType, fields: dict[str, Any], where: str) -> FileItem:
    """Return the item of one line. Raises `BadInput`."""
    name = next((name for name in LABELS if fields.get(name) is not None), None)
    said = None if name is None else fields[name]
    if said is not None and not isinstance(said, list):
        raise BadInput(f"{where}, field “{name}”: must be a list.")
    if said is not None and task.slug != "choice":
        said = [doccano_span(each, str(name), where) for each in said]
    return item(
        task,
        {key: each for key, each in fields.items() if key not in UNREAD},
        said or None,
        fields.get("id"),
        where,
    )


def doccano_span(each: Any, name: str, where: str) -> Span:
    """Return a span of doccano: [start, end, label], or an entity with its offsets; both in code points."""
    found = (each.get("start_offset"), each.get("end_offset")) if isinstance(each, dict) else each
    if not isinstance(found, list | tuple) or len(found) < 2 or not all(type(n) is int for n in found[:2]):
        raise BadInput(f"{where}, field “{name}”: a span is [start, end, label], in characters.")
    return found[0], found[1]
