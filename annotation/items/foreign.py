"""Files of Label Studio and doccano → items of a choice or of spans. Every complaint names task or line.

Label Studio exports a list of tasks, each with its `data` and the `annotations` of its people; doccano
objects with `text` and `label` (or `entities`), as lines of JSON or as a list. Fields of the data are those
of an item file. Right is what says so: in Label Studio an annotation that is marked as ground truth.
Doccano's file has one answer a line and no mark, so its labels are taken for right; leave the field away
where they are not.

What people answered there is not made into judgments: no order of options, guidelines or consent is known of
it, and nobody here gave it. A system's answers are read in by `import_answers`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from annotation.items.lines import LONGEST_ID, LONGEST_LINE, Source, begun, json_lines, json_object
from annotation.items.payloads import FileItem
from annotation.tasktypes.base import Invalid, TaskType
from common import strict_json
from common.errors import BadInput

TASKS = ("choice", "span", "spans")
OF_DOCCANO = ("label", "labels", "entities")
UNREAD = frozenset((*OF_DOCCANO, "id", "relations", "Comments", "comments"))
Span = tuple[int, int]


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


def has_labels(fields: Mapping[str, Any]) -> bool:
    """Return whether an object is one of doccano's."""
    return "data" not in fields and "text" in fields and any(name in fields for name in OF_DOCCANO)


def foreign(task: TaskType, data: Source, name: str) -> Iterator[FileItem] | None:
    """Return the items of such a file; None where it is none, or of a task that they have no answer to.

    Raises `BadInput` with file, task or line, and field.
    """
    if task.slug not in TASKS:
        return None
    if is_list(data):
        return (of_list(task, each, where) for where, each in listed(begun(data).read(), name))
    if is_doccano(data):
        return (of_doccano(task, fields, where) for where, fields in json_lines(data, name))
    return None


def listed(data: bytes, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each task of an export that is a list, with its place. Raises `BadInput`."""

    def refuse(what: str) -> NoReturn:
        raise ValueError(what)

    try:
        tasks = strict_json.loads(data.decode("utf-8-sig"), refuse, refuse)
    except (ValueError, RecursionError) as error:
        raise BadInput(
            f"{name}: is not the JSON of an export of Label Studio or doccano ({error})."
        ) from None
    for number, each in enumerate(tasks, 1):
        where = f"{name}, task {number}"
        if not isinstance(each, dict) or not (has_labels(each) or isinstance(each.get("data"), dict)):
            raise BadInput(
                f"{where}, field “data”: must be an object with the fields of an item, as Label Studio’s "
                "JSON has it; doccano’s has “text” and “label” instead."
            )
        yield where, each


def of_list(task: TaskType, each: dict[str, Any], where: str) -> FileItem:
    """Return the item of one task of a list."""
    return (of_doccano if has_labels(each) else of_label_studio)(task, each, where)


def of_label_studio(task: TaskType, each: dict[str, Any], where: str) -> FileItem:
    """Return the item of one task."""
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
    return item(task, dict(each["data"]), said, each.get("id"), where)


def choices_of(value: Mapping[str, Any], where: str) -> list[Any]:
    """Return the choices of one result of Label Studio; none where it is of another kind."""
    found = value.get("choices", [])
    if not isinstance(found, list):
        raise BadInput(f"{where}, field “result”: “choices” must be a list.")
    return found


def span_of(value: Mapping[str, Any], data: Mapping[str, Any], where: str) -> Span:
    """Return a span of Label Studio in code points: it counts as browsers do, in units of UTF-16."""
    text, start, end = data.get("text"), value.get("start"), value.get("end")
    if not isinstance(text, str) or type(start) is not int or type(end) is not int or not 0 <= start < end:
        raise BadInput(f"{where}, field “result”: a span needs “start” and “end” in the text of “data”.")
    # Half a pair alone is no character; what an item may hold is checked later.
    units = text.encode("utf-16-le", "surrogatepass")
    first, words = units[: 2 * start], units[2 * start : 2 * end]
    try:
        begin, marked = len(first.decode("utf-16-le")), words.decode("utf-16-le")
    except UnicodeDecodeError:
        raise BadInput(f"{where}, field “result”: {start} to {end} cuts a character in two.") from None
    if value.get("text") not in (None, marked):
        raise BadInput(
            f"{where}, field “result”: {start} to {end} is {marked!r:.60}, not {value['text']!r:.60}."
        )
    return begin, begin + len(marked)


def of_doccano(task: TaskType, fields: dict[str, Any], where: str) -> FileItem:
    """Return the item of one line."""
    name = next((name for name in OF_DOCCANO if fields.get(name) is not None), None)
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


def item(task: TaskType, fields: dict[str, Any], said: list[Any] | None, key: Any, where: str) -> FileItem:
    """Return an item with the answer that is said to be right; None for none."""
    if task.slug == "choice" and "text" in fields:
        # Both tools show one text: where it is all there is, it stands before the gap.
        fields = {"left": [fields.pop("text")], "right": [], **fields}
    try:
        payload, _ = task.of_line(fields)
        gold = None if said is None else answer(task, payload, said)
    except Invalid as error:
        raise BadInput(f"{where}, field “{error.field}”: {error}") from None
    provenance = {} if key is None else {"id": str(key)[:LONGEST_ID]}
    return FileItem(where, payload, gold, provenance)


def answer(task: TaskType, payload: dict[str, Any], said: list[Any]) -> dict[str, Any]:
    """Return what was said as an answer of the task. Raises `Invalid`."""
    if task.slug == "choice":
        options = payload.get("options")
        if not isinstance(options, list) or len(said) != 1 or said[0] not in options:
            raise Invalid("must name one of the options by its words.", "label")
        return {"option": options.index(said[0])}
    spans = [in_words(payload, each) for each in sorted(said)]
    if task.slug == "spans":
        return {"spans": [list(each) for each in spans]}
    if len(spans) != 1:
        raise Invalid(f"has {len(spans)} spans; an item of “span” has one: use the task “spans”.", "label")
    return {"start": spans[0][0], "end": spans[0][1]}


def in_words(payload: dict[str, Any], span: Span) -> Span:
    """Return a span of characters in tokens. Raises `Invalid` where it begins or ends within a word."""
    starts = {start: number for number, (start, _) in enumerate(payload["tokens"])}
    ends = {end: number + 1 for number, (_, end) in enumerate(payload["tokens"])}
    if span[0] not in starts or span[1] not in ends:
        raise Invalid(f"characters {span[0]} to {span[1]} are no whole words of the text.", "label")
    return starts[span[0]], ends[span[1]]
