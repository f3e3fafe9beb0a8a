"""PostgreSQL with statements that are parsed once, and connections that are looked at without asking.

Django's backend writes every value into the statement, which the server then parses and plans anew, asks
`SELECT 1` before each request, and reads each time in Python. All that costs a step more than what it wants
to know.
"""

from __future__ import annotations

import select
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

from django.db import transaction
from django.db.backends.postgresql import base
from django.db.backends.postgresql.operations import DatabaseOperations as PostgreSQLOperations
from django.db.backends.utils import CursorWrapper, debug_transaction
from psycopg.types.datetime import TimestamptzLoader

from variorum.postgresql.pipeline import OneTrip

PLANNED_ONCE = "SET plan_cache_mode = force_generic_plan"
"""PostgreSQL would plan a prepared statement five times, for the values of each, to learn what is always so
here: that one plan serves them all. Statements that carry their values are planned for them as ever."""


class DatabaseOperations(PostgreSQLOperations):
    """Django's, but for the log of queries: it shows prepared statements with their values, as all others."""

    def last_executed_query(self, cursor: Any, sql: str, params: Any) -> Any:
        if isinstance(cursor, base.ServerBindingCursor):
            return self.compose_sql(sql, params)
        return super().last_executed_query(cursor, sql, params)


class Change(NamedTuple):
    """A statement that changes rows and waits for the COMMIT.

    sql, params: what is executed.
    told: called with how many rows it changed.
    """

    sql: str
    params: Any
    told: Callable[[int], object]


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's, with a second kind of cursor, a health check that is no query, and changes that leave with
    the COMMIT.
    """

    ops_class = DatabaseOperations

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._waiting: list[Change] = []
        self._committed: list[tuple[Change, int]] = []

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Connect as Django does, have each prepared statement planned once, and read times by psycopg's own
        loader, in C, where Django's calls Python for each. The two differ in nothing but the time zone:
        psycopg's is the connection's, which Django has set. Said once of the connection: a cursor that says
        it copies all that is known of types.
        """
        made = super().get_new_connection(conn_params)
        made.adapters.register_loader("timestamptz", TimestamptzLoader)
        made.autocommit = True
        made.execute(PLANNED_ONCE)
        self._waiting = []
        return made

    def create_cursor(self, name: str | None = None) -> Any:
        """Return a cursor like Django's, which reads times as its connection does."""
        self._send_waiting()
        if name is None:
            return self.connection.cursor()
        made: Any = base.ServerSideCursor
        return made(self.connection, name=name, scrollable=False, withhold=self.connection.autocommit)

    def prepared_cursor(self) -> CursorWrapper:
        """Return a cursor for a statement that comes again and again, with other values each time: it is
        prepared when it does (`prepare_threshold` in the settings).
        """
        self.close_if_health_check_failed()
        self.ensure_connection()
        self._send_waiting()
        make: Any = base.ServerBindingCursor
        with self.wrap_database_errors:
            made: CursorWrapper = self._prepare_cursor(make(self.connection))  # type: ignore[attr-defined]
            return made

    def execute_with_commit(self, sql: str, params: Any, told: Callable[[int], object]) -> None:
        """Execute a change together with the COMMIT of the transaction, or before the next cursor is made.

        A database error of it is raised then, and nothing is committed. `told` is called with how many rows
        it changed; what that raises at a COMMIT can undo nothing any more.
        """
        if not self.in_atomic_block or self.closed_in_transaction:
            raise transaction.TransactionManagementError("No COMMIT comes outside of a transaction.")
        self._waiting.append(Change(sql, params, told))

    def _send_waiting(self) -> None:
        if self._waiting:
            with transaction.mark_for_rollback_on_error(using=self.alias):
                self._tell(self._sent())

    def _sent(self, *, commit: bool = False) -> list[tuple[Change, int]]:
        """Send what waits in one piece, with the COMMIT or without; return what each changed."""
        waiting, self._waiting = self._waiting, []
        with ExitStack() as stack:
            cursors = [stack.enter_context(self.prepared_cursor()) for _ in waiting]
            with self.pipelined() as pipeline:
                for change, cursor in zip(waiting, cursors, strict=True):
                    cursor.execute(change.sql, change.params)
                if commit:
                    pipeline.commit()
            return [(change, cursor.rowcount) for change, cursor in zip(waiting, cursors, strict=True)]

    @staticmethod
    def _tell(changed: list[tuple[Change, int]]) -> None:
        for change, rows in changed:
            change.told(rows)

    def commit(self) -> None:
        """Commit as Django does; then tell who sent a change with it, when no error can be in its way."""
        super().commit()
        committed, self._committed = self._committed, []
        self._tell(committed)

    def _commit(self) -> None:
        if not self._waiting:
            super()._commit()  # type: ignore[misc]
            return
        with debug_transaction(self, "COMMIT"):
            self._committed = self._sent(commit=True)

    def _savepoint_commit(self, sid: str) -> None:
        # An error of theirs is one of the savepoint, to which Django goes back: the transaction goes on.
        if self._waiting:
            self._tell(self._sent())
        super()._savepoint_commit(sid)  # type: ignore[misc]

    def _rollback(self) -> None:
        self._waiting = []
        super()._rollback()  # type: ignore[misc]

    def _savepoint_rollback(self, sid: str) -> None:
        # To make the savepoint took a cursor, before which all that waited was sent: what waits came since.
        self._waiting = []
        super()._savepoint_rollback(sid)  # type: ignore[misc]

    def _close(self) -> None:
        self._waiting = []
        super()._close()  # type: ignore[misc]

    @contextmanager
    def pipelined(self) -> Iterator[OneTrip]:
        """Send the statements of a block together; their rows are read behind it."""
        self.ensure_connection()
        pipeline = self.connection._pipeline = OneTrip(self.connection)
        try:
            with self.wrap_database_errors, pipeline:
                pipeline.begin()
                yield pipeline
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
