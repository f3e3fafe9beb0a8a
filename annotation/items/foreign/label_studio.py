"""Label Studio's JSON: a list of tasks, each with its `data` and the `annotations` of its people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation.items.foreign.right import Span, item
from annotation.items.payloads import FileItem
from annotation.tasktypes.base import TaskType
from common.errors import BadInput


def of_label_studio(task: TaskType, each: dict[str, Any], where: str) -> FileItem:
    """Return the item of one task. Raises `BadInput`."""
    annotations = each.get("annotations") or []
    if not isinstance(annotations, list) or not all(isinstance(one, dict) for one in annotations):
        raise BadInput(f"{where}, field “annotations”: must be a list of objects.")
    right = [one for one in annotations if one.get("ground_truth") and not one.get("was_cancelled")]
    if len(right) > 1:
        raise BadInput(f"{where}, field “annotations”: {len(right)} are marked as ground truth; mark one.")
    found = None
    if right:
        results = right[0].get("result")
        if not isinstance(results, list) or not all(
            isinstance(one, dict) and isinstance(one.get("value"), dict) for one in results
        ):
            raise BadInput(f"{where}, field “result”: must be a list of objects, each with its “value”.")
        found = [one["value"] for one in results]
    if task.slug == "choice":
        said = None if found is None else [one for value in found for one in choices_of(value, where)]
    else:
        said = None if found is None else [span_of(value, each["data"], where) for value in found]
    return item(task, fields_of(each["data"]), said, each.get("id"), where)


def fields_of(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data of a task as fields of an item: choices of a task's own are objects there, each with
    its “value”.
    """
    options = data.get("options")
    if not isinstance(options, list):
        return dict(data)
    words = [each.get("value") if isinstance(each, dict) else each for each in options]
    return {**data, "options": words}


def choices_of(value: Mapping[str, Any], where: str, field: str = "result") -> list[Any]:
    """Return the choices of one result of Label Studio; none where it is of another kind."""
    found = value.get("choices", [])
    if not isinstance(found, list):
        raise BadInput(f"{where}, field “{field}”: “choices” must be a list.")
    return found


def span_of(value: Mapping[str, Any], data: Mapping[str, Any], where: str, field: str = "result") -> Span:
    """Return a span of Label Studio in code points: it counts as browsers do, in units of UTF-16."""
    text, start, end = data.get("text"), value.get("start"), value.get("end")
    if not isinstance(text, str) or type(start) is not int or type(end) is not int or not 0 <= start < end:
        raise BadInput(
            f"{where}, field “{field}”: a span needs “start” and “end”, numbers of characters in the field "
            "“text” of the task."
        )
    # Half a pair alone is no character; what an item may hold is checked later.
    units = text.encode("utf-16-le", "surrogatepass")
    first, words = units[: 2 * start], units[2 * start : 2 * end]
    try:
        begin, marked = len(first.decode("utf-16-le")), words.decode("utf-16-le")
    except UnicodeDecodeError:
        raise BadInput(f"{where}, field “{field}”: {start} to {end} cuts a character in two.") from None
    if value.get("text") not in (None, marked):
        raise BadInput(
            f"{where}, field “{field}”: {start} to {end} is {marked!r:.60}, not {value['text']!r:.60}."
        )
    return begin, begin + len(marked)
