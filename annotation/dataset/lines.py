"""Rows of a table as JSON lines: always the same bytes for the same values, whatever database kept them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from annotation.dataset.columns import Table
from annotation.export.machine_seen import moment
from common.tables.json import finite, in_one_line

Row = Sequence[Any]
"""The values of a line, in the order of the table's columns."""
JSON_TYPES = ("object", "array")
# PostgreSQL keeps the keys of objects in an order of its own, so they are sorted.
JSON_TEXT = json.JSONEncoder(ensure_ascii=False, allow_nan=False, sort_keys=True).encode


class Json(NamedTuple):
    """An object or a list whose text is known."""

    value: Any
    text: str


def json_text(value: Any) -> str:
    """Return the text of an object or a list."""
    return value.text if type(value) is Json else JSON_TEXT(value)


def lines(
    table: Table, rows: Iterable[Row], beside: Callable[[Row, int], None] | None = None
) -> Iterator[str]:
    """Yield the rows as lines with their ends. Raises ValueError for NaN and infinite numbers.

    `beside` is given each row too, with objects and lists as JSON texts, and the length of its line.
    """
    written = [WRITTEN.get(column.type, json_text) for column in table.columns]
    line = "{{{}}}\n".format(", ".join(f'"{column.name}": %s' for column in table.columns))
    texts = [place for place, column in enumerate(table.columns) if column.type in JSON_TYPES]
    for row in rows:
        said = ["null" if value is None else write(value) for write, value in zip(written, row, strict=True)]
        told = in_one_line(line % tuple(said))
        if beside is not None:
            with_texts = list(row)
            for place in texts:
                if row[place] is not None:
                    with_texts[place] = said[place]
            beside(with_texts, len(told))
        yield told


def number(value: float) -> str:
    """Return a number, whole or not, as JSON."""
    return float.__repr__(finite(value)) if type(value) is float else JSON_TEXT(value)


@lru_cache(100)
def instant(value: datetime) -> str:
    return f'"{moment(value)}"'


WRITTEN: dict[str, Callable[[Any], str]] = {
    "integer": int.__repr__,
    "number": number,
    "boolean": {True: "true", False: "false"}.__getitem__,
    "datetime": instant,
    "string": json.encoder.encode_basestring,
}
