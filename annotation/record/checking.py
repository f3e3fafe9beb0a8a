"""Check the record against its seals: is every sealed row there as it was, and is every gap announced?

The chain shows a change made behind the application's back: a row rewritten, slipped in or taken out, a seal
forged or lost. It cannot show what was never sealed, nor a chain made anew as a whole: that shows only
against a head that was written down elsewhere, as a backup does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol

from annotation.models import Erasure, Seal
from annotation.record import rows
from annotation.record.erasures import Announced
from annotation.record.rows import TABLES
from annotation.record.sealing import NOTHING, digest_of, sealed_rows
from common.wording import counted, were

MOST = 20
"""Findings that are told one by one."""
LOWEST = -(2**63)
"""The lowest key that a database stores."""


class Checked(NamedTuple):
    """What a check of the record found.

    seals: how many there are.
    head: digest of the last one; zeros without any.
    rows: rows that the seals hold.
    unsealed: rows written since.
    erased: rows that are gone as erasures say.
    faults: what is wrong, in a sentence each; empty where all is well.
    """

    seals: int
    head: str
    rows: int
    unsealed: int
    erased: int
    faults: tuple[str, ...]


class Kept(Protocol):
    """A record to check: the one in the database, or one in a backup."""

    def seals(self) -> Iterator[Seal]:
        """Yield the seals in their order."""

    def rows(self, table: str, columns: Sequence[str], first: int, last: int) -> Iterator[tuple[int, bytes]]:
        """Yield the key and the digest of each row from key `first` to key `last`; asked in rising order."""

    def erased(self) -> Announced:
        """Return of which rows erasures speak."""

    def beyond(self, table: str, last: int) -> int:
        """Return how many rows of a table have a key above `last`."""


class InDatabase:
    """The record in the database."""

    def seals(self) -> Iterator[Seal]:
        return Seal.objects.order_by("number").iterator(chunk_size=20)

    def rows(self, table: str, columns: Sequence[str], first: int, last: int) -> Iterator[tuple[int, bytes]]:
        return rows.rows(table, columns, first, last)

    def erased(self) -> Announced:
        return Announced(Erasure.objects.values("judgments", "decisions", "events", "keys").iterator())

    def beyond(self, table: str, last: int) -> int:
        return TABLES[table]._default_manager.filter(pk__gt=last).count()


class _Check:
    """One walk along the chain."""

    def __init__(self, kept: Kept) -> None:
        self.kept = kept
        self.head, self.number, self.rows = NOTHING, 0, 0
        self.last: Counter[str] = Counter()
        self.missing: dict[str, list[int]] = {table: [] for table in TABLES}
        self.faults: list[str] = []

    def take(self, seal: Seal) -> None:
        """Check the next seal, and the rows it was made of."""
        if seal.number != self.number + 1:
            self.faults.append(f"Seal {self.number + 1} is missing: the next one is seal {seal.number}.")
        if seal.previous != self.head:
            self.faults.append(f"Seal {seal.number} does not follow the seal before it.")
        self.number, self.head = seal.number, seal.digest
        if seal.table not in TABLES or digest_of(seal) != seal.digest:
            self.faults.append(f"Seal {seal.number} was changed after it was made.")
            return
        held = dict(sealed_rows(seal))
        # No row of ours has a key below 1; one that has was slipped in.
        first = self.last[seal.table] + 1 if seal.table in self.last else LOWEST
        there = dict(self.kept.rows(seal.table, seal.columns, first, seal.last))
        self.last[seal.table] = seal.last
        self.rows += len(held)
        for key, digest in held.items():
            if key not in there:
                self.missing[seal.table].append(key)
            elif there[key] != digest:
                self.faults.append(f"{seal.table.capitalize()} {key} was changed after it was sealed.")
        for key in there.keys() - held.keys():
            self.faults.append(f"{seal.table.capitalize()} {key} was slipped in among sealed rows.")

    def end(self) -> tuple[int, int]:
        """Return how many rows are gone as announced, and how many are not sealed yet."""
        # Asked at the end: what went during the walk was announced before it went.
        said, erased = self.kept.erased(), 0
        for table, missing in self.missing.items():
            gone = said.unannounced(table, missing)
            erased += len(missing) - len(gone)
            if gone:
                self.faults.append(
                    f"{counted(len(gone), table)} that {were(len(gone))} sealed "
                    f"{'is' if len(gone) == 1 else 'are'} gone, and no erasure speaks of it: "
                    f"{table} {gone[0]}{' is the first' if len(gone) > 1 else ''}."
                )
        unsealed = sum(self.kept.beyond(table, self.last[table]) for table in TABLES)
        return erased, unsealed


def check(kept: Kept | None = None, progress: Callable[[int], None] = lambda seals: None) -> Checked:
    """Walk the whole chain and compare each sealed row with the one that is there now.

    `kept`: the record, the database's where none is given; `progress` is called with the seals checked.
    """
    walk = _Check(kept or InDatabase())
    for at, seal in enumerate(walk.kept.seals(), 1):
        walk.take(seal)
        progress(at)
    erased, unsealed = walk.end()
    faults = walk.faults[:MOST]
    if len(walk.faults) > MOST:
        faults.append(f"… and {counted(len(walk.faults) - MOST, 'further fault')}.")
    return Checked(walk.number, walk.head, walk.rows, unsealed, erased, tuple(faults))
