"""What such a file says to be right → the gold answer of an item."""

from __future__ import annotations

from typing import Any

from annotation.items.lines import LONGEST_ID
from annotation.items.payloads import FileItem
from annotation.tasktypes.base import Invalid, TaskType
from common.errors import BadInput

Span = tuple[int, int]


def item(
    task: TaskType, fields: dict[str, Any], said: list[Any] | None, key: Any, where: str, field: str = "label"
) -> FileItem:
    """Return an item with the answer that is said to be right; None for none. `field`: where that stands."""
    if task.slug == "choice" and "text" in fields:
        # Both tools show one text: where it is all there is, it stands before the gap.
        fields = {"left": [fields.pop("text")], "right": [], **fields}
    try:
        payload, _ = task.of_line(fields)
        gold = None if said is None else answer(task, payload, said, field)
    except Invalid as error:
        raise BadInput(f"{where}, field “{error.field}”: {error}") from None
    provenance = {} if key is None else {"id": str(key)[:LONGEST_ID]}
    return FileItem(where, payload, gold, provenance)


def answer(task: TaskType, payload: dict[str, Any], said: list[Any], field: str) -> dict[str, Any]:
    """Return what was said as an answer of the task. Raises `Invalid`."""
    if task.slug == "choice":
        options = payload.get("options")
        if not isinstance(options, list) or len(said) != 1 or said[0] not in options:
            raise Invalid("must name one of the options by its words.", field)
        return {"option": options.index(said[0])}
    spans = [in_words(payload, each, field) for each in sorted(said)]
    if task.slug == "spans":
        return {"spans": [list(each) for each in spans]}
    if len(spans) != 1:
        raise Invalid(f"has {len(spans)} spans; an item of “span” has one: use the task “spans”.", field)
    return {"start": spans[0][0], "end": spans[0][1]}


def in_words(payload: dict[str, Any], span: Span, field: str) -> Span:
    """Return a span of characters in tokens. Raises `Invalid` where it begins or ends within a word."""
    starts = {start: number for number, (start, _) in enumerate(payload["tokens"])}
    ends = {end: number + 1 for number, (_, end) in enumerate(payload["tokens"])}
    if span[0] not in starts or span[1] not in ends:
        raise Invalid(f"characters {span[0]} to {span[1]} are no whole words of the text.", field)
    return starts[span[0]], ends[span[1]]
