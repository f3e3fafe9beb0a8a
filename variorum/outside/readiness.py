"""Whether this process could serve people now: the database answers, its tables are ours, the queue is there.

Each reason is a sentence without an address, a name or a password: probes are answered to everybody.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.recorder import MigrationRecorder

from variorum.server import newer_database

NO_DATABASE = "The database does not answer."
WAITING = "Migrations wait to be applied."
NEWER = "The database is newer than this version."
NO_QUEUE = "Redis does not answer."
SECONDS = 3
"""How long Redis may take."""


def not_ready() -> str:
    """Return why nobody can be served now; "" where they can."""
    return _database() or _queue()


@cache
def migrations_here() -> frozenset[tuple[str, str]]:
    """Return the migrations of this code, as (application, name). Files are looked for, not loaded."""
    return frozenset(
        (each.label, file.stem)
        for each in apps.get_app_configs()
        for file in (Path(each.path) / "migrations").glob("[0-9]*.py")
    )


def _database() -> str:
    try:
        if migrations_here() - MigrationRecorder(connection).applied_migrations().keys():
            return WAITING
        return NEWER if newer_database.unknown_migrations() else ""
    except DatabaseError:
        return NO_DATABASE


def _queue() -> str:
    if settings.EMBEDDED:
        return ""
    from redis import Redis, RedisError

    try:
        with Redis.from_url(
            settings.REDIS_URL, socket_timeout=SECONDS, socket_connect_timeout=SECONDS
        ) as asked:
            asked.ping()
    except (RedisError, ValueError):
        return NO_QUEUE
    return ""
