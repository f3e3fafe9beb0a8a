"""Time as the database has it: workers on several machines do not agree about theirs."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import FloatField, Func
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Now
from django.db.models.sql.compiler import SQLCompiler


class Epoch(Func):
    """Seconds since 1970 on the database's clock, as it stands when the statement runs."""

    output_field = FloatField()

    def as_sqlite(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: Any
    ) -> tuple[str, tuple[str | int, ...]]:
        return "((julianday('now') - 2440587.5) * 86400.0)", ()

    def as_postgresql(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: Any
    ) -> tuple[str, list[Any]]:
        return "EXTRACT(EPOCH FROM clock_timestamp())::double precision", []


NOW = {"sqlite": "STRFTIME('%%Y-%%m-%%d %%H:%%M:%%f', 'NOW')", "postgresql": "STATEMENT_TIMESTAMP()"}
"""The moment in a statement of our own, by the database's vendor: as Django's `Now` writes it."""
AFTER = {
    "sqlite": "STRFTIME('%%Y-%%m-%%d %%H:%%M:%%f', 'NOW', %s || ' seconds')",
    "postgresql": "STATEMENT_TIMESTAMP() + %s * INTERVAL '1 second'",
}
"""The same in so many seconds, which are a parameter."""


def after(seconds: float) -> CombinedExpression:
    """Return the moment in so many seconds."""
    return Now() + timedelta(seconds=seconds)
