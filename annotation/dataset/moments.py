"""Moments as files have them, written by the database: reading and writing them here takes longer."""

from __future__ import annotations

from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Func, TextField
from django.db.models.sql.compiler import SQLCompiler

SQLITE = (
    "(SUBSTR({0}, 1, 10) || 'T' || SUBSTR({0}, 12, 8) || CASE WHEN RTRIM(SUBSTR({0}, 20), '.0') = '' THEN '' "
    "ELSE SUBSTR(SUBSTR({0}, 20) || '00000', 1, 7) END || 'Z')"
).format("%(expressions)s")
"""SQLite keeps the text of a moment in UTC, with no digits of the second, with three or with six."""
POSTGRESQL = (
    "REPLACE(TO_CHAR((%(expressions)s) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'), "
    "'.000000Z', 'Z')"
)


class MomentText(Func):
    """What `moment` says of a column, in UTC: 2026-03-01T12:00:00Z, or with six digits of the second."""

    arity = 1
    output_field = TextField()

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **_: Any) -> Any:
        return self.as_sql(compiler, connection, template=SQLITE)

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **_: Any) -> Any:
        return self.as_sql(compiler, connection, template=POSTGRESQL)
