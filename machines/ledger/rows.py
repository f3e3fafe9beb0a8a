"""Rows of calls, by statements that are written once: Django takes longer to write them than they take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from django.db import connection
from django.db.models import BooleanField, Field, QuerySet
from django.db.models.expressions import RawSQL

from machines.ledger.limits.clock import AFTER, NOW
from machines.models import PENDING, Call, State

TABLE = Call._meta.db_table
AT_ONCE = 30
"""Rows of one INSERT: some databases take no more than a thousand parameters."""
BY_THE_CLOCK = ("created", "sent", "lease_until")
"""Columns that an INSERT fills with the database's time."""


def insert(like: Call, calls: Sequence[Mapping[str, Any]], lease: float) -> dict[str, int]:
    """Insert calls that are sent now, and believed to be in flight for `lease` seconds; return keys by `key`.

    like: what all have in common.
    calls: the attributes in which they differ, "key" among them: no two have the same.
    """
    found: dict[str, int] = {}
    alike = {name: _prepared(name, getattr(like, name)) for name in _inserted()}
    with connection.cursor() as cursor:
        for at in range(0, len(calls), AT_ONCE):
            some = calls[at : at + AT_ONCE]
            values: list[Any] = []
            for each in some:
                own = {name: _prepared(name, value) for name, value in each.items()}
                values += [*(alike | own).values(), lease]
            cursor.execute(_insert(connection.vendor, len(some)), values)
            found.update(cursor.fetchall())
    return found


def answer(ended: Sequence[dict[str, Any]]) -> set[int]:
    """Write answers into their rows, each with its row as `id`; return the rows that were not pending."""
    if not ended:
        return set()
    with connection.cursor() as cursor:
        cursor.executemany(_answer(connection.vendor, tuple(ended[0])), [(*each.values(),) for each in ended])
        if cursor.rowcount == len(ended):
            return set()
    calls = {each["id"] for each in ended}
    # Nobody else answers a row of ours: one that is not answered now was swept away before.
    written = Call.objects.filter(pk__in=calls, state=State.ANSWERED).values_list("pk", flat=True)
    return calls - set(written)


def in_flight(endpoint: str) -> int:
    """Return how many calls of an endpoint are in flight, over all workers."""
    with connection.cursor() as cursor:
        cursor.execute(_in_flight(connection.vendor), [endpoint])
        return int(cursor.fetchone()[0])


def pending(endpoint: str) -> QuerySet[Call]:
    """Return the calls of an endpoint that are in flight or wait, by the index of what is pending.

    A condition whose states are parameters would read every call that was ever made.
    """
    condition = RawSQL(_pending(), (), output_field=BooleanField())  # noqa: S611
    return Call.objects.filter(condition, endpoint=endpoint)


def _prepared(name: str, value: Any) -> Any:
    return _inserted()[name].get_db_prep_save(value, connection)


@cache
def _inserted() -> dict[str, Field[Any, Any]]:
    fields = Call._meta.concrete_fields
    return {each.attname: each for each in fields if not each.primary_key and each.name not in BY_THE_CLOCK}


@cache
def _insert(vendor: str, rows: int) -> str:
    columns = [*_inserted()]
    row = ", ".join([*["%s"] * len(columns), NOW[vendor], NOW[vendor], AFTER[vendor]])
    names = ", ".join(f'"{each}"' for each in (*columns, *BY_THE_CLOCK))
    return f"INSERT INTO {TABLE} ({names}) VALUES {', '.join([f'({row})'] * rows)} RETURNING key, id"  # noqa: S608


@cache
def _answer(vendor: str, columns: tuple[str, ...]) -> str:
    """Return the UPDATE of an answered row, whose last column given is its `id`."""
    sets = ", ".join(f"{name} = %s" for name in columns[:-1])
    return (
        f"UPDATE {TABLE} SET {sets}, ended = {NOW[vendor]}, lease_until = NULL "  # noqa: S608
        f"WHERE {columns[-1]} = %s AND {_pending()}"
    )


@cache
def _in_flight(vendor: str) -> str:
    """Return the count. An index of what is pending serves it only where its condition stands as it is there:
    otherwise every call that was ever made is read, each time."""
    return (
        f"SELECT COUNT(*) FROM {TABLE} WHERE endpoint = %s AND {_pending()} "  # noqa: S608
        f"AND state = '{State.SENT}' AND lease_until > {NOW[vendor]}"
    )


def _pending() -> str:
    return f"state IN ({', '.join(f'{each!r}' for each in map(str, PENDING))})"
