"""What `serve` says of a worker that ended, for pages to read: a file, since the database may be what failed.

It stands until the next worker has lived for a while; pages look at it where no worker is to be seen.
"""

from __future__ import annotations

import json
import socket
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from django.conf import settings

FILE = Path("running", "worker.json")
TAKES_SECONDS = 60
"""A worker that is started is there by then; whatever the file says, it is out of date."""


class Restart(NamedTuple):
    """A worker of this machine that ended with `status`; `ended` and `again` in seconds since 1970."""

    pid: int
    status: int
    ended: float
    again: float


def write(folder: Path, restart: Restart) -> None:
    """Say that the worker ended and when it is started again. The data directory is `folder`."""
    path = folder / FILE
    path.parent.mkdir(mode=0o700, exist_ok=True)
    written = path.with_suffix(".new")
    written.write_text(json.dumps(restart._asdict()), encoding="utf-8")
    written.replace(path)


def clear(folder: Path) -> None:
    """There is nothing to say any more."""
    with suppress(FileNotFoundError):
        (folder / FILE).unlink()


def pending_restart(now: float | None = None) -> Restart | None:
    """The worker that ended and is to be started again, if that is how it stands at `now`."""
    try:
        found = Restart(**json.loads((settings.DATA_DIR / FILE).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    return found if (now or time.time()) < found.again + TAKES_SECONDS else None


def ended_worker_suffix() -> str | None:
    """How the name of the worker that ended ends: its last word is no sign of life."""
    found = pending_restart()
    return f"@{socket.gethostname()}-{found.pid}" if found else None
