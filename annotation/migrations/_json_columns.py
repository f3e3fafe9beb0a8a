"""Numbers inside JSON as the database reads them, for migrations that fill columns with them.

No expression takes a parameter of a query: its text stands in a constraint's definition.
"""

from __future__ import annotations

from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BigIntegerField, F, Func, Q
from django.db.models.functions import Coalesce
from django.db.models.lookups import Exact
from django.db.models.sql.compiler import SQLCompiler

Compiled = tuple[str, tuple[Any, ...]]


def same(**columns: Whole) -> Q:
    """The condition that each column holds what the JSON beside it says."""
    return Q(*(Exact(Coalesce(name, -1), Coalesce(said, -1)) for name, said in columns.items()))


class Whole(Func):
    """The number at a path of a JSON column, ``Whole("payload", "anchor", 0)``; NULL where there is none."""

    arity = 1

    def __init__(self, column: str, *path: str | int) -> None:
        super().__init__(F(column), output_field=BigIntegerField())
        self.path = path

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **_: Any) -> Compiled:
        sql, params = compiler.compile(self.source_expressions[0])
        found = f"JSON_TYPE({sql}, '{self._dollars()}') = 'integer'"
        return f"CASE WHEN {found} THEN JSON_EXTRACT({sql}, '{self._dollars()}') END", (*params, *params)

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **_: Any) -> Compiled:
        sql, params = compiler.compile(self.source_expressions[0])
        number = f"({sql} #>> {self._braces()})::bigint"
        return f"CASE WHEN JSONB_TYPEOF({sql} #> {self._braces()}) = 'number' THEN {number} END", (
            *params,
            *params,
        )

    def _dollars(self) -> str:
        return "$" + "".join(f"[{each}]" if isinstance(each, int) else f".{each}" for each in self.path)

    def _braces(self) -> str:
        return "'{" + ",".join(map(str, self.path)) + "}'"


class Entries(Whole):
    """How many entries the list at that path has; NULL where there is none."""

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **_: Any) -> Compiled:
        sql, params = compiler.compile(self.source_expressions[0])
        found = f"JSON_TYPE({sql}, '{self._dollars()}') = 'array'"
        return f"CASE WHEN {found} THEN JSON_ARRAY_LENGTH({sql}, '{self._dollars()}') END", (*params, *params)

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **_: Any) -> Compiled:
        sql, params = compiler.compile(self.source_expressions[0])
        inside = f"{sql} #> {self._braces()}"
        return f"CASE WHEN JSONB_TYPEOF({inside}) = 'array' THEN JSONB_ARRAY_LENGTH({inside}) END", (
            *params,
            *params,
        )
