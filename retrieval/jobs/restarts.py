"""Tell pages about a worker that ended: `serve` writes a file, because the database may be what failed.

It stands until the next worker has lived for a while; pages look at it where no worker is to be seen.
"""

from __future__ import annotations

import json
import socket
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

FILE = Path("running", "worker.json")
TAKES_SECONDS = 60
"""A worker that is started is there by then; whatever the file says, it is out of date."""


class Restart(NamedTuple):
    """A worker of this machine that ended and will be started again.

    pid: its process.
    status: its exit status.
    ended, again: when it ended and when the next one starts, in seconds since 1970.
    """

    pid: int
    status: int
    ended: float
    again: float


def write(folder: Path, restart: Restart) -> None:
    """Store in the data directory `folder` that the worker ended and when it is started again."""
    path = folder / FILE
    path.parent.mkdir(mode=0o700, exist_ok=True)
    written = path.with_suffix(".new")
    written.write_text(json.dumps(restart._asdict()), encoding="utf-8")
    written.replace(path)


def clear(folder: Path) -> None:
    """Remove what was stored: a worker is running."""
    with suppress(FileNotFoundError):
        (folder / FILE).unlink()


def pending_restart(now: float | None = None) -> Restart | None:
    """Return the worker that ended and is not yet started again at `now`, or None."""
    # Late: the supervisor of a site writes these files, and has loaded no Django.
    from django.conf import settings

    try:
        found = Restart(**json.loads((settings.DATA_DIR / FILE).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    return found if (now or time.time()) < found.again + TAKES_SECONDS else None


def ended_worker_suffix() -> str | None:
    """Return how the name of the worker that ended ends, so that its last heartbeat is not taken for life."""
    found = pending_restart()
    return f"@{socket.gethostname()}-{found.pid}" if found else None
