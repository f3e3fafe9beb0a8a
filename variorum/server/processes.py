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
from contextlib import suppress
from pathlib import Path
from types import FrameType
from urllib.parse import urlsplit

from retrieval.jobs import restarts
from variorum.server import leftovers
from variorum.server.restarting import Process, RestartedChild

Say = Callable[[str], None]
Alive = Callable[[], bool]
POLL_SECONDS = 0.3
PATIENCE_SECONDS = 10
BACKLOG = 2048
"""Connections that may wait to be accepted: gunicorn's own number."""
ANSWERS = {b"2", b"3"}
"""How the status of a site begins that answers."""
PR_SET_PDEATHSIG = 1
"""Of Linux's prctl: which signal a process gets when its parent ends."""


def web_command(
    host: str, port: int, workers: int, listening_socket: socket.socket | None = None
) -> list[str]:
    """Return the command of gunicorn (set in `variorum.gunicorn_hooks`) at an address or an open socket."""
    named = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    address = f"fd://{listening_socket.fileno()}" if listening_socket else named
    program = [
        sys.executable,
        "-m",
        "gunicorn",
        "variorum.wsgi",
        "--config",
        "python:variorum.gunicorn_hooks",
    ]
    return [*program, "--workers", str(workers), "--bind", address, "--log-level", "warning"]


def worker_command() -> list[str]:
    """Return the command of the worker: one process, no fork, because a forked child could not use a GPU."""
    program = [sys.executable, "-m", "celery", "--quiet", "-A", "variorum", "worker"]
    return [
        *program,
        "-P",
        "solo",
        "-Q",
        "cpu,gpu",
        "--loglevel",
        "warning",
        "--without-gossip",
        "--without-mingle",
    ]


def open_port(host: str, port: int) -> socket.socket:
    """Return the port, held from now on: whatever answers there later is what we start. Raises `OSError`."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    dual = family == socket.AF_INET6 and socket.has_dualstack_ipv6()
    return socket.create_server((host, port), family=family, backlog=BACKLOG, dualstack_ipv6=dual)


def wait_until_answering(url: str, seconds: float, alive: Alive, name: str = "") -> bool:
    """Wait until the site replies, at most `seconds` and only while its process lives.

    It is asked itself, whatever proxy the environment names for the world outside. With `name` it is asked
    as a proxy of its own asks: it may know no other name, and be reached by https only.
    """
    parts = urlsplit(url)
    address = (parts.hostname or "", parts.port or 80)
    head = f"GET {parts.path} HTTP/1.0\r\nHost: {name or parts.netloc}\r\n"
    head += "X-Forwarded-Proto: https\r\n" if name else ""
    deadline = time.monotonic() + seconds
    while alive() and time.monotonic() < deadline:
        with suppress(OSError):
            if _status(address, f"{head}\r\n".encode()) in ANSWERS:
                return True
        time.sleep(0.1)
    return False


def _status(address: tuple[str, int], request: bytes) -> bytes:
    """Return the status of the reply: by a plain socket, since Python's HTTP brings OpenSSL along."""
    with socket.create_connection(address, timeout=5) as asked:
        asked.sendall(request)
        return asked.makefile("rb").readline(100).partition(b" ")[2][:1]


def start_child(
    command: Sequence[str], listening_socket: socket.socket | None = None
) -> subprocess.Popen[bytes]:
    """Start a child that is asked to end when this process is gone, even by ``kill -9``.

    It leads a group of its own, by which the next start knows what is left of it. It gets the
    `listening_socket`.
    """
    kept = [listening_socket.fileno()] if listening_socket else []
    if sys.platform != "linux":
        return subprocess.Popen(command, process_group=0, pass_fds=kept)  # noqa: S603
    prctl = ctypes.CDLL(None).prctl
    return subprocess.Popen(  # noqa: S603
        command,
        process_group=0,
        pass_fds=kept,
        preexec_fn=lambda: prctl(PR_SET_PDEATHSIG, signal.SIGTERM),  # noqa: PLW1509 - it only asks the kernel
    )


class WebAndWorker:
    """The web and the worker of one start, and what pages and the next start are told of them.

    `folder`: the data directory. `listening_socket`: where the web is to listen, if it is told
    by a socket; from here on the web alone has it.
    """

    def __init__(
        self,
        web: Sequence[str],
        worker: Sequence[str],
        folder: Path,
        say: Say,
        listening_socket: socket.socket | None = None,
    ) -> None:
        self._worker_command, self._folder, self._say = worker, folder, say
        self._cannot_keep = False
        self.web = start_child(web, listening_socket)
        if listening_socket:
            listening_socket.close()
        self._web = leftovers.describe_child(self.web.pid, web)
        self._children, self._tries = [self._web], 0
        self._keep(lambda: restarts.clear(folder))
        self.worker = RestartedChild(
            self._start_worker, ended=self._worker_ended, settled=self._settled, now=time.monotonic()
        )

    def _start_worker(self) -> subprocess.Popen[bytes]:
        process = start_child(self._worker_command)
        self._children = [self._web, leftovers.describe_child(process.pid, self._worker_command)]
        self._keep(lambda: leftovers.write_record(self._folder, self._children))
        if self._tries:
            self._tell(f"The worker was started again (try {self._tries}).")
        return process

    def _worker_ended(self, ended: Process | OSError, pause: float) -> None:
        now = time.time()
        self._tries += 1
        if isinstance(ended, OSError):
            what = f"could not be started ({ended})"
        else:
            what = f"ended with status {ended.returncode}"
            restart = restarts.Restart(ended.pid, ended.returncode, now, now + pause)
            self._keep(lambda: restarts.write(self._folder, restart))
        self._tell(
            f"The worker {what}. The site goes on and jobs wait; it is started again in {pause:.0f} s."
        )

    def _settled(self) -> None:
        self._tries = 0
        self._keep(lambda: restarts.clear(self._folder))

    def _keep(self, write: Callable[[], object]) -> None:
        """Write down what pages and the next start are told: the site goes on where that cannot be."""
        try:
            write()
        except OSError as error:
            if not self._cannot_keep:
                self._tell(f"What runs cannot be written down, and the site goes on: {error}")
            self._cannot_keep = True

    def _tell(self, sentence: str) -> None:
        # The terminal may be a file on the same full disk.
        with suppress(OSError):
            self._say(sentence)

    def end(self) -> None:
        """End everything, also what a killed child could not end itself."""
        end([each for each in (self.web, self.worker.process) if each])
        leftovers.end(self._children, 1)
        self._keep(lambda: leftovers.record_of(self._folder).unlink(missing_ok=True))
        self._keep(lambda: restarts.clear(self._folder))


def run(
    web: Sequence[str],
    worker: Sequence[str],
    *,
    ready: Callable[[Alive], None],
    say: Say,
    folder: Path,
    listening_socket: socket.socket | None = None,
) -> int:
    """Start both, call `ready` once when the web answers, and wait; return the exit status.

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
    pair = WebAndWorker(web, worker, folder, say, listening_socket)
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
    """Ask a process to end, wait, and kill it. A job that is cut off resumes from its row."""
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
