"""Gunicorn's settings: `gunicorn variorum.wsgi --config python:variorum.gunicorn_hooks`, as `serve` does.

Ctrl-C under `serve` is the command's to answer, which then asks politely. Where a terminal sends it to the
whole process group, gunicorn's master passes it on to workers that have had it themselves, and a worker told
twice waits for a lock that it holds (gunicorn 27.0.1, gthread): it stays behind and keeps the port.
"""

from __future__ import annotations

import gc
import os
import shutil
import signal
import tempfile
from contextlib import suppress

from variorum import env
from variorum.outside import logs

logger_class = "variorum.outside.access_log.AccessLog"
worker_class = "variorum.server.web_worker.WebWorker"
# Readers wait for the database, not for the processor.
threads = 8
worker_connections = 500
# Room for the longest single request, finding the quotations of a long source.
timeout = 120
# The kernel's way of sending files would wait for a slow reader without end.
sendfile = False
control_socket_disable = True
logconfig_dict = logs.web_configuration(env.log_format())


def on_starting(server: object) -> None:
    """Load the application and its addresses once, before web processes are forked, which then share that.

    Before the port is open, too: a proxy passes over a machine that refuses connections, and would wait at
    one that takes them and is not ready. First of all comes the folder in which each web process counts its
    requests, so that /metrics can add them up.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if env.metrics_token():
        os.environ.update({"PROMETHEUS_MULTIPROC_DIR": tempfile.mkdtemp(prefix="variorum-metrics-")})
    from django.urls import get_resolver

    from variorum import wsgi  # noqa: F401 - gunicorn finds it loaded

    get_resolver().url_patterns  # noqa: B018 - read, they are imported


def on_exit(server: object) -> None:
    """Remove that folder."""
    shutil.rmtree(os.environ.pop("PROMETHEUS_MULTIPROC_DIR", ""), ignore_errors=True)


def when_ready(server: object) -> None:
    """Freeze what was loaded: the collector of garbage leaves it alone, whose marks would make each process a
    copy.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.collect()
    gc.freeze()


def post_worker_init(worker: object) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    compute_in_turn()


def compute_in_turn() -> None:
    """Let a web process that has its answer from PostgreSQL wait until the processor is free, where the
    system can do that.

    As usual it would take it from another at once, at each question: where there are more processes than
    cores they keep pushing each other away, and each finds the caches full of what others need. Who is given
    SQLite's lock should go on at once: all others wait for it.
    """
    from django.db import connection

    if hasattr(os, "SCHED_BATCH") and connection.vendor == "postgresql":
        with suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
