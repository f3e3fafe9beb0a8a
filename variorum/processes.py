"""The web server and the worker as two children of one command.

The web is what people use: when it ends, everything ends. A worker that ends takes nobody's page away: the
site stays, its pages say what happened, and another is started. On Linux both end with the command, even
where it is killed; what does not is ended by the next start.
"""

from __future__ import annotations

import ctypes
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from urllib.request import ProxyHandler, Request, build_opener

from retrieval import restarts
from variorum import leftovers
from variorum.restarting import Restarted

Say = Callable[[str], None]
Alive = Callable[[], bool]
POLL_SECONDS = 0.3
PATIENCE_SECONDS = 10
PR_SET_PDEATHSIG = 1
"""Of Linux's prctl: which signal a process gets when its parent ends."""


def web_command(host: str, port: int, workers: int) -> list[str]:
    """gunicorn, as `variorum.gunicorn_hooks` sets it."""
    address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    program = [
        sys.executable,
        "-m",
        "gunicorn",
        "variorum.wsgi",
        "--config",
        "python:variorum.gunicorn_hooks",
    ]
    return [*program, "--workers", str(workers), "--bind", address, "--log-level", "warning"]


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
    """A child that is asked to end when this process is gone, even by ``kill -9``: it would keep the port.

    It leads a group of its own, by which the next start knows what is left of it.
    """
    if sys.platform != "linux":
        return subprocess.Popen(command, process_group=0)  # noqa: S603
    prctl = ctypes.CDLL(None).prctl
    return subprocess.Popen(  # noqa: S603
        command,
        process_group=0,
        preexec_fn=lambda: prctl(PR_SET_PDEATHSIG, signal.SIGTERM),  # noqa: PLW1509 - it only asks the kernel
    )


class Pair:
    """The web and the worker of one start, and what pages and the next start are told of them.

    `folder`: the data directory.
    """

    def __init__(self, web: Sequence[str], worker: Sequence[str], folder: Path, say: Say) -> None:
        self._worker_command, self._folder, self._say = worker, folder, say
        restarts.forget(folder)
        self.web = started(web)
        self._web = leftovers.started(self.web.pid, web)
        self._tries = 0
        self.worker = Restarted(
            self._start_worker, ended=self._worker_ended, settled=self._settled, now=time.monotonic()
        )

    def _start_worker(self) -> subprocess.Popen[bytes]:
        process = started(self._worker_command)
        self._children = [self._web, leftovers.started(process.pid, self._worker_command)]
        self._record = leftovers.write(self._folder, self._children)
        if self._tries:
            self._say(f"The worker was started again (try {self._tries}).")
        return process

    def _worker_ended(self, process: subprocess.Popen[bytes], pause: float) -> None:
        now = time.time()
        self._tries += 1
        restarts.note(self._folder, restarts.Restart(process.pid, process.returncode, now, now + pause))
        self._say(
            f"The worker ended with status {process.returncode}. The site goes on and jobs wait; "
            f"it is started again in {pause:.0f} s."
        )

    def _settled(self) -> None:
        self._tries = 0
        restarts.forget(self._folder)

    def end(self) -> None:
        """Leave nothing behind, not even what a child that was killed could not end itself."""
        end([self.web, self.worker.process])
        leftovers.end(self._children, 1)
        self._record.unlink(missing_ok=True)
        restarts.forget(self._folder)


def run(
    web: Sequence[str], worker: Sequence[str], *, ready: Callable[[Alive], None], say: Say, folder: Path
) -> int:
    """Start both, call `ready` once with a look at the web's pulse, and wait for the shell's exit status.

    SIGINT, SIGTERM and SIGHUP stop both children and return 0; the end of the web stops the
    worker and returns 1; a worker that ends is started again while the web goes on.
    """
    stopping = False

    def stop(signum: int, frame: FrameType | None) -> None:
        nonlocal stopping
        stopping = True

    # A terminal that is closed hangs up on all: gunicorn would start again, and hold the port for ever.
    stops = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, stop) for number in stops}
    pair = Pair(web, worker, folder, say)
    try:
        ready(lambda: not stopping and pair.web.poll() is None)
        while not stopping and pair.web.poll() is None:
            pair.worker.look(time.monotonic())
            time.sleep(POLL_SECONDS)
    finally:
        pair.end()
        for number, handler in before.items():
            signal.signal(number, handler)
    if not stopping:
        say(f"The web server ended with status {pair.web.returncode}, so everything was stopped.")
    return 0 if stopping else 1


def end(children: Sequence[subprocess.Popen[bytes]]) -> None:
    """Ask politely, wait, and insist. A job that is cut off resumes from its row."""
    for child in children:
        if child.poll() is None:
            child.terminate()
    deadline = time.monotonic() + PATIENCE_SECONDS
    for child in children:
        try:
            child.wait(timeout=max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
