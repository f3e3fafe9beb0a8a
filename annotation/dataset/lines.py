"""Rows of a table as JSON lines: always the same bytes for the same values, whatever database kept them.

Rows are written some at a time and column by column: most columns have few values, each of which is written
once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple

from annotation.dataset.columns import Table
from annotation.export.machine_seen import moment
from common.tables.json import finite, in_one_line

Row = Sequence[Any]
"""The values of a line, in the order of the table's columns."""
AT_ONCE = 200
JSON_TYPES = ("object", "array")
# PostgreSQL keeps the keys of objects in an order of its own, so they are sorted.
JSON_TEXT = json.JSONEncoder(ensure_ascii=False, allow_nan=False, sort_keys=True).encode
NULL = "null"


class Json(NamedTuple):
    """An object or a list whose text is known."""

    value: Any
    text: str


class Portion(NamedTuple):
    """Some rows of a table.

    lines: of each its line, with its end.
    plain: of each column its values, objects, lists and moments as texts.
    """

    lines: list[str]
    plain: list[Sequence[Any]]


def portions(table: Table, rows: Iterable[Row]) -> Iterator[Portion]:
    """Yield the rows, some at a time, with their lines. Raises ValueError for NaN and infinite numbers."""
    line = "{{{}}}\n".format(", ".join(f'"{column.name}": %s' for column in table.columns))
    remaining = iter(rows)
    while some := list(islice(remaining, AT_ONCE)):
        columns = [
            WRITTEN[column.type](values)
            for column, values in zip(table.columns, zip(*some, strict=True), strict=True)
        ]
        told = zip(*(texts for texts, _ in columns), strict=True)
        yield Portion([in_one_line(line % each) for each in told], [plain for _, plain in columns])


def lines(table: Table, rows: Iterable[Row]) -> Iterator[str]:
    """Yield the rows as lines with their ends. Raises ValueError for NaN and infinite numbers."""
    for some in portions(table, rows):
        yield from some.lines


Written = tuple[Sequence[str], Sequence[Any]]
"""Of some rows the values of one column as JSON, and plain."""


def of_json(values: Sequence[Any]) -> Written:
    """Write objects and lists."""
    texts = [
        None if each is None else each.text if type(each) is Json else JSON_TEXT(each) for each in values
    ]
    return [NULL if each is None else each for each in texts], texts


def of_moments(values: Sequence[datetime | str | None]) -> Written:
    """Write moments; a text is one that the database has written."""
    texts = [each if each is None or isinstance(each, str) else moment(each) for each in values]
    return each_once(texts, '"{}"'.format), texts


def of_numbers(values: Sequence[float | None]) -> Written:
    """Write numbers, each by itself: 1 and 1.0 are one value, and two texts."""
    return [NULL if each is None else number(each) for each in values], values


def number(value: float) -> str:
    """Return a number, whole or not, as JSON."""
    return float.__repr__(finite(value)) if type(value) is float else JSON_TEXT(value)


def of_values(write: Callable[[Any], str]) -> Callable[[Sequence[Any]], Written]:
    """Return what writes values of a type by themselves."""
    return lambda values: (each_once(values, write), values)


def each_once(values: Sequence[Hashable], write: Callable[[Any], str]) -> list[str]:
    """Write values of which many are the same."""
    written = {each: NULL if each is None else write(each) for each in set(values)}
    return [written[each] for each in values]


WRITTEN: dict[str, Callable[[Sequence[Any]], Written]] = {
    "object": of_json,
    "array": of_json,
    "datetime": of_moments,
    "number": of_numbers,
    "integer": of_values(int.__repr__),
    "boolean": of_values({True: "true", False: "false"}.__getitem__),
    "string": of_values(json.encoder.encode_basestring),
}
