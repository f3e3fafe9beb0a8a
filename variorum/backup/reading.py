"""Read a backup, and check it: parts by their SHA-256, tables by their rows, the record by its chain."""

from __future__ import annotations

import gzip
import hashlib
import json
import tarfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import IO, Any

from annotation.models import Erasure, Seal
from annotation.record import checking
from annotation.record.erasures import Announced
from annotation.record.rows import TABLES as SEALED
from annotation.record.rows import digest
from common.errors import BadInput
from common.progress import Progress, silent
from variorum.backup import files, manifest, tables
from variorum.backup.writing import CHUNK, FILES, KEYS, MANIFEST, TABLES

LARGEST_MANIFEST = 64 << 20


class Backup:
    """An opened backup: `manifest`, and its parts by name."""

    def __init__(self, tar: tarfile.TarFile, name: str) -> None:
        self.tar, self.name = tar, name
        # A link is no part: ours has none, and one would be followed to another part or to none.
        self.members = {each.name: each for each in tar if each.isreg()}
        if MANIFEST not in self.members:
            raise BadInput(f"{name} has no manifest: it was cut off, or is no backup.")
        if self.members[MANIFEST].size > LARGEST_MANIFEST:
            raise BadInput(f"{name} is no backup: its manifest is too large.")
        self.manifest = manifest.read(self.opened(MANIFEST).read(), name)

    def opened(self, part: str) -> IO[bytes]:
        """Open a part. Raises `BadInput` where there is none of that name."""
        found = self.tar.extractfile(self.members[part]) if part in self.members else None
        if found is None:
            raise BadInput(f"{self.name}: the part {part} is missing.")
        return found

    def lines(self, table: str) -> Iterator[str]:
        """Yield the lines of a table."""
        with self.opened(f"{TABLES}{table}.jsonl.gz") as packed, gzip.open(packed) as plain:
            for line in plain:
                yield line.decode("utf-8", "surrogatepass")

    def rows(self, table: str) -> tuple[list[str], Iterator[list[Any]]]:
        """Return the columns of a table, and its rows as JSON has them."""
        lines = self.lines(table)
        return json.loads(next(lines)), map(json.loads, lines)


@contextmanager
def opened(path: Path) -> Iterator[Backup]:
    """Open a backup. Raises `BadInput` for what cannot be read or is none."""
    try:
        with tarfile.open(path, mode="r:") as tar:
            yield Backup(tar, path.name)
    except (OSError, EOFError, tarfile.TarError) as error:
        reason = getattr(error, "strerror", None) or "it is no backup, or was cut off"
        raise BadInput(f"{path} cannot be read: {reason}.") from None


def check(backup: Backup, progress: Progress = silent) -> checking.Checked:
    """Check every part, every table and the record's chain; return what was found of the record.

    Raises `BadInput`, which names the first part that differs from the manifest.
    """
    told = backup.manifest
    strange = set(backup.members) - set(told.parts) - {MANIFEST}
    if strange:
        raise BadInput(f"{backup.name}: the part {min(strange)} is not in the manifest.")
    for at, (part, said) in enumerate(sorted(told.parts.items())):
        progress(at, len(told.parts), f"Checking {part}")
        _check_name(backup.name, part)
        if _digest(backup.opened(part)) != (said["bytes"], said["sha256"]):
            raise BadInput(f"{backup.name}: {part} was changed: its SHA-256 is not what the manifest says.")
    for table, n in told.rows.items():
        found = sum(1 for _ in backup.lines(table)) - 1
        if found != n:
            raise BadInput(f"{backup.name}: table {table} has {found:,} rows, the manifest says {n:,}.")
    kept = InBackup(backup)
    found_record = checking.check(kept, progress=lambda at: progress(at, 0, "Checking the record"))
    if found_record.head != told.head:
        raise BadInput(f"{backup.name}: the record's head is not what the manifest says.")
    return found_record


def _check_name(name: str, part: str) -> None:
    """Raise `BadInput` for a part that would be written anywhere but where its kind belongs."""
    path = PurePosixPath(part)
    known = part == KEYS or (part.startswith(TABLES) and len(path.parts) == 2)
    known |= part.startswith(FILES) and len(path.parts) > 2 and path.parts[1] in files.FOLDERS
    # Spelled in one way only: what follows `files/` in `files//words/x` would begin at the root.
    plain = str(path) == part and ".." not in path.parts
    if not known or not plain or "\\" in part or "\0" in part:
        raise BadInput(f"{name}: {part!a} is no part of a backup.")


def _digest(part: IO[bytes]) -> tuple[int, str]:
    size, found = 0, hashlib.sha256()
    while data := part.read(CHUNK):
        size += len(data)
        found.update(data)
    return size, found.hexdigest()


class InBackup:
    """The record in a backup, for `checking`: its tables are read once, in the order of their keys."""

    def __init__(self, backup: Backup) -> None:
        self.backup = backup
        self.open: dict[str, _Table] = {}

    def seals(self) -> Iterator[Seal]:
        names, found = self.backup.rows(Seal._meta.db_table)
        fields = {field.attname: field for field in tables.columns(Seal)}
        # By key is by number: both grow together.
        for values in found:
            row = {
                name: value if name == "columns" else fields[name].to_python(value)
                for name, value in zip(names, values, strict=True)
            }
            yield Seal(**row)

    def rows(self, table: str, columns: Sequence[str], first: int, last: int) -> Iterator[tuple[int, bytes]]:
        return self._table(table).rows(columns, last)

    def erased(self) -> Announced:
        names, found = self.backup.rows(Erasure._meta.db_table)
        # A backup of before has no keys in it.
        return Announced({"keys": None, **dict(zip(names, values, strict=True))} for values in found)

    def beyond(self, table: str, last: int) -> int:
        return self._table(table).left()

    def _table(self, table: str) -> _Table:
        if table not in self.open:
            self.open[table] = _Table(self.backup, table)
        return self.open[table]


class _Table:
    """A sealed table, read from its first row to its last."""

    def __init__(self, backup: Backup, table: str) -> None:
        self.names, self.found = backup.rows(SEALED[table]._meta.db_table)
        self.fields = {field.attname: field for field in tables.columns(SEALED[table])}
        self.next = next(self.found, None)

    def rows(self, columns: Sequence[str], last: int) -> Iterator[tuple[int, bytes]]:
        """Yield the rows up to key `last` from where the last call ended."""
        while self.next is not None and self.next[0] <= last:
            row = dict(zip(self.names, self.next, strict=True))
            yield self.next[0], digest([self._value(name, row.get(name)) for name in columns])
            self.next = next(self.found, None)

    def left(self) -> int:
        """Return how many rows are left; none afterwards."""
        return 0 if self.next is None else 1 + sum(1 for _ in self.found)

    def _value(self, name: str, value: Any) -> Any:
        """Return the value as the database gives it: of the columns of the record only times differ."""
        if isinstance(value, str) and self.fields[name].get_internal_type() == "DateTimeField":
            return datetime.fromisoformat(value)
        return value
