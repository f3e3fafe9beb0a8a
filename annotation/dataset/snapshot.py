"""One state of the database for as long as it takes to read it, while people go on writing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def one_state() -> Iterator[None]:
    """Let everything that is read inside be of one moment; nothing may be written inside.

    PostgreSQL: a transaction at REPEATABLE READ. SQLite: a transaction that begins with a read, past the
    backend of ours, whose transactions wait for their turn at writing: this one never writes, and in WAL mode
    nobody waits for it. Inside another transaction, or another of these, that one's state it is.
    """
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "postgresql":
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
    else:
        connection.ensure_connection()
        if connection.connection.in_transaction:
            yield
            return
        connection.connection.execute("BEGIN DEFERRED")
        try:
            connection.connection.execute("SELECT 1 FROM annotation_study LIMIT 1").fetchall()
            yield
        finally:
            if connection.connection is not None:
                connection.connection.rollback()
