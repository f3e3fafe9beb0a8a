"""Restore a backup into an empty place: tables as they were then, rows as they are, then the way up to today.

The tables are made at the migrations of the backup, so that an older backup fits; after the rows are in,
migrations bring them to this version. All rows are stored in one transaction, at whose end the files appear.
A restore that was cut off is run again: it takes back what it put there without its rows, and where the rows
were stored it finishes with the migrations.
"""

from __future__ import annotations

import errno
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.apps.registry import Apps
from django.conf import settings
from django.core.management import call_command
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor

from common.errors import BadInput
from common.progress import Progress, silent
from variorum.backup import files, interrupted, keys, tables
from variorum.backup.reading import Backup
from variorum.backup.writing import CHUNK, FILES, KEYS, TABLES, applied

MADE = {"django_content_type", "auth_permission", "django_migrations"}
"""Tables that Django fills when it makes the others."""
OWN = "django_migrations"


def restore(backup: Backup, *, passphrase: str | None = None, progress: Progress = silent) -> None:
    """Restore a backup that was checked. Raises `BadInput` where the place is not empty or does not fit."""
    secrets = _keys(backup, passphrase)
    begun, taken = interrupted.noted(), backup.manifest.taken
    if not begun or begun.taken != taken or not complete(backup):
        if begun and not full(backup):
            interrupted.take_back(begun.names)
        refuse_occupied(backup)
        found = prepare(backup)
        with _beside(backup, progress) as staged, transaction.atomic():
            _store(backup, found, progress)
            # Before the rows are there for good: no row speaks of a file that is not.
            interrupted.note(taken, [folder.name for folder in staged.iterdir()])
            _move(staged)
            _write_keys(secrets)
    call_command("migrate", verbosity=0, interactive=False)
    interrupted.done()


def _write_keys(secrets: dict[str, str]) -> None:
    for name, secret in secrets.items():
        path = Path(settings.DATA_DIR) / name
        path.write_text(secret, encoding="utf-8")
        path.chmod(0o600)


def _keys(backup: Backup, passphrase: str | None) -> dict[str, str]:
    if passphrase is None:
        return {}
    if backup.manifest.keys == "none":
        raise BadInput(f"{backup.name} holds no keys: leave the passphrase out.")
    return keys.decrypted(backup.opened(KEYS).read(), passphrase)


def full(backup: Backup) -> list[str]:
    """Return the tables of a backup that hold rows here."""
    there = set(connection.introspection.table_names())
    return [table for table in sorted(there - MADE) if table in backup.manifest.rows and _has_rows(table)]


def complete(backup: Backup) -> bool:
    """Return whether the rows of a backup can be here: in every table that has some there, some are.

    All are stored at once, or none. A site that was begun here instead has rows too, but not of everything.
    """
    found = set(full(backup))
    held = {table for table, n in backup.manifest.rows.items() if n} - MADE
    return bool(found) and held.intersection(connection.introspection.table_names()) <= found


def refuse_occupied(backup: Backup) -> None:
    """Raise `BadInput` where anything is there already, or the tables are of another time."""
    there = set(connection.introspection.table_names())
    if occupied := full(backup):
        raise BadInput(
            f"The database is not empty: {occupied[0]} holds rows. Restore into a new database: nothing here "
            "is overwritten."
        )
    if occupied := files.occupied():
        raise BadInput(
            f"{settings.DATA_DIR} is not empty: it holds {', '.join(occupied)}. Set VARIORUM_DATA_DIR to an "
            "empty folder: nothing here is overwritten."
        )
    if OWN in there and (now := applied()) and now != backup.manifest.migrations:
        raise BadInput(
            "The tables of this database were made by another version than the backup's. Restore into a "
            "database without tables."
        )


def _has_rows(table: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT 1 FROM {connection.ops.quote_name(table)} LIMIT 1")  # noqa: S608 - a table's own name
        return cursor.fetchone() is not None


def prepare(backup: Backup) -> Apps:
    """Make the tables as they were when the backup was taken; return their models.

    Raises `BadInput` where this version is older than the backup.
    """
    executor = MigrationExecutor(connection)
    targets = [(app, name) for app, _, name in (each.partition(".") for each in backup.manifest.migrations)]
    unknown = [f"{app}.{name}" for app, name in targets if (app, name) not in executor.loader.graph.nodes]
    if unknown:
        raise BadInput(
            f"{backup.name} was written by Variorum {backup.manifest.version}, which is newer than this one: "
            f"it has the migration {unknown[0]}. Restore it with that version."
        )
    executor.migrate(targets)
    executor.loader.build_graph()
    return executor.loader.project_state(targets).apps


def _store(backup: Backup, apps: Apps, progress: Progress) -> None:
    found = [each for each in tables.stored(apps) if each._meta.db_table != OWN]
    rows = backup.manifest.rows
    missing = sorted({each._meta.db_table for each in found} ^ (set(rows) - {OWN}))
    if missing:
        raise BadInput(f"{backup.name}: table {missing[0]} is in the backup or here, and not in both.")
    for model in found:
        if model._meta.db_table in MADE:
            model._default_manager.all()._raw_delete("default")
    for at, model in enumerate(found):
        table = model._meta.db_table
        progress(at, len(found), f"Table {table}")
        stored = tables.insert(model, tables.read(model, backup.lines(table), f"{TABLES}{table}"))
        if stored != rows[table]:
            raise BadInput(f"{backup.name}: {stored:,} of {rows[table]:,} rows of {table} were read.")
    tables.renumber(found)


@contextmanager
def _beside(backup: Backup, progress: Progress) -> Iterator[Path]:
    """Unpack the files into a folder of their own, which is gone afterwards."""
    staged = Path(settings.DATA_DIR) / "restoring"
    try:
        try:
            shutil.rmtree(staged, ignore_errors=True)
            staged.mkdir(mode=0o700, parents=True)
            _unpack(backup, staged, progress)
        except OSError as error:
            if error.errno in (None, errno.EIO):  # of the backup
                raise
            # Not of the backup, which whoever reads its name there would throw away.
            raise BadInput(f"{settings.DATA_DIR} cannot be written: {error.strerror}.") from None
        yield staged
    finally:
        shutil.rmtree(staged, ignore_errors=True)


def _unpack(backup: Backup, staged: Path, progress: Progress) -> None:
    found = sorted(part for part in backup.manifest.parts if part.startswith(FILES))
    for at, part in enumerate(found):
        progress(at, len(found), f"File {part.removeprefix(FILES)}")
        target = staged / part.removeprefix(FILES)
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with backup.opened(part) as source, target.open("xb") as file:
            shutil.copyfileobj(source, file, CHUNK)


def _move(staged: Path) -> None:
    for folder in staged.iterdir():
        target = Path(settings.DATA_DIR) / folder.name
        if target.is_dir() and not any(target.iterdir()):
            target.rmdir()
        folder.rename(target)
