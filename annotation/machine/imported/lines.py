"""A file of answers → what it says of which item, line by line; nothing here knows a study.

Lines of JSON, `{"item": …, "answer": …}` or `{"item": …, "scores": […]}`. The other form, RELiC's submission,
is read by `retrieval.engine.text.submission`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from annotation.items.lines import json_lines
from annotation.tasktypes.base import is_storable
from common.errors import BadInput

LONGEST_REASON = 500
MOST = 1e300
"""A score is no greater: NaN and the infinite ones are none."""
FIELDS = {"item", "topic", "document", "answer", "scores", "reason"}
Name = int | str | tuple[str, str]
"""An item: its number, its digest or id, or its topic and document."""


class Line(NamedTuple):
    """What a file says of one item.

    where: file and line, for errors.
    name: the item.
    answer: as the file has it; None where the system gave none, or gave scores.
    scores: of each answer there is; empty where the file has answers.
    reason: why the system gave none.
    """

    where: str
    name: Name
    answer: Any = None
    scores: tuple[float, ...] = ()
    reason: str = ""


def wrong(where: str, field: str, sentence: str) -> BadInput:
    """Return the refusal of a line: file, line, field, and what would be right."""
    return BadInput(f"{where}, field “{field}”: {sentence}")


def answers(data: bytes, name: str) -> Iterator[Line]:
    """Yield each line of a file of JSON lines. Raises `BadInput` with file, line and field."""
    if looks_like_run(data):
        raise BadInput(
            f"{name}, line 1: is a TREC run. A rank or a score is no answer to an item: give lines of JSON "
            "with “item” and “answer”, or with “scores”, one for each answer there is. (Runs of a corpus are "
            "read by import_run, and measured by evaluate_runs.)"
        )
    for where, fields in json_lines(data, name, nan=True):
        if unknown := sorted(set(fields) - FIELDS):
            shown = ascii(unknown[0])[1:-1] if not is_storable(unknown[0]) else unknown[0]
            raise wrong(where, f"{shown:.60}", f"there is no such field; use {', '.join(sorted(FIELDS))}.")
        if ("answer" in fields) == ("scores" in fields):
            raise wrong(where, "answer", "give either “answer” or “scores”, and not both.")
        item = named(where, fields)
        if "scores" in fields:
            yield Line(where, item, scores=numbers(where, fields["scores"]))
        else:
            yield Line(where, item, fields["answer"], reason=reason_of(where, fields))


def looks_like_run(data: bytes) -> bool:
    """Return whether the first line has the six columns of a TREC run."""
    columns = data.lstrip(b"\xef\xbb\xbf").split(b"\n", 1)[0].split()
    return len(columns) == 6 and not columns[0].startswith(b"{")


def named(where: str, fields: dict[str, Any]) -> Name:
    """Return the item that a line is about."""
    item, pair = fields.get("item"), (fields.get("topic"), fields.get("document"))
    if item is not None and pair != (None, None):
        raise wrong(where, "item", "is named twice: give “item”, or “topic” and “document”, and not both.")
    if (isinstance(item, int) and not isinstance(item, bool)) or (isinstance(item, str) and item.strip()):
        return item
    if item is None and all(isinstance(each, int | str) and not isinstance(each, bool) for each in pair):
        return str(pair[0]), str(pair[1])
    raise wrong(
        where, "item", "must be the item’s digest, its id or its number; or give “topic” and “document”."
    )


def numbers(where: str, scores: Any) -> tuple[float, ...]:
    """Return scores as numbers."""
    if not isinstance(scores, list) or not scores:
        raise wrong(where, "scores", "must be a list of numbers, one for each answer there is.")
    for place, each in enumerate(scores):
        if isinstance(each, bool) or not isinstance(each, int | float) or not -MOST <= each <= MOST:
            raise wrong(where, "scores", f"entry {place} is {each!r:.30}, which is no finite number.")
    return tuple(map(float, scores))


def reason_of(where: str, fields: dict[str, Any]) -> str:
    """Return why there is no answer; empty where there is one."""
    reason = fields.get("reason")
    if reason is None:
        return ""
    if fields["answer"] is not None or not isinstance(reason, str) or len(reason) > LONGEST_REASON:
        raise wrong(
            where, "reason", f"is for an answer that is null: a text of at most {LONGEST_REASON} characters."
        )
    return reason
