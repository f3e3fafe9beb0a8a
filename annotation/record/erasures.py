"""An erasure announces which rows of the record go: their keys, by which the check knows them again."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from annotation.models import Erasure, Study

TABLES = ("judgment", "decision", "event")
"""What an erasure may speak of."""


def announce(
    study: Study,
    gone: Mapping[str, QuerySet[Any]],
    *,
    extent: str,
    now: datetime,
    enrolment: int | None = None,
) -> Erasure:
    """Say in the record which rows will be deleted: the database refuses to delete anything else.

    `gone`: rows by table; a table that is not named loses none. `enrolment`: None for the whole study.
    """
    keys = {table: list(rows.values_list("pk", flat=True)) for table, rows in gone.items()}
    return Erasure.objects.create(
        study=study.pk,
        enrolment=enrolment,
        extent=extent,
        keys={table: ranges(found) for table, found in keys.items() if found},
        created=now,
        **{f"{table}s": len(found) for table, found in keys.items()},
    )


def ranges(keys: Iterable[int]) -> list[list[int]]:
    """Return keys as rising pairs of a first and a last one: 3, 4, 7 as [3, 4] and [7, 7]."""
    return _joined((key, key) for key in keys)


class Announced:
    """What all erasures say: which rows are gone, and of erasures that name none, how many."""

    def __init__(self, erasures: Iterable[Mapping[str, Any]]) -> None:
        self.counts: Counter[str] = Counter()
        pairs: dict[str, list[tuple[int, int]]] = {table: [] for table in TABLES}
        for said in erasures:
            if said["keys"] is None:
                self.counts.update({table: said[f"{table}s"] for table in TABLES})
                continue
            for table, found in said["keys"].items():
                pairs[table] += ((first, last) for first, last in found)
        self._pairs = {table: _joined(found) for table, found in pairs.items()}

    def speaks_of(self, table: str, key: int) -> bool:
        """Return whether an erasure names this row."""
        found = self._pairs.get(table, [])
        at = bisect_right(found, key, key=lambda pair: pair[0])
        return at > 0 and key <= found[at - 1][1]

    def unannounced(self, table: str, missing: Iterable[int]) -> list[int]:
        """Return those of the missing rows of which no erasure speaks, by name or by number."""
        return [key for key in missing if not self.speaks_of(table, key)][self.counts[table] :]


def _joined(pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Return the same keys as rising pairs of which none reaches into another."""
    found: list[list[int]] = []
    for first, last in sorted(pairs):
        if found and first <= found[-1][1] + 1:
            found[-1][1] = max(found[-1][1], last)
        else:
            found.append([first, last])
    return found
