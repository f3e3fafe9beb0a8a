"""All that composed queries lean on inside Django, and nothing else does.

None of it is promised from release to release. `make test-next-django` tries it on the newest Django.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

import django
from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper
from django.db.models import Model, QuerySet, sql
from django.db.models.query import get_related_populators

Converter = Callable[[Any, Any, BaseDatabaseWrapper], Any]


def prepared_cursor(connection: BaseDatabaseWrapper) -> CursorWrapper:
    """Return a cursor for a statement that comes again and again: prepared, where the backend can do that."""
    make: Callable[[], CursorWrapper] = getattr(connection, "prepared_cursor", connection.cursor)
    return make()


def in_one_go(connection: BaseDatabaseWrapper) -> AbstractContextManager[None]:
    """Return a block whose statements are sent together, where the backend can do that."""
    block: Callable[[], AbstractContextManager[None]] = getattr(connection, "pipelined", nullcontext)
    return block()


class Selection(NamedTuple):
    """A compiled SELECT of whole objects, and what makes objects of its rows.

    sql: the statement, with %s for each parameter.
    params: its parameters; expressions that compiled to themselves stand among them.
    model: the class of the objects.
    columns: which columns of a row are the object's own.
    names: the attributes that these columns fill.
    converters: for a column by its place in the row, the functions from the database's value to
        Python's, in their order, and the column's expression, which they ask for.
    related: what makes the objects of `select_related`.
    annotations: the places of annotations in the row, by name.
    """

    sql: str
    params: tuple[Any, ...]
    model: type[Model]
    columns: slice
    names: list[str]
    converters: list[tuple[int, list[Converter], Any]]
    related: list[Any]
    annotations: dict[str, int]

    def objects(self, rows: Iterable[tuple[Any, ...]], connection: BaseDatabaseWrapper) -> list[Any]:
        """Return the objects of these rows, as the queryset would make them."""
        made = []
        for fetched in rows:
            row = list(fetched)
            for place, converters, expression in self.converters:
                value = row[place]
                for convert in converters:
                    value = convert(value, expression, connection)
                row[place] = value
            one = self.model.from_db(connection.alias, self.names, row[self.columns])
            for each in self.related:
                each.populate(row, one)
            for name, place in self.annotations.items():
                setattr(one, name, row[place])
            made.append(one)
        return made


def selection(queryset: QuerySet[Any], connection: BaseDatabaseWrapper) -> Selection:
    """Compile the SELECT of a queryset whose models have keys of one column."""
    compiler: Any = queryset.query.get_compiler(connection=connection)
    text, params = compiler.as_sql()
    found = compiler.klass_info
    columns = slice(found["select_fields"][0], found["select_fields"][-1] + 1)
    expressions = [column for column, _, _ in compiler.select]
    converters = compiler.get_converters(expressions[: compiler.col_count])
    # From Django 6.1 on, objects know how their missing fields are fetched.
    modes: tuple[Any, ...] = (queryset._fetch_mode,) if django.VERSION >= (6, 1) else ()  # type: ignore[attr-defined]
    populators: Callable[..., list[Any]] = get_related_populators
    return Selection(
        text,
        tuple(params),
        found["model"],
        columns,
        [each.target.attname for each in expressions[columns]],
        [(place, functions, expression) for place, (functions, expression) in converters.items()],
        populators(found, compiler.select, connection.alias, *modes),
        dict(compiler.annotation_col_map),
    )


class Change(NamedTuple):
    """A compiled UPDATE.

    sql: the statement, with %s for each parameter.
    params: the parameters, in their order.
    """

    sql: str
    params: tuple[Any, ...]


def change(queryset: QuerySet[Any], values: dict[str, Any], connection: BaseDatabaseWrapper) -> Change:
    """Compile what `queryset.update(**values)` would execute, for a model without parents."""
    query = queryset.query.chain(sql.UpdateQuery)
    query.add_update_values(values)  # type: ignore[attr-defined]
    text, params = query.get_compiler(connection=connection).as_sql()
    return Change(text, tuple(params))


def changed(text: str, params: list[Any], connection: BaseDatabaseWrapper) -> int:
    """Execute an UPDATE and return how many rows it changed.

    After an error nothing more can be done in the transaction around it, as after `QuerySet.update`.
    """
    with (
        transaction.mark_for_rollback_on_error(using=connection.alias),
        prepared_cursor(connection) as cursor,
    ):
        cursor.execute(text, params)
        return int(cursor.rowcount)


class Insertion(NamedTuple):
    """A compiled INSERT of one row, which returns its key.

    sql: the statement, with %s for the value of each field.
    fields: of the model, in their order; without the key, which the database gives.
    """

    sql: str
    fields: list[Any]


def insertion(model: type[Model], connection: BaseDatabaseWrapper) -> Insertion:
    """Compile what `Model.save(force_insert=True)` would execute, for a model without parents."""
    fields = [each for each in model._meta.local_concrete_fields if not each.primary_key]
    query: Any = sql.InsertQuery(model)
    query.insert_values(fields, [model()])
    compiler = query.get_compiler(connection=connection)
    compiler.returning_fields = [model._meta.pk]
    ((text, _),) = compiler.as_sql()
    return Insertion(text, fields)


def inserted(one: Model, found: Insertion, connection: BaseDatabaseWrapper) -> None:
    """Insert an object, and give it its key.

    After an error nothing more can be done in the transaction around it, as after `Model.save`.
    """
    values = [each.get_db_prep_save(each.pre_save(one, True), connection) for each in found.fields]
    with (
        transaction.mark_for_rollback_on_error(using=connection.alias),
        prepared_cursor(connection) as cursor,
    ):
        cursor.execute(found.sql, values)
        ((one.pk,),) = cursor.fetchall()
    one._state.adding, one._state.db = False, connection.alias
