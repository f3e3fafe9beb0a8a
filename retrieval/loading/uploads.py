"""Uploaded files that wait for a worker in the data directory: for the site only, removed by the job."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from django.conf import settings

from common.errors import BadInput
from retrieval.models import ENDED, Job, LoadingJob

MOST = 10
"""Files that may wait at once."""
_UNKNOWN_FOR = 3600
"""Seconds after which a file without a row is nobody's; before, the row may be being written."""
KINDS: dict[str, type[Job]] = {"": LoadingJob}
"""How the name of a file begins, before its job's number, and what kind of job it is."""
_NAME = re.compile(r"\A([a-z-]*+)([0-9]++)\Z")


def register(prefix: str, of: type[Job]) -> None:
    """Keep files for a kind of job of an application above, under names that begin so."""
    KINDS[prefix] = of


def keep(name: int | str, data: bytes | Iterable[bytes]) -> None:
    """Store the file of a job whose row is being written; ``name``: its number, behind its kind's prefix.

    Raises:
        BadInput: too many files wait already, or it cannot be written.
    """
    folder = _folder()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if len(list(folder.iterdir())) >= MOST:
            raise BadInput(
                f"{MOST} files wait for a worker already. Try again when one of them has been imported, or "
                "cancel an import on the page of jobs."
            )
        with open(os.open(folder / str(name), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.writelines([data] if isinstance(data, bytes) else data)
    except OSError as error:
        remove(name)
        raise BadInput(f"The file cannot be kept until a worker reads it: {error.strerror}.") from None


def read(name: int | str) -> bytes:
    """Return the bytes of a job's file. Raises `BadInput` where it is not there."""
    with opened(name) as file:
        return file.read()


@contextmanager
def opened(name: int | str) -> Iterator[IO[bytes]]:
    """Open a job's file. Raises `BadInput` where it is not there."""
    try:
        file = (_folder() / str(name)).open("rb")
    except OSError:
        raise BadInput(
            "The uploaded file is not in the worker's data directory, which must be that of the site; "
            "import it again."
        ) from None
    with file:
        yield file


def remove(name: int | str) -> None:
    """Remove the file of a job, if it is there."""
    (_folder() / str(name)).unlink(missing_ok=True)


def remove_stale() -> None:
    """Remove the files of jobs that have ended, and files that no job names."""
    folder = _folder()
    names = [found for path in folder.glob("*") if (found := _NAME.fullmatch(path.name))]
    for prefix, of in KINDS.items():
        kept = {int(name[2]): name[0] for name in names if name[1] == prefix}
        rows = of._default_manager.filter(pk__in=kept) if kept else ()
        status = {row.pk: row.status for row in rows}
        for pk, name in kept.items():
            if status[pk] in ENDED if pk in status else _is_old(folder / name):
                remove(name)


def _is_old(path: Path) -> bool:
    try:
        return time.time() - path.stat().st_mtime > _UNKNOWN_FOR
    except FileNotFoundError:
        return False


def _folder() -> Path:
    folder: Path = settings.DATA_DIR / "uploads"
    return folder
