"""Two machines that share only PostgreSQL and Redis, each restarted in turn while readers work.

    nice python -m benchmarks.two_machines [--readers 20] [--web 2] [--items 3000] [--seconds 15]

A machine is a group of processes with a data directory and a port of its own: `a` a web server and a worker
for the queue `cpu`, `b` the same and a worker for `gpu`, for which the processor stands in. Readers come as
by a proxy: a new connection goes to either machine in turn, and to the other where it is refused. A request
that was cut off is sent again once, by the submission's own id, and counted. Jobs wait in both queues from
the beginning. After some seconds machine `a` is told to stop, all its processes at once, and started again,
and as long after that `b`; readers work until both are back.

Printed are steps, what readers saw instead of the next item, how long each machine was away, the jobs of
each queue, and the memory of each process group. Exit status 1: a reader saw an error or was cut off,
an invariant did not hold, or a job was not done.
"""

from __future__ import annotations

import argparse
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from http.client import HTTPConnection, HTTPResponse
from itertools import count
from pathlib import Path
from typing import Any, ClassVar

from benchmarks import load_readers, served
from benchmarks.memory import resident_megabytes

OVERLAP, JOBS = 3, 12
WAIT_SECONDS = 90


class EitherMachine(HTTPConnection):
    """A connection as a proxy makes it: to the machines in turn, past one that takes none."""

    turns = count()
    cut: ClassVar[Counter[str]] = Counter()
    """Requests whose connection ended without a reply, by what was seen."""

    def __init__(self, ports: list[int]) -> None:
        super().__init__("127.0.0.1", ports[0], timeout=60)
        self.ports = ports

    def connect(self) -> None:
        """Connect to the machine whose turn it is, or to the next. Raises `OSError` where none takes it."""
        first = next(self.turns) % len(self.ports)
        *others, last = self.ports[first:] + self.ports[:first]
        for self.port in others:
            with suppress(ConnectionRefusedError):
                super().connect()
                return
        self.port = last
        super().connect()

    def getresponse(self) -> HTTPResponse:
        """Return the reply; what ends without one is counted before it is raised."""
        try:
            return super().getresponse()
        except ConnectionError as error:
            self.cut[type(error).__name__] += 1
            raise


class Reader(served.Person):
    """A reader who comes to either machine."""

    def __init__(self, ports: list[int], link: str) -> None:
        self.ports = ports
        super().__init__(ports[0], link)

    def opened(self) -> HTTPConnection:
        return EitherMachine(self.ports)


class Machine:
    """The processes of one machine.

    Args:
        name: Of the machine, and in the names of its workers.
        folder: Its data directory.
        web: Web processes.
        queues: One worker for each.
    """

    def __init__(self, name: str, folder: Path, web: int, queues: list[str]) -> None:
        from variorum.server import processes

        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        self.name, self.running = name, dict[str, subprocess.Popen[bytes]]()
        self.environment = {**os.environ, "VARIORUM_DATA_DIR": str(folder)}
        worker = [sys.executable, "-m", "celery", "--quiet", "-A", "variorum", "worker", "-P", "solo"]
        self.commands = {"web": processes.web_command("127.0.0.1", self.port, web)} | {
            queue: [*worker, "-Q", queue, "-n", f"{queue}@{name}", "--loglevel", "warning"]
            for queue in queues
        }
        manage = [sys.executable, "manage.py", "collectstatic", "--noinput", "--verbosity", "0"]
        subprocess.run(manage, env=self.environment, check=True)

    def start(self) -> None:
        """Start everything, and wait until people can be served. Raises `SystemExit` where they cannot."""
        from variorum.server.processes import wait_until_answering

        for part, command in self.commands.items():
            self.running[part] = subprocess.Popen(command, env=self.environment)
        ready = f"http://127.0.0.1:{self.port}/readyz"
        if not wait_until_answering(ready, WAIT_SECONDS, lambda: self.running["web"].poll() is None):
            raise SystemExit(f"Machine {self.name} did not answer within {WAIT_SECONDS} seconds.")

    def stop(self) -> None:
        """Ask everything to end, and wait. Raises `subprocess.TimeoutExpired`."""
        for process in self.running.values():
            process.terminate()
        for process in self.running.values():
            process.wait(WAIT_SECONDS)

    def restart(self) -> float:
        """Stop and start; return for how many seconds nobody was served here."""
        start = time.monotonic()
        self.stop()
        self.start()
        return time.monotonic() - start

    def megabytes(self) -> dict[str, float]:
        """Memory of each part, its children included."""
        return {f"{part} of {self.name}": resident_megabytes(each.pid) for part, each in self.running.items()}


