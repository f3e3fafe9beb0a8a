"""The permissions of the data directory: it holds answers, session keys and password hashes.

What this program makes is closed when it is made, by the umask that the settings set (SQLite gives its log
the mode of the database). What an older version left open is closed when the site starts.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

OTHERS = 0o077
DATABASE = "variorum.sqlite3"
OF_DATABASE = tuple(DATABASE + end for end in ("", "-wal", "-shm", "-journal", "-turn"))
SECRETS = frozenset({"secret-key", "bundle-key", *OF_DATABASE})
"""These are ours wherever they lie."""
OURS = SECRETS | {
    "checkpoints", "training", "vectors", "uploads", "words", "indexes", "static", "typeface", "running",
    "restoring", "restore-under-way.json", "lost+found",
}  # fmt: skip
"""What lies in a data directory; `lost+found` is made with every ext4 volume."""
NAMED = 5


class OpenToOthers(NamedTuple):
    """What others can read in the data directory.

    ours: can be closed.
    theirs: belongs to another user.
    shared: what the folder holds that is not Variorum's.

    `shared`: names that are not of this program, in a folder that others can enter. Such a folder (a home,
    /srv, /tmp) is not ours to close.
    """

    ours: list[Path]
    theirs: list[Path]
    shared: list[str]


def umask() -> None:
    """Close to others whatever this process makes from now on."""
    os.umask(OTHERS)


def find_open(folder: Path) -> OpenToOthers:
    """Return what is open to others in the data directory. Links are not followed."""
    found = OpenToOthers([], [], [])
    if not folder.is_dir():
        return found
    strangers = sorted(each.name for each in folder.iterdir() if each.name not in OURS)
    root = folder.stat()
    if strangers or root.st_mode & stat.S_ISVTX:
        if root.st_mode & OTHERS:
            found.shared.extend(strangers or ["the sticky bit"])
        paths = iter([folder / name for name in sorted(SECRETS)])
    else:
        paths = _within(folder)
    for path in paths:
        try:
            seen = path.lstat()
        except OSError:
            continue
        if seen.st_mode & OTHERS and (stat.S_ISREG(seen.st_mode) or stat.S_ISDIR(seen.st_mode)):
            (found.ours if seen.st_uid == os.geteuid() else found.theirs).append(path)
    return found


def _within(folder: Path) -> Iterator[Path]:
    """Yield the folder and all in it but collected files, which are public, in a closed folder."""
    yield folder
    for at, names, files in os.walk(folder):
        if Path(at) == folder / "static":
            names.clear()
            continue
        yield from (Path(at, name) for name in [*names, *files])


def close_open(folder: Path) -> list[str]:
    """Close what is open and ours; return what was done and what is left to do, in sentences.

    Before the database is opened: closing a file ends the locks that SQLite holds on it in this process.
    """
    found = find_open(folder)
    closed, kept = [], []
    for path in found.ours:
        try:
            if _close(path):
                closed.append(path)
        except FileNotFoundError:
            continue
        except OSError as error:
            kept.append(f"{path} ({error.strerror})")
    said = [f"Closed to other users: {first_names(closed)}."] if closed else []
    if kept:
        said.append(f"These cannot be closed to other users, who may read them: {first_names(kept)}.")
    return said + left_in_words(folder, found._replace(ours=[]))


def _close(path: Path) -> bool:
    """Close one path; return whether it was open. A link is not followed.

    Raises `OSError` where it cannot be closed.
    """
    opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        seen = os.fstat(opened)
        if seen.st_uid != os.geteuid():
            return False
        os.fchmod(opened, stat.S_IMODE(seen.st_mode) & ~OTHERS)
        if os.fstat(opened).st_mode & OTHERS:
            raise PermissionError(errno.EPERM, "this file system keeps no modes")
    finally:
        os.close(opened)
    return True


def left_in_words(folder: Path, found: OpenToOthers) -> list[str]:
    """Return what somebody has to do, in sentences."""
    said = []
    if found.ours:
        names = first_names(found.theirs)
        said.append(
            f"Others can read {first_names(found.ours)}: the next start closes it, or chmod -R go= {folder}"
        )
    if found.theirs:
        names = first_names(found.theirs)
        said.append(
            f"Others can read {names}, which another user owns: give it to the site's user "
            f"(chown -R {os.geteuid()} {folder}) and start again, or chmod -R go= {folder} as its owner."
        )
    if found.shared:
        names = first_names(found.shared)
        said.append(
            f"{folder} can be entered by others and holds what is not Variorum's ({names}): "
            "only the database and the key are closed there. Give VARIORUM_DATA_DIR a folder of its own; if "
            f"this folder may be closed, chmod 700 {folder}"
        )
    return said


def first_names(names: list[Path] | list[str]) -> str:
    """Return the first names, and how many more there are."""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(map(str, names[:NAMED])) + more
