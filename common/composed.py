"""Queries put together once. To compose one takes Django longer than any database takes to answer it.

A composed query is written as a queryset, with `Given` where a value will stand, and is composed when it is
first asked. From then on its values are filled in and its rows read, as the queryset would read them. It is
for what every step of a reader asks; elsewhere a queryset is as good and says what it does where it stands.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BigIntegerField, CharField, Expression, Field, Model, QuerySet

from common.django_internals import (
    Change,
    Insertion,
    Selection,
    change,
    executed,
    executed_with_commit,
    insertion,
    selection,
    stored,
    values_of,
)

Row = TypeVar("Row", bound=Model)


class Given(Expression):
    """A value that comes with the question; usually a key. None is for what an UPDATE sets only."""

    def __init__(self, name: str, field: Field[Any, Any] | None = None) -> None:
        super().__init__(output_field=field or BigIntegerField())
        self.name = name

    def as_sql(self, compiler: object, connection: object) -> tuple[str, tuple[Any, ...]]:
        return "%s", (self,)


class Literal(Expression):
    """A word written into the statement itself, for a partial index: a database takes one only where it can
    read in the statement, not in its values, that the index holds all rows asked for.

    Raises:
        ValueError: not a word of small letters.
    """

    def __init__(self, word: str) -> None:
        if not (word.isascii() and word.isalpha() and word.islower()):
            raise ValueError(f"{word!r} is not a word of small letters.")
        super().__init__(output_field=CharField())
        self.word = str(word)

    def as_sql(self, compiler: object, connection: object) -> tuple[str, tuple[Any, ...]]:
        return f"'{self.word}'", ()


class Question(NamedTuple):
    """A statement with its values, not asked yet.

    sql: the statement.
    params: its values, in the database's form.
    read: makes what is wanted of the rows.
    changes: whether it changes rows and returns none: `read` is given how many.
    """

    sql: str
    params: Any
    read: Callable[[Any], Any]
    changes: bool = False


def together(*questions: Question) -> list[Any]:
    """Ask several questions, of which none needs another's answer; return the answers in their order.

    A database elsewhere is asked all in one round trip. It answers one after the other, and where one fails
    none that comes after it.
    """
    found = executed(questions, connections[DEFAULT_DB_ALIAS])
    return [each.read(rows) for each, rows in zip(questions, found, strict=True)]


class Composed(Generic[Row]):
    """A query of whole objects of one model, those of `select_related` and annotations included.

    `compose` makes the queryset; it is called once for each kind of database. `select_for_update` needs a
    transaction each time, and only the first time would miss one.
    """

    def __init__(self, compose: Callable[[], QuerySet[Row]]) -> None:
        self.compose = compose
        self.selections: dict[str, Selection] = {}

    def __call__(self, **given: Any) -> list[Row]:
        """Return the rows for these values, one value for each `Given` by its name."""
        (rows,) = together(self.asked(**given))
        return list(rows)

    def asked(self, **given: Any) -> Question:
        """Return the same as a question, for `together`."""
        connection = connections[DEFAULT_DB_ALIAS]
        found = self.selections.get(connection.vendor)
        if found is None:
            found = self.selections[connection.vendor] = selection(self.compose(), connection)
        return Question(
            found.sql,
            filled(found.params, given, connection),
            partial(found.objects, connection=connection),
        )

    def first(self, **given: Any) -> Row | None:
        """Return the first row, or None. The query must have its own limit."""
        return next(iter(self(**given)), None)


class ComposedUpdate:
    """An UPDATE of the rows of a queryset, composed once for each kind of database.

    `compose` makes the queryset and `values` are what its `update` would be given.
    """

    def __init__(self, compose: Callable[[], QuerySet[Any]], **values: Any) -> None:
        self.compose, self.values = compose, values
        self.changes: dict[str, Change] = {}

    def __call__(self, **given: Any) -> int:
        """Update with these values, one for each `Given` by its name; return how many rows changed."""
        (changed,) = together(self.asked(**given))
        return int(changed)

    def one_with_commit(self, **given: Any) -> None:
        """Update the one row that there is, which this transaction has locked, with these values.

        Nobody waits for the answer: a database elsewhere is asked as it commits, and at the latest before
        the next cursor is made. RuntimeError, then: it was not one row.
        """
        asked = self.asked(**given)._replace(read=one_changed)
        executed_with_commit(asked, connections[DEFAULT_DB_ALIAS])

    def asked(self, **given: Any) -> Question:
        """Return the same as a question, for `together`."""
        connection = connections[DEFAULT_DB_ALIAS]
        found = self.changes.get(connection.vendor)
        if found is None:
            found = self.changes[connection.vendor] = change(self.compose(), self.values, connection)
        return Question(found.sql, filled(found.params, given, connection), int, changes=True)


class ComposedInsert:
    """An INSERT of one object, composed once for each kind of database. No signal is sent."""

    def __init__(self, model: type[Model]) -> None:
        self.model = model
        self.insertions: dict[str, Insertion] = {}

    def __call__(self, one: Model) -> None:
        """Insert the object, whose columns are filled in, and give it its key."""
        together(self.asked(one))

    def asked(self, one: Model) -> Question:
        """Return the same as a question, for `together`."""
        connection = connections[DEFAULT_DB_ALIAS]
        found = self.insertions.get(connection.vendor)
        if found is None:
            found = self.insertions[connection.vendor] = insertion(self.model, connection)

        def read(rows: list[tuple[Any, ...]]) -> None:
            ((key,),) = rows
            stored(one, key, connection)

        return Question(found.sql, values_of(one, found, connection), read)


def one_changed(rows: int) -> None:
    """Raise RuntimeError unless one row was changed."""
    if rows != 1:
        raise RuntimeError(f"{rows} rows were changed where one was locked.")


def filled(params: tuple[Any, ...], given: dict[str, Any], connection: BaseDatabaseWrapper) -> list[Any]:
    """Return the parameters in the database's form, with values instead of each `Given`."""
    return [
        each.output_field.get_db_prep_save(given[each.name], connection) if isinstance(each, Given) else each
        for each in params
    ]
