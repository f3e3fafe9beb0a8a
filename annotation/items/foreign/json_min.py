"""Label Studio's JSON-MIN: a list with an object for each annotation, not for each task.

The task's data and the answers, each under the name of its control, stand beside each other: a choice as its
words, spans as a list with the fields of the JSON. Of several annotations of a task none is marked, so they
must say the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

from annotation.items.foreign.label_studio import choices_of, fields_of, span_of
from annotation.items.foreign.right import item
from annotation.items.payloads import FileItem
from annotation.tasktypes.base import TaskType
from annotation.tasktypes.items import BESIDE
from common.errors import BadInput
from common.tables.json import compact

OF_ANNOTATION = ("annotator", "annotation_id", "created_at", "updated_at", "lead_time", "agreement")
OF_SPAN = frozenset(("start", "end", "labels"))


def is_min(each: Any) -> bool:
    """Return whether it is an object of JSON-MIN."""
    return isinstance(each, dict) and "annotation_id" in each and "data" not in each


def of_json_min(
    task: TaskType, each: dict[str, Any], where: str, known: dict[bytes, FileItem]
) -> Iterator[FileItem]:
    """Yield the item of an annotation, unless its task is `known`. Raises `BadInput` also where that one says
    something else.
    """
    fields = fields_of({name: value for name, value in each.items() if name not in OF_ANNOTATION})
    key, answer = fields.pop("id", None), answer_in(task, fields, where)
    said = None if answer is None else said_in(task, fields, answer, where)
    found = item(task, fields, said, key, where, answer or "")
    # Only what tells tasks apart is kept: the texts of a large file would stand in memory twice.
    digest = sha256(compact([key, found.payload]).encode("utf-8", "surrogatepass")).digest()
    first = known.setdefault(digest, found._replace(payload={}))
    if first.where == where:
        yield found
    elif first.gold != found.gold:
        raise BadInput(
            f"{where}, field “{answer or 'annotation_id'}”: says something else than {first.where}, which is "
            "of the same task, and JSON-MIN does not tell which is right. Export as JSON, with the right one "
            "marked as ground truth, or leave the answers away."
        )


def answer_in(task: TaskType, fields: Mapping[str, Any], where: str) -> str | None:
    """Return the name of the field that holds the answer; None where there is none. Raises `BadInput`.

    The file does not say which fields are answers: no field of an item looks like one.
    """
    of_item = {"text", "gold", *BESIDE, *(each.name for each in task.file_fields)}
    names = [name for name, value in fields.items() if name not in of_item and is_answer(task, value)]
    if len(names) > 1:
        raise BadInput(
            f"{where}, field “{names[1]}”: may be the answer as well as “{names[0]}”. Leave one of them in "
            "the file."
        )
    return names[0] if names else None


def is_answer(task: TaskType, value: Any) -> bool:
    """Return whether a value is what a control of Label Studio gave, for this task."""
    if task.slug == "choice":
        return isinstance(value, str) or (isinstance(value, dict) and "choices" in value)
    return isinstance(value, list) and any(isinstance(each, dict) and OF_SPAN & set(each) for each in value)


def said_in(task: TaskType, fields: dict[str, Any], answer: str, where: str) -> list[Any]:
    """Take the answer out of the fields of an object, and return it as the choices or spans it is."""
    said = fields.pop(answer)
    if task.slug != "choice":
        if not all(isinstance(each, dict) for each in said):
            raise BadInput(f"{where}, field “{answer}”: must be a list of objects, each a span.")
        return [span_of(each, fields, where, answer) for each in said]
    if "options" not in fields:
        raise BadInput(
            f"{where}, field “options”: is missing. JSON-MIN holds no labelling configuration: give each "
            "task its options in its data."
        )
    return [said] if isinstance(said, str) else choices_of(said, where, answer)
