"""Names that were met, each with where it was first: so many that memory need not hold them.

They stand in a private database of SQLite that has no name. It is in memory while it is small, beyond that in
a file of the system's temporary folder which is gone with the process, whatever becomes of it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b

from common.errors import BadInput

IN_MEMORY = 8_000
"""KiB of it that are held in memory."""
PREPARED = (
    # Nobody reads it after a fault: it needs no journal and no waiting for the disk.
    "PRAGMA journal_mode = OFF",
    "PRAGMA synchronous = OFF",
    f"PRAGMA cache_size = -{IN_MEMORY}",
)
TABLE = "CREATE TABLE seen (key BLOB PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"


def private_database(table: str) -> sqlite3.Connection:
    """Return such a database, with a table."""
    # Of one request or one command, which a web server may answer in any of its threads.
    made = sqlite3.connect("", isolation_level=None, check_same_thread=False)
    for each in (*PREPARED, table, "BEGIN"):
        made.execute(each)
    return made


class NoRoom(BadInput):
    """The temporary folder is full: no fault of the line that was read then."""


@contextmanager
def room() -> Iterator[None]:
    """Raise `NoRoom` where the temporary folder has no room for what is written within."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise NoRoom(f"The temporary folder of this machine cannot be written: {error}.") from None


class FirstSeen:
    """A mapping of names to texts, of which it tells only what it was asked for by name."""

    def __init__(self) -> None:
        self._file = private_database(TABLE)
        self._n = 0

    def __len__(self) -> int:
        return self._n

    def get(self, name: str) -> str | None:
        """Return the text of a name, None for one that was not met."""
        if not self._n:
            return None
        row = self._file.execute("SELECT value FROM seen WHERE key = ?", [_key(name)]).fetchone()
        return None if row is None else str(row[0])

    def note(self, name: str, text: str) -> str | None:
        """Note where a name was met. Return what was noted before, None where it is new.

        Raises `NoRoom` where the temporary folder has no room.
        """
        with room():
            new = self._file.execute("INSERT OR IGNORE INTO seen VALUES (?, ?)", [_key(name), text])
        self._n += new.rowcount
        return None if new.rowcount else self.get(name)


def _key(name: str) -> bytes:
    return blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).digest()