@contextmanager
def shared_services() -> Iterator[None]:
    """PostgreSQL, whose commits wait for the disk, and Redis, and the environment that names them."""
    from tests.services import start

    start.install_missing()
    with tempfile.TemporaryDirectory(prefix="variorum-two-") as made, ExitStack() as stack:
        folder = Path(made)
        folder.chmod(0o755)
        os.environ["VARIORUM_DATABASE_URL"] = stack.enter_context(start.postgresql(folder, durable=True))
        os.environ["VARIORUM_REDIS_URL"] = stack.enter_context(start.redis(folder))
        os.environ["VARIORUM_SECRET_KEY"] = secrets.token_urlsafe(50)
        yield


def submit_jobs() -> list[int]:
    """Jobs of candidates for an invented book, every third for the queue `gpu`; their numbers."""
    from retrieval.candidates.submitting import submit
    from retrieval.models import CandidateJob
    from tests import builders

    book, critic = builders.book(), builders.source()
    for first in range(2, 18, 2):
        builders.excerpt(book, critic, first=first)
    made = [submit(book, ranker="bm25", parameters={"negatives": 3, "matching": False}) for _ in range(JOBS)]
    CandidateJob.objects.filter(pk__in=[each.pk for each in made[::3]]).update(queue="gpu")
    return [each.pk for each in made]


def finished(jobs: list[int]) -> Counter[str]:
    """Wait for the jobs; how many there are of each queue and status."""
    from retrieval.models import CandidateJob, Status

    deadline = time.monotonic() + WAIT_SECONDS
    rows = CandidateJob.objects.filter(pk__in=jobs)
    while rows.exclude(status=Status.DONE).exists() and time.monotonic() < deadline:
        time.sleep(0.5)
    return Counter(f"{each.queue} {each.status}" for each in rows)


def measured(asked: argparse.Namespace) -> bool:
    """Everything, printed as it comes; whether all went well."""
    with served.folder() as one, served.folder() as other, shared_services():
        served.prepare(one)
        links, _ = served.open_study("two", items=asked.items, readers=asked.readers, overlap=OVERLAP)
        machines = [Machine("a", Path(one), asked.web, ["cpu"])]
        machines += [Machine("b", Path(other), asked.web, ["cpu", "gpu"])]
        try:
            for each in machines:
                each.start()
            return watched(machines, links, asked.seconds)
        finally:
            for each in machines:
                each.stop()


def watched(machines: list[Machine], links: list[str], seconds: float) -> bool:
    """Let everybody read while the machines are restarted; whether all went well."""
    from django.db import connections

    from retrieval.models import Worker

    ports = [each.port for each in machines]
    print("Readers sign in.", flush=True)
    people = [Reader(ports, link) for link in links]
    for person in people:
        person.begin("two")
        # A proxy gives up what is idle before the site does.
        person.connection.close()
    EitherMachine.cut.clear()
    print("Readers work.", flush=True)
    jobs = submit_jobs()
    connections.close_all()
    away: dict[str, float] = {}
    both_back = threading.Event()
    with ThreadPoolExecutor(1) as room:
        reading = room.submit(work_until, both_back, people, seconds)
        try:
            for each in machines:
                time.sleep(seconds)
                away[each.name] = each.restart()
                print(f"Machine {each.name} was restarted.", flush=True)
        finally:
            both_back.set()
        journals = reading.result()
    said = {
        "steps": sum(len(each.seconds) for each in journals),
        "longest step, s": round(max(max(each.seconds, default=0) for each in journals), 2),
        "errors": dict(sum((each.errors for each in journals), Counter[str]())),
        "cut off": dict(EitherMachine.cut),
        "faults": load_readers.faults("two", OVERLAP, journals),
        "away, s": {name: round(took, 1) for name, took in away.items()},
        "jobs": dict(finished(jobs)),
        "workers seen": sorted(Worker.objects.values_list("name", flat=True)),
        "MB": {name: round(held) for each in machines for name, held in each.megabytes().items()},
    }
    for name, value in said.items():
        print(f"{name:16} {value}")
    return went_well(said)


def work_until(done: threading.Event, people: Sequence[Reader], seconds: float) -> list[load_readers.Journal]:
    """Let everybody work until that is so, and `seconds` more at most."""
    journals: list[load_readers.Journal] = []
    while not done.is_set():
        journals += load_readers.work(people, "two", seconds)
    return journals


def went_well(said: dict[str, Any]) -> bool:
    """Whether no reader saw an error, every invariant holds and all jobs of both queues were done."""
    unseen = not said["errors"] and not said["cut off"]
    return unseen and not any(said["faults"].values()) and set(said["jobs"]) == {"cpu done", "gpu done"}


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--readers", type=int, default=20, help="without pause (default 20)")
    parser.add_argument("--web", type=int, default=2, help="web processes of a machine (default 2)")
    parser.add_argument("--items", type=int, default=3000, help="of the study (default 3000)")
    parser.add_argument("--seconds", type=float, default=15, help="before each restart (default 15)")
    return 0 if measured(parser.parse_args(argv)) else 1


if __name__ == "__main__":
    sys.exit(main())
