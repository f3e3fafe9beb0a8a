"""Uploaded files that wait for a worker in the data directory: for the site only, removed by the job."""

from __future__ import annotations

import os
import time
from pathlib import Path

from django.conf import settings

from common.errors import BadInput
from retrieval.models import ENDED, LoadingJob

MOST = 10
"""Files that may wait at once."""
_UNKNOWN_FOR = 3600
"""Seconds after which a file without a row is nobody's; before, the row may be being written."""


def keep(pk: int, data: bytes) -> None:
    """Store the file of a job whose row is being written.

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
        with open(os.open(folder / str(pk), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(data)
    except OSError as error:
        remove(pk)
        raise BadInput(f"The file cannot be kept until a worker reads it: {error.strerror}.") from None


def read(pk: int) -> bytes:
    """Return the bytes of a job's file.

    Raises:
        BadInput: it is not there.
    """
    try:
        return (_folder() / str(pk)).read_bytes()
    except OSError:
        raise BadInput(
            "The uploaded file is not in the worker's data directory, which must be that of the site; "
            "import it again."
        ) from None


def remove(pk: int) -> None:
    """Remove the file of a job, if it is there."""
    (_folder() / str(pk)).unlink(missing_ok=True)


def remove_stale() -> None:
    """Remove the files of jobs that have ended, and files that no job names."""
    folder = _folder()
    kept = [int(path.name) for path in folder.glob("*") if path.name.isdecimal()] if folder.is_dir() else []
    if not kept:
        return
    status = dict(LoadingJob.objects.filter(pk__in=kept).values_list("pk", "status"))
    for pk in kept:
        if status[pk] in ENDED if pk in status else _is_old(folder / str(pk)):
            remove(pk)


def _is_old(path: Path) -> bool:
    try:
        return time.time() - path.stat().st_mtime > _UNKNOWN_FOR
    except FileNotFoundError:
        return False


def _folder() -> Path:
    folder: Path = settings.DATA_DIR / "uploads"
    return folder
