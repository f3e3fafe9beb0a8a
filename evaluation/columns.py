"""Parts of JSON columns as whole numbers, taken out by the database: no payload is parsed for them."""

from __future__ import annotations

from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import F, Func, IntegerField
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
        return f"({sql} #>> %s::text[])::integer", (*params, [str(each) for each in self.path])

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
