"""The rows of all tables as JSON Lines, the same from SQLite and from PostgreSQL, and back.

A table is a file whose first line names its columns and whose other lines are rows as lists, by primary key.
Times are ISO 8601 with microseconds, bytes are base64.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time
from decimal import Decimal
from itertools import islice
from typing import Any
from uuid import UUID

from django.apps.registry import Apps
from django.db import connection, models, transaction

from common.errors import BadInput

AT_ONCE = 500
Rows = Iterator[list[Any]]


@contextmanager
def snapshot() -> Iterator[None]:
    """Read everything within as it was at one instant, while others go on writing.

    SQLite keeps a reader's view while its log grows; PostgreSQL's REPEATABLE READ is the same. Within a
    transaction of the caller's, that one is the view.
    """
    if connection.in_atomic_block:
        yield
        return
    if connection.vendor == "postgresql":
        with transaction.atomic():
            connection.cursor().execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
        return
    # Not `atomic`: here it asks for the turn to write, which this is not going to do.
    with connection.cursor() as cursor:
        cursor.execute("BEGIN DEFERRED")
        try:
            yield
        finally:
            cursor.execute("ROLLBACK")


def stored(apps: Apps) -> list[type[models.Model]]:
    """Return the models that have a table of their own, those between two tables included, by table."""
    found = {
        each._meta.db_table: each
        for each in apps.get_models(include_auto_created=True)
        if each._meta.managed and not each._meta.proxy
    }
    return [found[table] for table in sorted(found)]


def columns(model: type[models.Model]) -> list[models.Field[Any, Any]]:
    """Return the fields that are columns of the model's own table."""
    return list(model._meta.local_concrete_fields)


def written(model: type[models.Model]) -> Iterator[str]:
    """Yield the lines of a table: its columns, then its rows."""
    names = [field.attname for field in columns(model)]
    yield _line(names)
    rows: models.QuerySet[Any, Any] = models.QuerySet(model).order_by("pk").values_list(*names)
    yield from map(_line, rows.iterator(chunk_size=AT_ONCE))


def _line(values: Sequence[Any]) -> str:
    return json.dumps(list(values), ensure_ascii=False, separators=(",", ":"), default=_plain) + "\n"


def _plain(value: Any) -> str:
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    if isinstance(value, (bytes, memoryview)):
        return base64.b64encode(bytes(value)).decode()
    if isinstance(value, (UUID, Decimal)):
        return str(value)
    raise TypeError(f"a column of {type(value).__name__} cannot be backed up")


def read(model: type[models.Model], lines: Iterable[str], name: str) -> Rows:
    """Yield the rows of a table as Python's values, in the order of its `columns`.

    Raises `BadInput` for other columns, by `name`. Their order may differ: models of an earlier migration
    have theirs in the order in which they were added.
    """
    lines = iter(lines)
    told = json.loads(next(lines))
    known = {field.attname: field for field in columns(model)}
    if odd := sorted(known.keys() ^ set(told)):
        raise BadInput(f"{name}: the column {odd[0]} is in the backup or here, and not in both.")
    fields = [known[attname] for attname in told]
    order = [told.index(attname) for attname in known]
    for line in lines:
        values = json.loads(line)
        row = [
            value if value is None or isinstance(field, models.JSONField) else field.to_python(value)
            for field, value in zip(fields, values, strict=True)
        ]
        yield [row[at] for at in order]


def insert(model: type[models.Model], rows: Rows) -> int:
    """Store the rows as they are, nothing derived and no time set anew; return how many."""
    fields, n = columns(model), 0
    names = [field.attname for field in fields]
    most = max(1, min(AT_ONCE, connection.ops.bulk_batch_size(fields, [None] * AT_ONCE)))
    while some := list(islice(rows, most)):
        objects = [model(**dict(zip(names, values, strict=True))) for values in some]
        # `raw`: no `auto_now_add`, no `save` of ours, which would derive and refuse.
        models.QuerySet(model)._insert(objects, fields=fields, raw=True, using="default")  # type: ignore[attr-defined]
        n += len(objects)
    return n


def renumber(found: Sequence[type[models.Model]]) -> None:
    """Let PostgreSQL count on from the highest keys; SQLite does so by itself."""
    from django.core.management.color import no_style

    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), found):
            cursor.execute(statement)
