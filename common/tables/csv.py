"""Rows as CSV: full precision, and no text that a spreadsheet would calculate."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from common.tables import json
from common.tables.table import Records

# What shows nothing: control characters, and those that Unicode says to ignore in display (soft hyphen, marks
# of direction, joiners, selectors of variants, fillers, tags).
UNSEEN = (
    r"\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    r"\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3"
    r"\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# Behind nothing, or nothing that shows: a tab or a new line; or, behind blanks, too, = + - @ in their plain,
# wide and small forms, or a minus sign.
FORMULA = re.compile(
    rf"\A[{UNSEEN}]*+(?:[\t\r\n]|[\s{UNSEEN}]*+"
    r"[=+\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b\u2212])"
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
        yield str(writer.writerow(map(cell, names)))
    for row in rows:
        if not names:
            names = list(row)
            yield str(writer.writerow(map(cell, names)))
        yield str(writer.writerow([cell(row.get(name)) for name in names]))


def cell(value: Any) -> Any:
    """Return a value for CSV: numbers as they are, lists as JSON, an apostrophe before what may be a formula.

    Raises ValueError: the value is NaN or infinite.
    """
    if value is None or type(value) is int:
        return value
    match value:
        case str():
            return "'" + value if is_formula(value) else value
        case bool():
            return "true" if value else "false"
        case float():
            return json.finite(value)
        case dict() | list() | tuple():
            return json.compact(value)
    return value


def is_formula(text: str) -> bool:
    """Return whether a spreadsheet may calculate this: = + - @, also wide or behind blanks; tab, CR, LF;
    each also behind characters that do not show.
    """
    first = text[:1]
    return not (first.isascii() and first.isalnum()) and FORMULA.match(text) is not None


class _Line:
    """A file that hands each line back instead of keeping it."""

    def write(self, text: str) -> str:
        return text
