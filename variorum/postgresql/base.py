"""PostgreSQL with statements that are parsed once, and connections that are looked at without asking.

Django's backend writes every value into the statement, which the server then parses and plans anew, asks
`SELECT 1` before each request, and reads each time in Python. All that costs a step more than what it wants
to know.
"""

from __future__ import annotations

import select
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db.backends.postgresql import base
from django.db.backends.postgresql.operations import DatabaseOperations as PostgreSQLOperations
from django.db.backends.utils import CursorWrapper
from psycopg.types.datetime import TimestamptzLoader

from variorum.postgresql.pipeline import OneTrip


class DatabaseOperations(PostgreSQLOperations):
    """Django's, but for the log of queries: it shows prepared statements with their values, as all others."""

    def last_executed_query(self, cursor: Any, sql: str, params: Any) -> Any:
        if isinstance(cursor, base.ServerBindingCursor):
            return self.compose_sql(sql, params)
        return super().last_executed_query(cursor, sql, params)


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's, with a second kind of cursor, and a health check that is no query."""

    ops_class = DatabaseOperations

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Connect as Django does, and read times by psycopg's own loader, in C, where Django's calls Python
        for each. The two differ in nothing but the time zone: psycopg's is the connection's, which Django has
        set. Said once of the connection: a cursor that says it copies all that is known of types.
        """
        made = super().get_new_connection(conn_params)
        made.adapters.register_loader("timestamptz", TimestamptzLoader)
        return made

    def create_cursor(self, name: str | None = None) -> Any:
        """Return a cursor like Django's, which reads times as its connection does."""
        if name is None:
            return self.connection.cursor()
        made: Any = base.ServerSideCursor
        return made(self.connection, name=name, scrollable=False, withhold=self.connection.autocommit)

    def prepared_cursor(self) -> CursorWrapper:
        """Return a cursor for a statement that comes again and again, with other values each time: it is
        prepared when it does (`prepare_threshold` in the settings).
        """
        self.ensure_connection()
        make: Any = base.ServerBindingCursor
        with self.wrap_database_errors:
            made: CursorWrapper = self._prepare_cursor(make(self.connection))  # type: ignore[attr-defined]
            return made

    @contextmanager
    def pipelined(self) -> Iterator[None]:
        """Send the statements of a block together; their rows are read behind it."""
        self.ensure_connection()
        pipeline = self.connection._pipeline = OneTrip(self.connection)
        try:
            with self.wrap_database_errors, pipeline:
                pipeline.begin()
                yield
        finally:
            if self.connection is not None:
                self.connection._pipeline = None

    def is_usable(self) -> bool:
        """Return whether the connection can be used; after an error the server is asked.

        A server says goodbye when it ends or ends a connection, and the kernel does where it was killed:
        either way there is something to read, where otherwise a server is silent until it is asked. Who is
        cut off without a word is found by the kernel's keepalives, and by a query no sooner.
        """
        if self.connection is None or self.errors_occurred or self.connection.closed:
            return super().is_usable()
        waiting = select.poll()
        waiting.register(self.connection.fileno(), select.POLLIN)
        return not waiting.poll(0) or super().is_usable()
