"""SQLite whose writers are served in turn.

One transaction writes at a time. Whoever finds another writing is told by SQLite to try again, after pauses
that grow to a tenth of a second: of many, some are unlucky for seconds. So whoever writes first asks the
operating system for a lock on a file beside the database, and is woken as soon as it is free.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from typing import Any

from django.db.backends.sqlite3 import base


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's, and a lock from the beginning of what writes to its end; SQLite's own guards the data."""

    turn: int | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.execute_wrappers.append(self.alone)

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        connection = super().get_new_connection(conn_params)
        if not self.is_in_memory_db():
            self.turn = os.open(f"{self.settings_dict['NAME']}-turn", os.O_RDWR | os.O_CREAT, 0o600)
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
                os.close(self.turn)
                self.turn = None

    def await_turn(self) -> None:
        """Wait until no other connection writes."""
        if self.turn is not None:
            fcntl.flock(self.turn, fcntl.LOCK_EX)

    def pass_turn(self) -> None:
        """Let the next connection write."""
        if self.turn is not None:
            fcntl.flock(self.turn, fcntl.LOCK_UN)
