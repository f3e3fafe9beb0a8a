"""The web server and the worker as two children of one process group.

The web is what people use: when it ends, everything ends. A worker that ends
takes nobody's page away; the site stays, and its pages say that nobody is working.
On Linux both end with the command, even where it is killed.
"""

from __future__ import annotations

import ctypes
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from types import FrameType
from typing import NamedTuple
from urllib.request import ProxyHandler, Request, build_opener

Say = Callable[[str], None]
Alive = Callable[[], bool]
POLL_SECONDS = 0.3
PATIENCE_SECONDS = 10
PR_SET_PDEATHSIG = 1
"""Of Linux's prctl: which signal a process gets when its parent ends."""


class Child(NamedTuple):
    name: str
    process: subprocess.Popen[bytes]


def web_command(host: str, port: int, workers: int) -> list[str]:
    """gunicorn with threads: readers wait for the database, not for the processor.

    The timeout leaves room for the longest single request, finding the quotations of a long source.
    """
    address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    program = [
        sys.executable,
        "-m",
        "gunicorn",
        "variorum.wsgi",
        "--config",
        "python:variorum.gunicorn_hooks",
    ]
    options = ["--worker-class", "gthread", "--threads", "8", "--workers", str(workers), "--bind", address]
    return [*program, *options, "--timeout", "120", "--no-control-socket", "--log-level", "warning"]


def worker_command(queues: str = "cpu,gpu") -> list[str]:
    """One process, no fork: a forked child could not use a GPU."""
    program = [sys.executable, "-m", "celery", "--quiet", "-A", "variorum", "worker"]
    return [
        *program,
        "-P",
        "solo",
        "-Q",
        queues,
        "--loglevel",
        "warning",
        "--without-gossip",
        "--without-mingle",
    ]


def is_taken(host: str, port: int) -> bool:
    """Whether something listens there already."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.settimeout(1)
        return probe.connect_ex((host, port)) == 0


def answers(url: str, seconds: float, alive: Alive, name: str = "") -> bool:
    """Wait until the site replies, at most `seconds` and only while its process lives.

    It is asked itself, whatever proxy the environment names for the world outside. With `name` it is asked
    as a proxy of its own asks: it may know no other name, and be reached by https only.
    """
    headers = {"Host": name, "X-Forwarded-Proto": "https"} if name else {}
    request = Request(url, headers=headers)  # noqa: S310 - our own address
    directly = build_opener(ProxyHandler({}))
    deadline = time.monotonic() + seconds
    while alive() and time.monotonic() < deadline:
        try:
            with directly.open(request, timeout=5):
                return True
        except OSError:
            time.sleep(0.1)
    return False


def started(command: Sequence[str]) -> subprocess.Popen[bytes]:
    """A child that is asked to end when this process is gone, even by ``kill -9``: it would keep the port."""
    if sys.platform != "linux":
        return subprocess.Popen(command)  # noqa: S603
    prctl = ctypes.CDLL(None).prctl
    return subprocess.Popen(  # noqa: S603
        command,
        preexec_fn=lambda: prctl(PR_SET_PDEATHSIG, signal.SIGTERM),  # noqa: PLW1509 - no thread runs yet
    )


def run(web: Sequence[str], worker: Sequence[str], *, ready: Callable[[Alive], None], say: Say) -> int:
    """Start both, call `ready` once with a look at the web's pulse, and wait for the shell's exit status.

    SIGINT, SIGTERM and SIGHUP stop both children and return 0; the end of the web stops the
    worker and returns 1; the end of the worker is reported and the web goes on.
    """
    stopping = False

    def stop(signum: int, frame: FrameType | None) -> None:
        nonlocal stopping
        stopping = True

    # A terminal that is closed hangs up on all: gunicorn would start again, and hold the port for ever.
    stops = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, stop) for number in stops}
    children = [Child("web", started(web)), Child("worker", started(worker))]
    try:
        ready(lambda: not stopping and children[0].process.poll() is None)
        worker_seen = True
        while not stopping and children[0].process.poll() is None:
            if worker_seen and children[1].process.poll() is not None:
                worker_seen = False
                say(
                    f"The worker ended with status {children[1].process.returncode}. "
                    "The site goes on and jobs wait. Start another with: "
                    "celery -A variorum worker -P solo -Q cpu,gpu"
                )
            time.sleep(POLL_SECONDS)
    finally:
        end(children)
        for number, handler in before.items():
            signal.signal(number, handler)
    if not stopping:
        say(f"The web server ended with status {children[0].process.returncode}, so everything was stopped.")
    return 0 if stopping else 1


def end(children: Sequence[Child]) -> None:
    """Ask politely, wait, and insist. A job that is cut off resumes from its row."""
    for child in children:
        if child.process.poll() is None:
            child.process.terminate()
    deadline = time.monotonic() + PATIENCE_SECONDS
    for child in children:
        try:
            child.process.wait(timeout=max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            child.process.kill()
            child.process.wait()
