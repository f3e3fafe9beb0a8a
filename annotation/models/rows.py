"""Rows of a table in their thousands, written without an object of the model for each.

An object and its query take ten times as long as the row. Whoever writes so derives beforehand what `save()`
would have derived.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import connection, models


def insert(
    of: type[models.Model], columns: Sequence[str], rows: Iterable[Sequence[Any]], **alike: Any
) -> None:
    """Store rows, whose values stand in the order of ``columns``, as the database takes them: JSON as text.

    ``alike``: columns that are the same in all of them. What is named in neither has its default.
    """
    fields = {field.attname: field for field in of._meta.concrete_fields}
    # A key that is not named is the database's to give.
    rest = [each for name, each in fields.items() if name not in columns and not each.primary_key]
    same = [each.get_db_prep_save(alike.pop(each.attname, each.get_default()), connection) for each in rest]
    if alike:
        raise TypeError(f"{of.__name__} has no column {min(alike)}, or it is named twice.")
    quoted = connection.ops.quote_name
    written = [*map(fields.__getitem__, columns), *rest]
    names = ", ".join(quoted(str(each.column)) for each in written)
    marks = ", ".join(["%s"] * len(written))
    statement = f"INSERT INTO {quoted(of._meta.db_table)} ({names}) VALUES ({marks})"  # noqa: S608 - names of ours
    with connection.cursor() as cursor:
        cursor.executemany(statement, [(*row, *same) for row in rows])
