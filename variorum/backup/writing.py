"""Write a backup: all tables as of one instant, the files that belong to them, and a manifest at the end.

An uncompressed tar whose tables are gzip. The manifest comes last, so that a file that was cut off has none.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from django.apps import apps
from django.conf import settings
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from annotation.models import Seal
from annotation.record import sealing
from common.errors import BadInput
from common.progress import Progress, silent
from variorum.backup import files, interrupted, keys, tables
from variorum.backup.manifest import Manifest

MANIFEST = "manifest.json"
KEYS = "keys.encrypted"
TABLES, FILES = "tables/", "files/"
CHUNK = 1 << 20


class _Archive:
    """A tar that counts what goes in."""

    def __init__(self, tar: tarfile.TarFile, manifest: Manifest) -> None:
        self.tar, self.manifest = tar, manifest

    def add(self, name: str, source: IO[bytes], size: int) -> None:
        """Add a part of `size` bytes. Raises `BadInput` where the source ends before."""
        head = tarfile.TarInfo(name)
        head.size, head.mode = size, 0o600
        counted = _Hashing(source)
        try:
            self.tar.addfile(head, counted)
        except OSError as error:
            if error.errno is not None:
                raise
            raise BadInput(f"{name} became shorter while it was read: take the backup again.") from None
        self.manifest.parts[name] = {"bytes": size, "sha256": counted.digest.hexdigest()}


class _Hashing(io.RawIOBase):
    """A file whose bytes are hashed as they are read."""

    def __init__(self, source: IO[bytes]) -> None:
        self.source, self.digest = source, hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        data = self.source.read(size)
        self.digest.update(data)
        return data


def write(path: Path, *, passphrase: str | None = None, progress: Progress = silent) -> Manifest:
    """Write a backup to `path`, which appears when it is complete, closed to others; return its manifest.

    `passphrase`: the keys go in, encrypted with it. Raises `BadInput` where a file is there already, where it
    cannot be written, and for a passphrase that does not do.
    """
    secret = None if passphrase is None else keys.encrypted(passphrase)
    sealing.try_to_seal()
    with _appearing(path) as file, tarfile.open(fileobj=file, mode="w") as tar:
        with tables.snapshot():
            archive = _Archive(tar, described())
            _add_tables(archive, path.parent, progress)
        _add_files(archive, progress)
        if secret is not None:
            archive.add(KEYS, io.BytesIO(secret), len(secret))
            archive.manifest.keys = "encrypted"
        data = archive.manifest.as_json()
        archive.add(MANIFEST, io.BytesIO(data), len(data))
    return archive.manifest


def described() -> Manifest:
    """Return the manifest of what the snapshot shows, without its parts."""
    last = Seal.objects.order_by("-number").first()
    return Manifest(
        version=settings.VERSION,
        taken=timezone.now().isoformat(),
        database=connection.vendor,
        migrations=applied(),
        head=last.digest if last else sealing.NOTHING,
        missing=files.elsewhere(),
    )


def applied() -> list[str]:
    """Return the last migration of each app in the database, as `app.name`."""
    done = sorted(MigrationRecorder(connection).applied_migrations())
    return [f"{app}.{name}" for app, name in dict(done).items()]


def _add_tables(archive: _Archive, folder: Path, progress: Progress) -> None:
    """Add each table, written beside the backup first: a part's size stands before it."""
    found = tables.stored(apps)
    for at, model in enumerate(found):
        table = model._meta.db_table
        progress(at, len(found), f"Table {table}")
        with tempfile.TemporaryFile(dir=folder) as held:
            with gzip.GzipFile(fileobj=held, mode="wb", mtime=0, compresslevel=6) as packed:
                n = -1  # the first line names the columns
                for line in tables.written(model):
                    packed.write(line.encode("utf-8", "surrogatepass"))
                    n += 1
            archive.manifest.rows[table] = n
            size = held.tell()
            held.seek(0)
            archive.add(f"{TABLES}{table}.jsonl.gz", held, size)


def _add_files(archive: _Archive, progress: Progress) -> None:
    home, found = Path(settings.DATA_DIR), list(files.kept())
    for at, each in enumerate(found):
        name = each.relative_to(home).as_posix()
        progress(at, len(found), f"File {name}")
        try:
            with each.open("rb") as source:
                archive.add(FILES + name, source, os.fstat(source.fileno()).st_size)
        except FileNotFoundError:
            # What a job makes and takes away again while it works.
            archive.manifest.missing.append(f"{name} went away while the backup was taken.")


@contextmanager
def _appearing(path: Path) -> Iterator[IO[bytes]]:
    """Open a file that appears under its name when it is complete. Raises `BadInput`."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    if path.exists():
        raise BadInput(f"{path} is there already: name another file, or remove it.")
    try:
        interrupted.sweep(path.parent)
        with _held(part) as file:
            part.chmod(0o600)
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror}.") from None
    finally:
        with suppress(OSError):
            part.unlink()


def _held(part: Path) -> IO[bytes]:
    """Open a new file, locked as one that is being written."""
    while True:
        file = part.open("xb")
        if interrupted.hold(file, part):
            return file
        file.close()
