"""Gunicorn's hooks under `serve`: Ctrl-C is the command's to answer, which then asks politely.

A terminal sends Ctrl-C to the whole process group. Gunicorn's master passes it on to workers
that have had it themselves, and a worker told twice waits for a lock that it holds
(gunicorn 27.0.1, gthread): it stays behind and keeps the port.
"""

from __future__ import annotations

import signal


def when_ready(server: object) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def post_worker_init(worker: object) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
