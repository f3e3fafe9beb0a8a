"""Check the record against its seals: is every sealed row there as it was, and is every gap announced?

The chain shows a change made behind the application's back: a row rewritten, slipped in or taken out, a seal
forged or lost. It cannot show what was never sealed, nor a chain made anew as a whole: that shows only
against a head that was written down elsewhere, as a backup does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from django.db.models import Sum

from annotation.models import Erasure, Seal
from annotation.record.rows import TABLES, rows
from annotation.record.sealing import NOTHING, digest_of, sealed_rows
from common.wording import counted, were

MOST = 20
"""Findings that are told one by one."""


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


class _Check:
    """One walk along the chain."""

    def __init__(self) -> None:
        self.head, self.number, self.rows = NOTHING, 0, 0
        self.last: Counter[str] = Counter()
        self.missing: Counter[str] = Counter()
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
        there = dict(rows(seal.table, seal.columns, self.last[seal.table] + 1, seal.last))
        self.last[seal.table] = seal.last
        self.rows += len(held)
        for key, digest in held.items():
            if key not in there:
                self.missing[seal.table] += 1
            elif there[key] != digest:
                self.faults.append(f"{seal.table.capitalize()} {key} was changed after it was sealed.")
        for key in there.keys() - held.keys():
            self.faults.append(f"{seal.table.capitalize()} {key} was slipped in among sealed rows.")

    def end(self) -> tuple[int, int]:
        """Return how many rows are gone as announced, and how many are not sealed yet."""
        said = Erasure.objects.aggregate(
            judgment=Sum("judgments", default=0),
            decision=Sum("decisions", default=0),
            event=Sum("events", default=0),
        )
        for table, n in self.missing.items():
            if n > said.get(table, 0):
                gone = n - said.get(table, 0)
                self.faults.append(
                    f"{counted(gone, table)} that {were(gone)} sealed {'is' if gone == 1 else 'are'} gone, "
                    "and no erasure speaks of it."
                )
        unsealed = sum(
            model._default_manager.filter(pk__gt=self.last[table]).count() for table, model in TABLES.items()
        )
        return sum(min(n, said.get(table, 0)) for table, n in self.missing.items()), unsealed


def check(progress: Callable[[int], None] = lambda seals: None) -> Checked:
    """Walk the whole chain and compare each sealed row with the one that is stored now.

    `progress` is called with the seals that are checked.
    """
    walk = _Check()
    for at, seal in enumerate(Seal.objects.order_by("number").iterator(chunk_size=20), 1):
        walk.take(seal)
        progress(at)
    erased, unsealed = walk.end()
    faults = walk.faults[:MOST]
    if len(walk.faults) > MOST:
        faults.append(f"… and {counted(len(walk.faults) - MOST, 'further fault')}.")
    return Checked(walk.number, walk.head, walk.rows, unsealed, erased, tuple(faults))
