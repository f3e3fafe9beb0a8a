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


class PreparedCursor(base.ServerBindingCursor):
    """A cursor whose statements are prepared when they come again (`prepare_threshold` in the settings).

    It reads times by psycopg's own loader, in C, where Django's calls Python for each. The two differ in
    nothing but the time zone, which psycopg takes from the connection, where Django has set it.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.adapters.register_loader("timestamptz", TimestamptzLoader)  # type: ignore[attr-defined]


class DatabaseOperations(PostgreSQLOperations):
    """Django's, but for the log of queries: it shows prepared statements with their values, as all others."""

    def last_executed_query(self, cursor: Any, sql: str, params: Any) -> Any:
        if isinstance(cursor, PreparedCursor):
            return self.compose_sql(sql, params)
        return super().last_executed_query(cursor, sql, params)


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's, with a second kind of cursor, and a health check that is no query."""

    ops_class = DatabaseOperations

    def prepared_cursor(self) -> CursorWrapper:
        """Return a cursor for a statement that comes again and again, with other values each time."""
        self.ensure_connection()
        with self.wrap_database_errors:
            made: CursorWrapper = self._prepare_cursor(PreparedCursor(self.connection))  # type: ignore[attr-defined]
            return made

    @contextmanager
    def pipelined(self) -> Iterator[None]:
        """Send the statements of a block together; their rows are read behind it."""
        self.ensure_connection()
        with self.wrap_database_errors, self.connection.pipeline():
            yield

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
