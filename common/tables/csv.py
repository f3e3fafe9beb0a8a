"""Rows as CSV: full precision, and no text that a spreadsheet would calculate."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from common.tables import json
from common.tables.table import Records

# Leading blanks, visible or not, then = + - @ in their plain, wide and small forms, or a minus sign.
FORMULA = re.compile(
    r"\A[\s\u200b-\u200f\u2060\ufeff]*+"
    r"[=+\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b\u2212]"
)


def written(records: Records) -> str:
    """Return the rows under their columns, one a line."""
    return "".join(lines(records.rows, records.columns))


def lines(
    rows: Iterable[Mapping[str, Any]],
    columns: Iterable[str] = (),
    end: str = "\n",
) -> Iterator[str]:
    """Yield the rows as lines with their ends. ``columns``: the header; without it, that of the first row."""
    writer = csv.writer(_Line(), lineterminator=end)
    names = list(columns)
    if names:
        yield str(writer.writerow(names))
    for row in rows:
        if not names:
            names = list(row)
            yield str(writer.writerow(names))
        yield str(writer.writerow([cell(row.get(name)) for name in names]))


def cell(value: Any) -> Any:
    """Return a value for CSV: numbers as they are, lists as JSON, an apostrophe before what may be a formula.

    Raises ValueError: the value is NaN or infinite.
    """
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return "'" + value if is_formula(value) else value
        case float():
            return json.finite(value)
        case dict() | list() | tuple():
            return json.compact(value)
    return value


def is_formula(text: str) -> bool:
    """Return whether a spreadsheet may calculate this: = + - @, also wide or behind blanks; tab, CR, LF."""
    return text[:1] in {"\t", "\r", "\n"} or FORMULA.match(text) is not None


class _Line:
    """A file that hands each line back instead of keeping it."""

    def write(self, text: str) -> str:
        return text
