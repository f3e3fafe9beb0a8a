"""Rows of a table as JSON lines: always the same bytes for the same values, whatever database kept them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from operator import add
from typing import Any, NamedTuple

from annotation.dataset.columns import Table
from annotation.export.machine_seen import moment

Row = Sequence[Any]
"""The values of a line, in the order of the table's columns."""
JSON_TYPES = ("object", "array")
# PostgreSQL keeps the keys of objects in an order of its own, so they are sorted.
JSON_TEXT = json.JSONEncoder(ensure_ascii=False, allow_nan=False, sort_keys=True).encode
# Characters that some readers of JSON lines take for the end of a line.
_LINE_ENDS = (("\x85", "\\u0085"), ("\u2028", "\\u2028"), ("\u2029", "\\u2029"))


class Json(NamedTuple):
    """An object or a list whose text is known."""

    value: Any
    text: str


def json_text(value: Any) -> str:
    """Return the text of an object or a list."""
    return value.text if type(value) is Json else JSON_TEXT(value)


def lines(table: Table, rows: Iterable[Row], beside: Callable[[Row], None] | None = None) -> Iterator[str]:
    """Yield the rows as lines with their ends. Raises ValueError for NaN and infinite numbers.

    `beside` is given each row too, with objects and lists as JSON texts.
    """
    written = [WRITTEN.get(column.type, json_text) for column in table.columns]
    names = [f'"{column.name}": ' for column in table.columns]
    texts = [column.type in JSON_TYPES for column in table.columns]
    for row in rows:
        said = ["null" if value is None else write(value) for write, value in zip(written, row, strict=True)]
        if beside is not None:
            beside([
                word if text and value is not None else value
                for word, text, value in zip(said, texts, row, strict=True)
            ])  # fmt: skip
        found = ", ".join(map(add, names, said))
        for sign, escaped in _LINE_ENDS:
            if sign in found:
                found = found.replace(sign, escaped)
        yield f"{{{found}}}\n"


def number(value: int) -> str:
    return str(int(value))


def boolean(value: bool) -> str:
    return "true" if value else "false"


@lru_cache(100)
def instant(value: datetime) -> str:
    return f'"{moment(value)}"'


WRITTEN: dict[str, Callable[[Any], str]] = {
    "integer": number,
    "boolean": boolean,
    "datetime": instant,
    "string": json.encoder.encode_basestring,
}
