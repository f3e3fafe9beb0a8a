"""Items that were checked and wait to be stored: as rows, on disk, since a file may hold a million.

Checking takes many times as long as storing. So it is done once and without a transaction, and who writes
beside it waits for the rows alone.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from annotation.models import Item, Study
from annotation.models.rows import insert
from annotation.models.work import DERIVED
from common.first_seen import private_database, room

AT_ONCE = 500
JSON = ("payload", "gold", "provenance")
PLAIN = ("kind", "digest", *sorted(DERIVED))
COLUMNS = (*JSON, *PLAIN)
NAMED = ", ".join(f'"{name}"' for name in COLUMNS)
TABLE = f"CREATE TABLE prepared (place INTEGER PRIMARY KEY, {NAMED})"
INSERT = f"INSERT INTO prepared VALUES (NULL, {', '.join('?' * len(COLUMNS))})"  # noqa: S608 - names of ours
SELECT = f"SELECT {NAMED} FROM prepared WHERE place > ? ORDER BY place LIMIT ?"  # noqa: S608 - as above


class Prepared:
    """The items of a file that a study does not have, in the order of the file.

    last: number of the study's last item when they were checked.
    new, kinds: how many they are, and of each kind.
    known: how many items of the file the study had before.
    """

    def __init__(self, last: int) -> None:
        self.last, self.new, self.known = last, 0, 0
        self.kinds: Counter[str] = Counter()
        self._rows = private_database(TABLE)

    def note(self, item: Item) -> None:
        """Keep an unsaved item. Raises `BadInput` where the temporary folder has no room."""
        item.derive()
        with room():
            self._rows.execute(INSERT, row_of(item))
        self.new += 1
        self.kinds[item.kind] += 1

    def rows(self, begin: int, most: int) -> list[tuple[Any, ...]]:
        """Return at most so many of the rows from the place ``begin`` on, which counts from 0."""
        return self._rows.execute(SELECT, [begin, most]).fetchall()

    def items(self, study: Study) -> Iterator[Item]:
        """Yield the items as they will be, unsaved. Each has a key below 0, by which it is told apart."""
        for at in range(0, self.new, AT_ONCE):
            for number, row in enumerate(self.rows(at, AT_ONCE), self.last + at + 1):
                said = dict(zip(COLUMNS, row, strict=True))
                said |= {name: None if said[name] is None else json.loads(said[name]) for name in JSON}
                yield Item(pk=-number, study=study, number=number, **said)

    def store(self, study: Study, begin: int, most: int) -> int:
        """Store at most so many of them as items of the study, and return how many."""
        first = self.last + 1 + begin
        rows = self.rows(begin, most)
        insert(
            Item,
            ("number", *COLUMNS),
            ((number, *row) for number, row in enumerate(rows, first)),
            study_id=study.pk,
        )
        return len(rows)


def row_of(item: Item) -> tuple[Any, ...]:
    """Return what the database stores of an item's columns, JSON as text."""
    texts = (None if (said := getattr(item, name)) is None else json.dumps(said) for name in JSON)
    return (*texts, *(getattr(item, name) for name in PLAIN))
