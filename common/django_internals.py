"""All that composed queries lean on inside Django, and nothing else does.

None of it is promised from release to release. `make test-next-django` tries it on the newest Django.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple, Protocol

import django
from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper
from django.db.models import Model, QuerySet, sql
from django.db.models.query import get_related_populators

Converter = Callable[[Any, Any, BaseDatabaseWrapper], Any]


class Statement(Protocol):
    """A statement with its values. With `changes` it changes rows and returns none."""

    @property
    def sql(self) -> str: ...
    @property
    def params(self) -> Any: ...
    @property
    def changes(self) -> bool: ...
    @property
    def read(self) -> Callable[[Any], Any]: ...


def executed(statements: Sequence[Statement], connection: BaseDatabaseWrapper) -> list[Any]:
    """Execute statements in their order; return the rows of each, or how many it changed.

    Where the backend can do that they are prepared, and several are sent in one go. After an error nothing
    more can be done in the transaction around them, as after `QuerySet.update`.
    """
    make: Callable[[], CursorWrapper] = getattr(connection, "prepared_cursor", connection.cursor)
    together = getattr(connection, "pipelined", None)
    with ExitStack() as stack:
        stack.enter_context(transaction.mark_for_rollback_on_error(using=connection.alias))
        cursors = [stack.enter_context(make()) for _ in statements]
        asked = list(zip(statements, cursors, strict=True))
        if together is not None and len(asked) > 1:
            with together():
                for each, cursor in asked:
                    cursor.execute(each.sql, each.params)
            return [_answer(each, cursor) for each, cursor in asked]
        found = []
        for each, cursor in asked:
            cursor.execute(each.sql, each.params)
            found.append(_answer(each, cursor))
        return found


def executed_with_commit(statement: Statement, connection: BaseDatabaseWrapper) -> None:
    """Execute a change of rows in a transaction at its COMMIT, where the backend can do that, else now.

    Where it can, both leave together: the change at the latest before the next cursor is made.
    """
    later = getattr(connection, "execute_with_commit", None)
    if later is None:
        (changed,) = executed([statement], connection)
        statement.read(changed)
    else:
        later(statement.sql, statement.params, statement.read)


def _answer(statement: Statement, cursor: CursorWrapper) -> Any:
    return cursor.rowcount if statement.changes else cursor.fetchall()


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


def values_of(one: Model, found: Insertion, connection: BaseDatabaseWrapper) -> list[Any]:
    """Return the values that this INSERT stores of an object, in the database's form."""
    return [each.get_db_prep_save(each.pre_save(one, True), connection) for each in found.fields]


def stored(one: Model, key: Any, connection: BaseDatabaseWrapper) -> None:
    """Note on an object that it was inserted, with this key."""
    one.pk = key
    one._state.adding, one._state.db = False, connection.alias
