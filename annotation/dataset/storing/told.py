"""A line of a table as it is stored: its values by name, and the refusal that names it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from django.core.exceptions import FieldDoesNotExist, ValidationError
from django.db import models

from annotation.dataset.checking import row as values_of
from annotation.dataset.checking import wrong
from annotation.dataset.columns import Table
from annotation.tasktypes.base import Invalid
from common.errors import BadInput


def at(value: str | None) -> datetime | None:
    """Return a moment as the database keeps it."""
    return None if value is None else datetime.fromisoformat(value)


def as_is(row: models.Model) -> Any:
    """Store a row with the times that it has: those of the first installation."""
    row.save_base(raw=True, force_insert=True)
    return row


class Line(dict[str, Any]):
    """A line of a table: its values by name, moments as such; and where it stands."""

    def __init__(self, table: Table, number: int, values: Sequence[Any]) -> None:
        super().__init__(
            (column.name, at(value) if column.type == "datetime" else value)
            for column, value in zip(table.columns, values, strict=True)
        )
        self.table, self.number = table, number

    def wrong(self, field: str, sentence: str) -> BadInput:
        """Return the refusal of this line."""
        return wrong(self.table.path, self.number, field, sentence)

    def named(self, field: str, known: Mapping[Any, Any]) -> Any:
        """Return what the data set has under the name that stands in a field; None for none."""
        name = self[field]
        if name in (None, ""):
            return None
        if name not in known:
            raise self.wrong(field, f"the data set has no {name!r:.60}.")
        return known[name]

    @contextmanager
    def refusing(self, field: str) -> Iterator[None]:
        """Refuse this line where the task type refuses a part of it."""
        try:
            yield
        except Invalid as error:
            raise self.wrong(field, str(error)) from None


OTHERWISE = {"door": "channel", "place": "slot"}
"""Columns that have another name than the field they are stored in."""
KEPT_IN: dict[str, tuple[type[models.Field[Any, Any]], ...]] = {
    "string": (models.CharField, models.TextField),
    "integer": (models.IntegerField,),
    "number": (models.FloatField,),
    "boolean": (models.BooleanField,),
}
SECONDS = 10**9
ONE_OF = {"door": ("web", "api", "simulation", "import")}
"""What stands in columns whose field in the database takes any text."""


@cache
def checks(table: Table, model: type[models.Model]) -> tuple[tuple[str, Any], ...]:
    """Return the columns of texts and numbers that a model stores as they are, each with its field."""
    found = []
    for column in table.columns:
        with suppress(FieldDoesNotExist):
            field = model._meta.get_field(OTHERWISE.get(column.name, column.name))
            if isinstance(field, KEPT_IN.get(column.type, ())):
                found.append((column.name, field))
    return tuple(found)


def known_to(line: Line, model: type[models.Model] | None) -> None:
    """Refuse a line with a value that is none of the choices of its field, too long or too large.

    SQLite takes any; and what does not fit here would fail on a page, long after.
    """
    if not all(type(number) is int for number in line.get("shown") or ()):
        raise line.wrong("shown", "must hold whole numbers alone.")
    for name, values in ONE_OF.items():
        if name in line and line[name] not in values:
            raise line.wrong(name, f"must be one of {', '.join(values)}.")
    for name, field in checks(line.table, model) if model else ():
        value = line[name]
        if value is None or (value == "" and field.blank):
            continue
        if isinstance(value, float) and not abs(value) < SECONDS:
            raise line.wrong(name, f"is more than {SECONDS:,}.")
        try:
            field.clean(value, None)
        except ValidationError as error:
            raise line.wrong(name, error.messages[0][:200]) from None


def in_time(folder: Path, table: Table, told: Callable[[Sequence[Any]], None]) -> Iterator[Line]:
    """Yield the lines of a table in the order in which they were stored at first, those of one moment as they
    stand: reports read from it which document of a topic a reader judged before another. `told`: called with
    the values of each line before the first is yielded.
    """
    created = [column.name for column in table.columns].index("created")
    found: list[tuple[datetime, int, int]] = []
    start = 0
    with (folder / table.path).open("rb") as file:
        for number, data in enumerate(file, 1):
            values = values_of(table, number, data)
            told(values)
            found.append((datetime.fromisoformat(values[created]), number, start))
            start += len(data)
        for _, number, start in sorted(found):
            file.seek(start)
            yield Line(table, number, values_of(table, number, file.readline()))
