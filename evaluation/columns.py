"""Columns of numbers straight from the database: parts of JSON, and whole columns as one text each.

No payload is parsed in Python for a number in it, and a million rows come as a few long texts that numpy
reads, which takes a quarter of the time of a million tuples.
"""

from __future__ import annotations

from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Aggregate, F, Func, IntegerField, TextField
from django.db.models.sql.compiler import SQLCompiler

Compiled = tuple[str, tuple[Any, ...]]


class Whole(Func):
    """The number at a path of a JSON column, ``Whole("payload", "anchor", 0)``; NULL where there is none."""

    arity = 1

    def __init__(self, column: str, *path: str | int) -> None:
        super().__init__(F(column), output_field=IntegerField())
        self.path = path

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **_: Any) -> Compiled:
        sql, params = compiler.compile(self.source_expressions[0])
        return f"JSON_EXTRACT({sql}, %s)", (*params, self._dollars())

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **_: Any) -> Compiled:
        sql, params = compiler.compile(self.source_expressions[0])
        path = [str(each) for each in self.path]
        typed = f"JSONB_TYPEOF({sql} #> %s::text[]) = 'number'"
        number = f"({sql} #>> %s::text[])::integer"
        return f"CASE WHEN {typed} THEN {number} END", (*params, path, *params, path)

    def _dollars(self) -> str:
        return "$" + "".join(f"[{each}]" if isinstance(each, int) else f".{each}" for each in self.path)


class Length(Whole):
    """How many entries the list at that path has; NULL where there is none."""

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **_: Any) -> Compiled:
        sql, params = compiler.compile(self.source_expressions[0])
        return f"JSON_ARRAY_LENGTH({sql}, %s)", (*params, self._dollars())

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **_: Any) -> Compiled:
        sql, params = compiler.compile(self.source_expressions[0])
        return f"JSONB_ARRAY_LENGTH({sql} #> %s::text[])", (*params, [str(each) for each in self.path])


class Inside(Func):
    """A JSON list of numbers as its text without brackets, ``2, 0, 1``; NULL for an empty one."""

    arity = 1

    def __init__(self, column: str) -> None:
        super().__init__(F(column), output_field=TextField())

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **_: Any) -> Compiled:
        sql, params = compiler.compile(self.source_expressions[0])
        return f"NULLIF(TRIM({sql}, '[]'), '')", (*params,)

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **_: Any) -> Compiled:
        sql, params = compiler.compile(self.source_expressions[0])
        return f"NULLIF(BTRIM({sql}::text, '[]'), '')", (*params,)


class Joined(Aggregate):
    """All values of a column in one text, with commas between them; NULL without any.

    All such columns of one query are in the same order; which one is the database's affair.
    """

    function = "GROUP_CONCAT"

    def __init__(self, expression: Any) -> None:
        super().__init__(expression, output_field=TextField())

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **_: Any) -> Any:
        return self.as_sql(
            compiler, connection, function="STRING_AGG", template="%(function)s((%(expressions)s)::text, ',')"
        )
