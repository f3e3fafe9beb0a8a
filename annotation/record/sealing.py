"""Seal what was written since the last seal: digests of up to a thousand rows, chained to the seal before.

Sealing costs no reader anything: it happens behind them, in the worker's idle moments, before a backup and
when somebody asks. What was written since the last seal is not guarded by the chain yet.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta

from django.db import OperationalError, connection, transaction
from django.db.models import Max
from django.utils import timezone

from annotation.models import Seal
from annotation.record.rows import COLUMNS, TABLES, canonical, rows

logger = logging.getLogger(__name__)
BLOCK = 1000
"""Rows of a seal at most: 40 kB of digests."""
NOTHING = "0" * 64
EVERY = timedelta(minutes=10)
"""How often a worker seals what is new."""
PATIENCE_MS = 500
"""How long to wait for those who write. PostgreSQL ends one of two who wait for each other after a second:
by then this one has given up, so that it is never a reader."""
KEY, DIGEST = 8, 32


def seal(now: datetime | None = None) -> int:
    """Seal all rows that are new; return how many there were.

    Two at once do no harm: they take turns, and what one has sealed the other leaves.
    Raises `OperationalError` on PostgreSQL where somebody has been writing all the time.
    """
    now, sealed = now or timezone.now(), 0
    for table in TABLES:
        last = highest_key(table)
        while (added := _seal_block(table, last, now)) is not None:
            sealed += added
    return sealed


def try_to_seal() -> int:
    """Seal what is new, as far as those who write all the time let it; return how many rows."""
    with suppress(OperationalError):  # there is a next time
        return seal()
    return 0


def seal_if_due() -> None:
    """Seal what is new where the last seal is some minutes old: a worker's chore.

    The new head goes to the log: where that is kept elsewhere, seals that were lost at the end of the chain
    show (`verify --head`), which nothing within the database can show.
    """
    last = Seal.objects.aggregate(at=Max("created"))["at"]
    if (last is None or timezone.now() - last >= EVERY) and try_to_seal():
        head = Seal.objects.latest("number")
        logger.info("The record is sealed: %d seals, head %s", head.number, head.digest)


def highest_key(table: str) -> int:
    """Return the highest key of a table below which every row is stored by now; 0 without rows.

    SQLite has one writer at a time. On PostgreSQL a transaction may hold a lower key than one that was stored
    before: a lock that waits for all who write to this table, and for nobody else, leaves none out.
    """
    model = TABLES[table]
    with transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute(f"SET LOCAL lock_timeout = {PATIENCE_MS}")
                cursor.execute(f'LOCK TABLE "{model._meta.db_table}" IN SHARE MODE')
        return int(model._default_manager.aggregate(last=Max("pk"))["last"] or 0)


def _seal_block(table: str, last: int, now: datetime) -> int | None:
    """Seal the next rows of a table; return how many, None where none are left."""
    with transaction.atomic():
        if connection.vendor == "postgresql":
            # One who seals at a time. The row of the last seal would not do: who waited for it got that one
            # again, and gave its successor's number twice.
            connection.cursor().execute(f'LOCK TABLE "{Seal._meta.db_table}" IN SHARE ROW EXCLUSIVE MODE')
        before = Seal.objects.order_by("-number").first()
        sealed = Seal.objects.filter(table=table).aggregate(last=Max("last"))["last"] or 0
        found = _next(table, sealed, last)
        if not found:
            return None
        made = Seal(
            number=before.number + 1 if before else 1,
            table=table,
            first=found[0][0],
            last=found[-1][0],
            columns=list(COLUMNS[table]),
            digests=b"".join(key.to_bytes(KEY, "big") + digest for key, digest in found),
            previous=before.digest if before else NOTHING,
            created=now,
        )
        made.digest = digest_of(made)
        made.save()
    return len(found)


def _next(table: str, sealed: int, last: int) -> list[tuple[int, bytes]]:
    keys = TABLES[table]._default_manager.filter(pk__gt=sealed, pk__lte=last).order_by("pk")
    block = list(keys.values_list("pk", flat=True)[:BLOCK])
    return list(rows(table, COLUMNS[table], block[0], block[-1])) if block else []


def digest_of(seal: Seal) -> str:
    """Return what a seal's digest must be: SHA-256 of its head as canonical JSON, and of its digests."""
    head = [seal.number, seal.table, seal.first, seal.last, seal.columns, seal.previous, seal.created]
    return hashlib.sha256(canonical(head) + bytes(seal.digests)).hexdigest()


def sealed_rows(seal: Seal) -> Iterator[tuple[int, bytes]]:
    """Yield the key and the digest of each row of a seal."""
    held, size = bytes(seal.digests), KEY + DIGEST
    for at in range(0, len(held), size):
        yield int.from_bytes(held[at : at + KEY], "big"), held[at + KEY : at + size]
