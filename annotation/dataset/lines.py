"""Rows of a table as JSON lines: always the same bytes for the same values, whatever database kept them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from annotation.dataset.columns import Table
from annotation.export.machine_seen import moment

Row = Sequence[Any]
"""The values of a line, in the order of the table's columns."""
# PostgreSQL keeps the keys of objects in an order of its own, so they are sorted.
JSON_TEXT = json.JSONEncoder(ensure_ascii=False, allow_nan=False, sort_keys=True).encode
# Characters that some readers of JSON lines take for the end of a line.
_LINE_ENDS = (("\x85", "\\u0085"), ("\u2028", "\\u2028"), ("\u2029", "\\u2029"))


def lines(table: Table, rows: Iterable[Row]) -> Iterator[str]:
    """Yield the rows as lines with their ends. Raises ValueError for NaN and infinite numbers."""
    said = [(f'"{column.name}": ', WRITTEN.get(column.type, JSON_TEXT)) for column in table.columns]
    for row in rows:
        found = ", ".join(
            [f"{name}null" if value is None else name + written(value)
             for (name, written), value in zip(said, row, strict=True)]
        )  # fmt: skip
        for sign, escaped in _LINE_ENDS:
            if sign in found:
                found = found.replace(sign, escaped)
        yield f"{{{found}}}\n"


def number(value: int) -> str:
    return str(int(value))


def boolean(value: bool) -> str:
    return "true" if value else "false"


def instant(value: datetime) -> str:
    return f'"{moment(value)}"'


WRITTEN: dict[str, Callable[[Any], str]] = {
    "integer": number,
    "boolean": boolean,
    "datetime": instant,
    "string": json.encoder.encode_basestring,
}
