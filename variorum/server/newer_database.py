"""Code that is older than its database serves nobody: it would write what newer rules forbid."""

from __future__ import annotations

import logging
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.recorder import MigrationRecorder

logger = logging.getLogger(__name__)

# Gunicorn's own status of a process that cannot begin: the others are ended, too, and none is tried again.
CANNOT_BEGIN = 3


def unknown_migrations() -> list[str]:
    """Return the migrations that the database has had and this code has no file of, as "application.name".

    Files are looked for, not loaded: a web process needs none of them.

    Raises:
        DatabaseError: the database cannot be asked.
    """
    files = {each.label: Path(each.path) / "migrations" for each in apps.get_app_configs()}
    applied = MigrationRecorder(connection).applied_migrations()
    return sorted(
        f"{label}.{name}"
        for label, name in applied
        if label in files and not (files[label] / f"{name}.py").exists()
    )


def refusal() -> str:
    """Return why this code must not touch the database; nothing where it may, or where nobody can say."""
    try:
        unknown = unknown_migrations()
    except DatabaseError:
        return ""  # Whoever uses it next says what is wrong with it.
    if not unknown:
        return ""
    more = f" and {len(unknown) - 1:,} more" if len(unknown) > 1 else ""
    return (
        f"The database is newer than this version of Variorum ({settings.VERSION}): it has the migration "
        f"{unknown[0]}{more}, which this version does not know. Nothing is served and nothing is written. "
        "Start the newer version, or restore the backup made before the upgrade (docs/deploy.md)."
    )


def refuse() -> None:
    """End this process with a sentence in the log where its code is older than the database."""
    said = refusal()
    connection.close()
    if said:
        logger.critical(said)
        raise SystemExit(CANNOT_BEGIN)
