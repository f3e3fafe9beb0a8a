"""Keep what a file says of words in a form that is read at once, in a folder named by the file's sha256.

A folder is written beside its place and moved there whole: an addition that is stopped leaves nothing that
could be read, and begins anew. Vectors are mapped into memory, so all processes of a machine share one copy,
and only the rows that are used are read.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

from common.errors import BadInput
from common.progress import Progress, silent
from retrieval.engine.words.kinds import Counts, Kind, Known

MANIFEST, LOCK, PART = "manifest.json", ".lock", ".part-"
FORMAT = 1
OPEN = 16
"""Tables that a process holds at once; the longest unused goes first."""

Signature = tuple[tuple[str, int, int, int], ...]
_opened: OrderedDict[Path, tuple[Signature, Known]] = OrderedDict()
_opening = Lock()


def sha256_of(path: Path) -> str:
    """Return the sha256 of a file. Raises `BadInput` where it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise BadInput(f"{path.name} cannot be read: {error.strerror}.") from None


def place(folder: Path, kind: Kind, sha256: str) -> Path:
    """Return where a file of that sha256 is kept under `folder`."""
    return folder / kind.slug / sha256


def keep(source: Path, folder: Path, kind: Kind, progress: Progress = silent) -> tuple[str, Counts]:
    """Keep a file under `folder`; return its sha256 and what it came to. One that is kept already is taken.

    Raises:
        BadInput: the file cannot be read as that kind, another process adds one, or the disk is full;
            nothing is kept.
    """
    sha256 = sha256_of(source)
    target = place(folder, kind, sha256)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with _alone(target.parent):
            if not _is_whole(target, kind):
                _write(source, target, kind, progress)
    except OSError as error:
        raise BadInput(f"{source.name} cannot be kept in {target.parent}: {error.strerror}.") from None
    told = _manifest(target)
    return sha256, Counts(told["words"], told["width"], told["remarks"])


def opened(folder: Path, kind: Kind) -> Known:
    """Return what a kept folder says of words; a process reads it once, and again where its files changed.

    Raises:
        BadInput: a file is gone, or is not what was kept.
    """
    with _opening:
        signature = _signature(folder, kind)
        known = _opened.get(folder)
        if known is None or known[0] != signature:
            check(folder, kind)
            try:
                known = signature, kind.read(folder, folder.name)
            except (OSError, ValueError) as error:
                raise BadInput(f"{folder} cannot be read: {error}. {_again(kind)}") from None
            _opened[folder] = known
            while len(_opened) > OPEN:
                _opened.popitem(last=False)
        _opened.move_to_end(folder)
        return known[1]


def check(folder: Path, kind: Kind) -> None:
    """Compare all files of a kept folder with what was kept. Raises `BadInput` where one differs."""
    files = _manifest(folder)["files"]
    for name in kind.files:
        if not (folder / name).is_file() or sha256_of(folder / name) != files.get(name):
            raise BadInput(f"{folder / name} is not what was kept: it is gone or has changed. {_again(kind)}")


def remove(folder: Path) -> None:
    """Remove a kept folder."""
    with _opening:
        _opened.pop(folder, None)
    shutil.rmtree(folder, ignore_errors=True)


def _write(source: Path, target: Path, kind: Kind, progress: Progress) -> None:
    for left in target.parent.glob(f"{PART}*"):
        # Whoever wrote it was killed: nobody else is here now.
        shutil.rmtree(left)
    part = target.with_name(PART + target.name)
    part.mkdir()
    try:
        counts = kind.write(source, part, progress)
        told = {
            "format": FORMAT,
            "kind": kind.slug,
            **counts._asdict(),
            "files": {name: sha256_of(part / name) for name in kind.files},
        }
        (part / MANIFEST).write_text(json.dumps(told, indent=1), encoding="utf-8")
        for name in (*kind.files, MANIFEST):
            _sync(part / name)
        if target.exists():
            shutil.rmtree(target)
        part.rename(target)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _is_whole(folder: Path, kind: Kind) -> bool:
    try:
        check(folder, kind)
    except BadInput:
        return False
    return True


def _sync(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Let one process at a time add to a folder. Raises `BadInput` where another one does."""
    with (folder / LOCK).open("wb") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BadInput(
                "Another process is adding a file of this kind; wait until it is done, and try again."
            ) from None
        yield


def _manifest(folder: Path) -> dict[str, Any]:
    try:
        found = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        known = found["format"] == FORMAT and isinstance(found["files"], dict)
    except (OSError, ValueError, KeyError, TypeError):
        known = False
    if not known:
        raise BadInput(f"{folder / MANIFEST} is gone or damaged; add the file again, under the same name.")
    return dict(found)


def _signature(folder: Path, kind: Kind) -> Signature:
    found = []
    for name in kind.files:
        try:
            seen = (folder / name).stat()
        except OSError:
            raise BadInput(f"{folder / name} is gone. {_again(kind)}") from None
        found.append((name, seen.st_size, seen.st_mtime_ns, seen.st_ino))
    return tuple(found)


def _again(kind: Kind) -> str:
    return f"Add the file again, under the same name: manage.py add_words {kind.slug} FILE --name NAME."
