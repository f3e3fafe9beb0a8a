"""What was cut off: the hidden file of a backup that was killed, and a restore that was.

A backup holds a lock on its file as long as it writes. The kernel lets go of it with the process, so that a
file without one is nobody's. A restore leaves a note in the data directory before it puts something there.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import IO, NamedTuple

from django.conf import settings

from variorum.backup import files

NOTE = "restore-under-way.json"
_FIRST = b"tables/"
"""How a backup begins: with the name of its first part."""


def hold(file: IO[bytes], path: Path) -> bool:
    """Lock the file of a backup that is being written, where its file system has locks.

    Return whether it still stands at its path. Until it is locked it is nobody's, and `sweep` of a backup
    beside this one may remove it.
    """
    with suppress(OSError):
        fcntl.flock(file, fcntl.LOCK_EX)  # waits as long as a sweep looks at it
    try:
        return os.path.samestat(path.stat(), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False


def sweep(folder: Path) -> None:
    """Remove what backups that were killed have left in a folder; what still is written stays."""
    for path in folder.iterdir():
        if _is_part(path.name) and path.is_file() and not path.is_symlink():
            with suppress(OSError), path.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if file.read(len(_FIRST)) in (b"", _FIRST) and os.path.samestat(
                    path.stat(), os.fstat(file.fileno())
                ):
                    path.unlink()


class Noted(NamedTuple):
    """What a restore wrote down.

    taken: when the backup was taken that it restored.
    names: folders of the data directory that it was going to put there.
    """

    taken: str
    names: list[str]


def _is_part(name: str) -> bool:
    """Return whether a file is called as a backup is while it is written: `.NAME.NUMBER.part`."""
    before, _, number = name.removesuffix(".part").rpartition(".")
    return name.endswith(".part") and name.startswith(".") and len(before) > 1 and number.isdecimal()


def note(taken: str, names: list[str]) -> None:
    """Write down what a restore is going to put there."""
    said = json.dumps({"taken": taken, "names": names})
    (Path(settings.DATA_DIR) / NOTE).write_text(said, encoding="utf-8")


def noted() -> Noted | None:
    """Return what a restore that was cut off wrote down; None where there was none."""
    try:
        said = json.loads((Path(settings.DATA_DIR) / NOTE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except ValueError:  # cut off while it wrote this, and before it put anything there
        return Noted("", [])
    return Noted(said["taken"], [name for name in said["names"] if name in files.FOLDERS])


def take_back(names: list[str]) -> None:
    """Remove what a restore put there whose rows were never stored."""
    for name in names:
        shutil.rmtree(Path(settings.DATA_DIR) / name, ignore_errors=True)
    done()


def done() -> None:
    """Remove the note: the restore is complete, or nothing of it is left."""
    (Path(settings.DATA_DIR) / NOTE).unlink(missing_ok=True)
