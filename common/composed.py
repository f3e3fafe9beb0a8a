"""Queries put together once. To compose one takes Django longer than any database takes to answer it.

A `Composed` query is written as a queryset, with `Given` where a value will stand, and is composed when it is
first asked. From then on its values are filled in and its rows read, as the queryset would read them. It is
for what every step of a reader asks; elsewhere a queryset is as good and says what it does where it stands.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any, Generic, NamedTuple, TypeVar

from django.db import connection
from django.db.models import BigIntegerField, Expression, Field, Model, QuerySet
from django.db.models.query import get_related_populators

Row = TypeVar("Row", bound=Model)


class Given(Expression):
    """A value that comes with the question; usually a key. Never None, which is compared in another way."""

    def __init__(self, name: str, field: Field[Any, Any] | None = None) -> None:
        super().__init__(output_field=field or BigIntegerField())
        self.name = name

    def as_sql(self, compiler: object, connection: object) -> tuple[str, tuple[Any, ...]]:
        return "%s", (self,)


class Statement(NamedTuple):
    """A statement, its parameters with `Given` among them, and what makes objects of its rows."""

    sql: str
    params: tuple[Any, ...]
    compiler: Any
    columns: slice
    names: list[str]
    related: list[Any]


class Composed(Generic[Row]):
    """A query of whole objects of one model, those of `select_related` and annotations included.

    `compose` makes the queryset; it is called once for each kind of database. `select_for_update` needs a
    transaction each time, and only the first time would miss one.
    """

    def __init__(self, compose: Callable[[], QuerySet[Row]]) -> None:
        self.compose = compose
        self.statements: dict[str, Statement] = {}

    def __call__(self, **given: Any) -> list[Row]:
        """The rows for these values, one for each `Given` by its name."""
        if connection.vendor not in self.statements:
            self.statements[connection.vendor] = statement(self.compose())
        sql, params, compiler, columns, names, related = self.statements[connection.vendor]
        with connection.cursor() as cursor:
            cursor.execute(sql, [filled(each, given) for each in params])
            fetched = cursor.fetchall()
        compiler = copy(compiler)
        compiler.connection = connection
        model, rows = compiler.query.model, []
        for row in compiler.results_iter([fetched]):
            made = model.from_db(connection.alias, names, row[columns])
            for each in related:
                each.populate(row, made)
            for name, place in compiler.annotation_col_map.items():
                setattr(made, name, row[place])
            rows.append(made)
        return rows

    def first(self, **given: Any) -> Row | None:
        """The first of them; a query that is asked for it has its own limit."""
        return next(iter(self(**given)), None)


def statement(queryset: QuerySet[Any]) -> Statement:
    compiler = queryset.query.get_compiler(connection=connection)
    sql, params = compiler.as_sql()
    chosen = compiler.klass_info["select_fields"]
    columns = slice(chosen[0], chosen[-1] + 1)
    names = [column.target.attname for column, _, _ in compiler.select[columns]]
    related = get_related_populators(compiler.klass_info, compiler.select, connection.alias)  # type: ignore[call-arg]
    return Statement(sql, tuple(params), compiler, columns, names, related)


def filled(param: Any, given: dict[str, Any]) -> Any:
    """The value of a parameter, in the form that the database takes."""
    if not isinstance(param, Given):
        return param
    return param.output_field.get_db_prep_value(given[param.name], connection)
