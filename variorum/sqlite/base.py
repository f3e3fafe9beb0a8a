"""SQLite whose writers are served in turn.

One transaction writes at a time. Whoever finds another writing is told by SQLite to try again, after pauses
that grow to a tenth of a second: of many, some are unlucky for seconds. So whoever writes first asks the
operating system for a lock on a file beside the database, and is woken as soon as it is free. Who is not
served in time is told so: the page that waits must answer while its reader still waits for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db import OperationalError
from django.db.backends.sqlite3 import base

from variorum.sqlite.operations import DatabaseOperations
from variorum.sqlite.turn import Turn

TURN_SECONDS = 25
"""The longest wait for a turn. With SQLite's own, for what writes without one, it is 30 seconds, as the
reader's page waits for a reply."""


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's, and a lock from the beginning of what writes to its end; SQLite's own guards the data."""

    turn: Turn | None = None
    ops_class = DatabaseOperations

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.execute_wrappers.append(self.alone)

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        connection = super().get_new_connection(conn_params)
        if not self.is_in_memory_db():
            self.turn = Turn(f"{self.settings_dict['NAME']}-turn")
        return connection

    def alone(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        """Execute a statement; outside a transaction it waits for its turn where it writes."""
        if self.in_atomic_block or sql.lstrip().startswith(("SELECT", "BEGIN")):
            return execute(sql, params, many, context)
        self.await_turn()
        try:
            return execute(sql, params, many, context)
        finally:
            self.pass_turn()

    def _start_transaction_under_autocommit(self) -> None:
        self.await_turn()
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        except BaseException:
            self.pass_turn()
            raise

    def _commit(self) -> None:
        super()._commit()  # type: ignore[misc]
        self.pass_turn()

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc]
        finally:
            self.pass_turn()

    def _close(self) -> None:
        try:
            super()._close()  # type: ignore[misc]
        finally:
            if self.turn is not None:
                self.turn.close()
                self.turn = None

    def await_turn(self) -> None:
        """Wait until no other connection writes.

        Raises:
            OperationalError: others have been writing all the time.
        """
        if self.turn is not None and not self.turn.take(TURN_SECONDS):
            raise OperationalError(f"database is locked: others have been writing for {TURN_SECONDS} s")

    def pass_turn(self) -> None:
        """Let the next connection write."""
        if self.turn is not None:
            self.turn.give_back()
